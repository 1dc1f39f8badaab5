/* SPDX-License-Identifier: MIT */
/* Programs that mean harm, alone or called by a driver, as peal grade runs them (those in hostile). */
#include "lib/marking/contained.h"
#include <criterion/criterion.h>
#include <peal/tools.h>
#include <stdlib.h>
#include <string.h>

/* Compile hostile/NAME.c, after hostile/DRIVER.c unless that is NULL.  NULL: it does not compile; *error says why. */
static struct peal_contained *
compile_driven(const char *name, const char *driver, const char *offers, char **messages, struct peal_error *error)
{
    char path[500], driver_path[500];
    const struct peal_contained_source source = {.file = path,
                                                 .driver = driver ? driver_path : NULL,
                                                 .offers = offers,
                                                 .flags = "-fno-builtin",
                                                 .watched = true};

    snprintf(path, sizeof path, "%s/%s.c", PROGRAMS, name);
    snprintf(driver_path, sizeof driver_path, "%s/%s.c", PROGRAMS, driver ? driver : "");
    return peal_contained_compile(&source, messages, error);
}

/* Run it with peal_contained_run on two nodes. */
static struct peal_contained_result
run_driven(const char *name, const char *driver)
{
    char *messages, argument[] = "program";
    struct peal_options options;
    struct peal_error error;
    struct peal_contained_result result;
    struct peal_contained *program = compile_driven(name, driver, NULL, &messages, &error);

    cr_assert_not_null(program, "%s: %s %s", name, error.text, messages);
    peal_options_init(&options);
    options.nodes = 2;
    options.timeout_seconds = 1;
    cr_assert_eq(peal_contained_run(program, &options, 1, (char *[]){argument, NULL}, NULL, &result, &error), PEAL_OK,
                 "%s", error.text);
    peal_contained_destroy(program);
    free(messages);
    return result;
}

/* It is compiled after the driver, and this text is in the compiler's messages or in the error. */
static void
is_refused_by(const char *driver, const char *name, const char *text)
{
    char *messages = NULL;
    struct peal_error error = {PEAL_OK, ""};
    struct peal_contained *program = compile_driven(name, driver, NULL, &messages, &error);

    cr_expect_null(program, "%s compiles", name);
    cr_expect(strstr(error.text, text) || (messages && strstr(messages, text)), "%s: %s\n%s", name, error.text,
              messages ? messages : "");
    free(messages);
}

static struct peal_contained_result
run_program(const char *name)
{
    return run_driven(name, NULL);
}

Test(hostile, a_function_that_ends_its_node_is_not_taken_for_right)
{
    struct peal_contained_result result = run_driven("driven_exits", "driver");
    struct peal_verdict verdict;
    struct peal_error error;
    struct peal_check barrier = {.collective = PEAL_BARRIER,
                                 .file = PROGRAMS "/barrier_exits.c",
                                 .symbol = "my_barrier",
                                 .nodes_from = 3,
                                 .nodes_to = 3};

    cr_expect(result.failed);
    cr_expect_eq(result.kind, PEAL_CRASH);
    cr_expect(strstr(result.message, "ended before the driver's peal_main did"), "%s", result.message);
    free(result.output);
    cr_assert_eq(peal_check(&barrier, 1, 1, &verdict, &error), PEAL_OK, "%s", error.text);
    cr_assert_eq(verdict.finding_count, 1);
    cr_expect_eq(verdict.findings[0].kind, PEAL_CRASH);
    cr_expect(!verdict.proved);
}

/* In run_driven, the function touches at this line what is not its node's. */
static void
is_private(const char *name, int line, const char *text)
{
    struct peal_contained_result result = run_driven(name, "driver");

    cr_expect(result.watched, "%s is not watched", name);
    cr_assert(result.failed, "%s", name);
    cr_expect_eq(result.kind, PEAL_PRIVATE_MEMORY, "%s: %s: %s", name, peal_failure_name(result.kind), result.message);
    cr_expect(strstr(result.message, text), "%s: %s", name, result.message);
    cr_expect(strstr(result.file, name), "%s: %s", name, result.file);
    cr_expect_eq(result.line, line, "%s: line %d", name, result.line);
    free(result.output);
}

Test(hostile, words_that_no_message_brought_are_found_in_driven_functions)
{
    is_private("driven_points", 14, "node 0 reads node 1's stack");
    is_private("driven_passes_by_me", 13, "node 1 writes the memory of a `struct peal_node *`");
    is_private("driven_keeps_in_me", 12, "node 0 receives into the memory of a `struct peal_node *`");
}

Test(hostile, nothing_replaces_what_a_driver_calls)
{
    static const char *const names[] = {"line_labels", "line_globals"};
    struct peal_contained_result result = run_driven("driven_rewrites", "driver");

    cr_expect(result.failed && strstr(result.message, "it is not 3"), "%s", result.message);
    free(result.output);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        result = run_driven(names[i], "judge");
        cr_expect(result.failed && strstr(result.message, "it is not 3x + 1"), "%s: %s", names[i], result.message);
        free(result.output);
    }
    result = run_driven("line_right", "judge");
    cr_expect(!result.failed, "%s", result.message);
    free(result.output);
}

Test(hostile, nothing_of_a_driver_is_bound_but_what_it_offers)
{
    char *messages;
    struct peal_error error;

    is_refused_by("judge", "line_asks_static", "undefined reference to `driver_expected'");
    is_refused_by("judge", "line_spoils_table", "undefined reference to `driver_table'");
    is_refused_by("judge", "line_calls_main", "undefined reference to `peal_main of the driver'");
    is_refused_by("judge", "line_other_type", "conflicting types for 'my_line'");
    is_refused_by("judge", "line_two_tables", "no table of symbols, or more than one");
    struct peal_contained *program = compile_driven("line_spoils_table", "judge", "driver_table\n", &messages, &error);

    cr_expect_not_null(program, "%s", error.text);
    peal_contained_destroy(program);
    free(messages);
}

/* What it takes as it is loaded is missing for its own nodes. */
Test(hostile, a_child_that_takes_all_there_is_fails_alone)
{
    static const char *const names[] = {"line_takes_descriptors", "line_takes_addresses"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct peal_contained_result result = run_driven(names[i], "judge");

        cr_expect(result.failed, "%s", names[i]);
        cr_expect_eq(result.kind, PEAL_OUT_OF_MEMORY, "%s: %s", names[i], result.message);
        free(result.output);
    }
}

Test(hostile, each_node_has_its_own_copy_whatever_the_symbol_says)
{
    struct peal_contained_result result = run_driven("line_one_for_all", "judge");

    cr_expect(!result.failed, "%s", result.message);
    free(result.output);
}

Test(hostile, a_program_that_prints_without_end_is_ended)
{
    struct peal_contained_result result = run_program("program_prints");

    cr_expect(result.failed);
    cr_expect_leq(result.output_bytes, PEAL_CONTAINED_OUTPUT);
    free(result.output);
}

Test(hostile, a_program_that_forges_its_verdict_fails)
{
    struct peal_contained_result result = run_program("program_forges");

    cr_expect(result.failed);
    cr_expect_eq(result.kind, PEAL_CRASH, "%s", result.message);
    free(result.output);
}

Test(hostile, a_program_is_run_as_it_is_when_it_means_no_harm)
{
    struct peal_contained_result result = run_program("program_good");

    cr_expect(!result.failed, "%s", result.message);
    cr_expect_str_eq(result.output, "hello from 0\nhello from 1\n");
    cr_expect_eq(result.cost.alpha, 1);
    cr_expect_eq(result.cost.beta, 3);
    free(result.output);
}

/* Whatever the kernel can filter. */
Test(hostile, judged_code_runs_apart_from_the_judge)
{
    struct peal_contained_result result = run_program("stands_apart");

    cr_expect(!result.failed, "%s", result.message);
    free(result.output);
}
