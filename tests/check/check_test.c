/* SPDX-License-Identifier: MIT */
/* The catalogue is proved; what was made wrong by hand is found, with its kind and its smallest case. */
#include "lib/check/expression.h"
#include "lib/collective/closed.h"
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <peal/program.h>
#include <peal/tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

Test(check, proves_the_whole_catalogue_up_to_5_nodes, .timeout = 300)
{
    int count = 0;

    while (peal_algorithm_get(count))
        count++;
    struct peal_check *checks = calloc((size_t)count, sizeof *checks);
    struct peal_verdict *verdicts = calloc((size_t)count, sizeof *verdicts);
    struct peal_error error;

    cr_assert(checks && verdicts);
    for (int i = 0; i < count; i++)
        checks[i] = (struct peal_check){.collective = peal_algorithm_get(i)->collective,
                                        .algorithm = peal_algorithm_get(i)->name,
                                        .nodes_from = 1,
                                        .nodes_to = 5};
    cr_assert_eq(peal_check(checks, count, 2, verdicts, &error), PEAL_OK, "%s", error.text);
    for (int i = 0; i < count; i++) {
        const struct peal_verdict *v = &verdicts[i];

        cr_expect(v->proved, "%s/%s: %s %s", peal_collective_name(checks[i].collective), checks[i].algorithm, v->reason,
                  v->finding_count > 0 ? v->findings[0].message : "");
        cr_expect_gt(v->runs, 0);
        cr_expect(strstr(v->bound, "1") == v->bound, "%s", v->bound);
    }
    free(checks);
    free(verdicts);
}

/* A binomial tree of four rounds is a broadcast to 16 nodes. */
Test(check, looks_beyond_its_bound_at_some_cases, .timeout = 60)
{
    struct peal_check check = {.collective = PEAL_BROADCAST,
                               .file = PROGRAMS "/right_to_16.c",
                               .symbol = "my_broadcast",
                               .nodes_from = 1,
                               .nodes_to = 16,
                               .timeout_seconds = 2};
    struct peal_verdict verdict;
    struct peal_error error;

    cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK, "%s", error.text);
    cr_expect(verdict.proved, "%s", verdict.reason);
    cr_expect_str_eq(verdict.bound, "1..16");
    cr_expect_str_eq(verdict.beyond, "");
    check.beyond = true;
    cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK, "%s", error.text);
    cr_expect(!verdict.proved);
    cr_assert_gt(verdict.finding_count, 0);
    cr_expect_eq(verdict.findings[0].where.nodes, 17);
}

Test(check, distinguishes_proved_cases_from_larger_ones, .timeout = 60)
{
    struct peal_check check = {
        .collective = PEAL_REDUCE, .algorithm = "binomial", .nodes_from = 3, .nodes_to = 5, .beyond = true};
    struct peal_verdict verdict;
    struct peal_error error;

    cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK, "%s", error.text);
    cr_expect(verdict.proved, "%s", verdict.reason);
    cr_expect_str_eq(verdict.bound, "3..5");
    cr_expect_str_eq(verdict.beyond, "17, 24, 31..33");
}

Test(check, looks_no_further_where_a_receive_has_a_choice, .timeout = 60)
{
    struct peal_check check = {.collective = PEAL_BARRIER,
                               .file = PROGRAMS "/right_any_source.c",
                               .symbol = "my_barrier",
                               .nodes_from = 1,
                               .nodes_to = 4,
                               .beyond = true};
    struct peal_verdict verdict;
    struct peal_error error;

    cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK, "%s", error.text);
    cr_expect_str_eq(verdict.beyond, "");
}

/* One wrong function, and what must be found: several kinds may be, this one at this P and size first. */
struct wrong {
    char collective[20], file[32], symbol[20];
    enum peal_failure_kind kind;
    int nodes;
    size_t words;
    int root;
    bool commutes;
};

static struct peal_verdict
check_file(const char *collective, const char *file, const char *symbol, bool commutes, double seconds)
{
    char path[600];
    struct peal_check check = {.file = path,
                               .symbol = symbol,
                               .nodes_from = 1,
                               .nodes_to = 6,
                               .timeout_seconds = seconds,
                               .op = commutes ? PEAL_SUM_INT64 : NULL};
    struct peal_verdict verdict;
    struct peal_error error;

    snprintf(path, sizeof path, "%s/%s.c", PROGRAMS, file);
    cr_assert(peal_collective_find(collective, &check.collective));
    cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK, "%s", error.text);
    cr_assert_eq(verdict.error.status, PEAL_OK, "%s", verdict.error.text);
    return verdict;
}

ParameterizedTestParameters(check, finds_the_smallest_case_of_every_mistake)
{
    static struct wrong wrongs[] = {
        {"scatter", "wrong_partner", "my_scatter", PEAL_WRONG_RESULT, 2, 1, 0, false},
        {"scatter", "count_off_by_one", "my_scatter", PEAL_WRONG_RESULT, 2, 1, 0, false},
        {"scatter", "dropped_message", "my_scatter", PEAL_DEADLOCK, 2, 0, 0, false},
        {"broadcast", "short_when_long", "my_broadcast", PEAL_WRONG_RESULT, 5, 3, 1, false}, /* between 1 and 4 */
        {"scatter", "short_when_long", "my_scatter", PEAL_WRONG_RESULT, 2, 2, 0, false},
        {"scatter", "killed_when_short", "my_scatter", PEAL_CRASH, 3, 7, 0, false},
        {"scatter", "doubled_message", "my_scatter", PEAL_UNMATCHED_MESSAGE, 3, 0, 0, false},
        {"scatter", "root_is_0", "my_scatter", PEAL_DEADLOCK, 2, 0, 1, false},
        {"scatter", "not_at_the_root", "my_scatter", PEAL_WRONG_RESULT, 1, 1, 0, false},
        {"scatter", "missing_wait", "my_scatter", PEAL_LOST_REQUEST, 2, 0, 0, false},
        {"scatter", "too_long", "my_scatter", PEAL_TRUNCATION, 4, 0, 0, false},
        {"scatter", "next_of_the_last", "my_scatter", PEAL_BAD_RANK, 5, 0, 0, false},
        {"scatter", "writes_beyond", "my_scatter", PEAL_OUT_OF_BOUNDS, 1, 0, 0, false},
        {"allgather", "copies_beyond", "my_allgather", PEAL_OUT_OF_BOUNDS, 1, 0, 0, false},
        {"scatter", "ends_the_process", "my_scatter", PEAL_CRASH, 3, 0, 0, false},
        {"scatter", "null_pointer", "my_scatter", PEAL_CRASH, 4, 0, 0, false},
        {"scatter", "loops_for_ever", "my_scatter", PEAL_TIMED_OUT, 3, 0, 0, false},
        {"reduce", "swapped_operands", "my_reduce", PEAL_NONCOMMUTATIVE_ORDER, 2, 1, 0, false},
        {"reduce", "added_twice", "my_reduce", PEAL_WRONG_RESULT, 5, 1, 0, true},
        {"reduce", "powers_of_two_only", "my_reduce", PEAL_DEADLOCK, 3, 0, 0, false},
        {"reduce", "plus_of_its_own", "my_reduce", PEAL_WRONG_RESULT, 2, 1, 0, true},
        {"reduce", "spoils_the_others", "my_reduce", PEAL_WRONG_RESULT, 4, 1, 0, false},
        {"shift", "unbuffered_exchange", "my_shift", PEAL_DEADLOCK_IF_UNBUFFERED, 1, 0, 0, false},
        {"gather", "any_source_gather", "my_gather", PEAL_ORDER_DEPENDENT, 3, 1, 0, false},
        {"barrier", "leaves_early", "my_barrier", PEAL_WRONG_RESULT, 3, 0, 0, false},
    };

    return cr_make_param_array(struct wrong, wrongs, sizeof wrongs / sizeof *wrongs);
}

ParameterizedTest(struct wrong *wrong, check, finds_the_smallest_case_of_every_mistake, .timeout = 120)
{
    struct peal_verdict verdict = check_file(wrong->collective, wrong->file, wrong->symbol, wrong->commutes, 2);
    const struct peal_finding *found = NULL;

    cr_expect(!verdict.proved, "%s", wrong->file);
    for (int i = 0; i < verdict.finding_count; i++) {
        if (verdict.findings[i].kind == wrong->kind)
            found = &verdict.findings[i];
        cr_expect_geq(verdict.findings[i].where.nodes, wrong->nodes, "%s: %s", wrong->file,
                      verdict.findings[i].message);
    }
    cr_assert(found, "%s: not found as %s", wrong->file, peal_failure_name(wrong->kind));
    cr_expect(found->where.nodes == wrong->nodes && found->where.words == wrong->words &&
                  found->where.root == wrong->root && found->severity == PEAL_SEVERITY_ERROR,
              "%s: %s, %s", wrong->file, found->message, found->rerun);
}

struct right {
    char collective[20], file[32], symbol[20];
    bool commutes, proved;
};

ParameterizedTestParameters(check, refutes_nothing_that_is_right)
{
    static struct right rights[] = {
        {"scatter", "right_scatter", "my_scatter", false, true},
        {"reduce", "right_reduce", "my_reduce", false, true},
        {"reduce", "right_reduce", "my_reduce", true, true},
        {"reduce", "swapped_operands", "my_reduce", true, true},    /* where the operator commutes */
        {"barrier", "right_any_source", "my_barrier", false, true}, /* in every order of arrival */
        {"barrier", "right_large_frame", "my_barrier", false, true},
    };

    return cr_make_param_array(struct right, rights, sizeof rights / sizeof *rights);
}

ParameterizedTest(struct right *right, check, refutes_nothing_that_is_right, .timeout = 120)
{
    struct peal_verdict verdict = check_file(right->collective, right->file, right->symbol, right->commutes, 30);

    for (int i = 0; i < verdict.finding_count; i++)
        cr_expect(verdict.findings[i].severity != PEAL_SEVERITY_ERROR, "%s: %s", right->file,
                  verdict.findings[i].message);
    cr_expect_eq(verdict.proved, right->proved, "%s: %s", right->file, verdict.reason);
    cr_expect_str_eq(verdict.bound, "1..6");
}

Test(check, calls_nothing_proved_that_took_more_runs_than_allowed, .timeout = 60)
{
    struct peal_check check = {.collective = PEAL_BARRIER,
                               .file = PROGRAMS "/right_any_source.c",
                               .symbol = "my_barrier",
                               .nodes_from = 1,
                               .nodes_to = 9,
                               .max_runs = 300};
    struct peal_verdict verdict;
    struct peal_error error;

    cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK, "%s", error.text);
    cr_expect(!verdict.proved);
    cr_expect_str_eq(verdict.bound, "1..4");
    cr_expect(strstr(verdict.reason, "P = 5"), "%s", verdict.reason);
}

Test(check, runs_one_order_of_arrival_again, .timeout = 60)
{
    struct peal_check check = {.collective = PEAL_GATHER,
                               .file = PROGRAMS "/any_source_gather.c",
                               .symbol = "my_gather",
                               .nodes_from = 4,
                               .nodes_to = 4,
                               .has_root = true,
                               .has_words = true,
                               .words = 1,
                               .has_ports = true,
                               .ports = 1,
                               .has_delivery = true};
    struct peal_verdict found, again;
    struct peal_error error;

    cr_assert_eq(peal_check(&check, 1, 1, &found, &error), PEAL_OK, "%s", error.text);
    cr_assert_eq(found.finding_count, 1);
    cr_assert_gt(found.findings[0].choice_count, 0);
    check.choices = found.findings[0].choices;
    check.choice_count = found.findings[0].choice_count;
    cr_assert_eq(peal_check(&check, 1, 1, &again, &error), PEAL_OK, "%s", error.text);
    cr_expect_eq(again.runs, 2, "this order, and one that is right");
    cr_assert_eq(again.finding_count, 1);
    cr_expect_eq(again.findings[0].kind, found.findings[0].kind);
    cr_expect_str_eq(again.findings[0].message, found.findings[0].message);
    check.choices = (int[]){1, 2};
    check.choice_count = 2;
    cr_assert_eq(peal_check(&check, 1, 1, &again, &error), PEAL_OK, "%s", error.text);
    cr_expect(again.finding_count == 1 && again.findings[0].severity != PEAL_SEVERITY_ERROR && !again.proved,
              "right, which proves nothing");
    check.choices = (int[]){1, 1};
    cr_assert_eq(peal_check(&check, 1, 1, &again, &error), PEAL_OK, "%s", error.text);
    cr_expect_eq(again.error.status, PEAL_USAGE, "node 1 has sent only once");
}

/* Check a function of in_place.c on 1 to 5 nodes. */
static struct peal_verdict
check_places(const char *call, const char *symbol, enum peal_check_buffers buffers)
{
    struct peal_check check = {
        .file = PROGRAMS "/in_place.c", .symbol = symbol, .buffers = buffers, .nodes_from = 1, .nodes_to = 5};
    struct peal_verdict verdict;
    struct peal_error error;

    cr_assert(peal_call_find(call, &check.collective, &check.unequal));
    cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK, "%s", error.text);
    cr_assert_eq(verdict.error.status, PEAL_OK, "%s", verdict.error.text);
    return verdict;
}

struct place {
    char call[20], symbol[24];
    int nodes; /* of the smallest case that is wrong in place; 0: none */
};

ParameterizedTestParameters(check, tells_what_is_wrong_in_place_alone)
{
    static struct place places[] = {
        {"allgather", "clears_first", 1},     {"reduce-scatter", "combines_at_once", 2},
        {"scatter", "scatters", 0},           {"gather", "gathers_shifted", 2},
        {"allgather", "ends_the_process", 2}, {"scatterv", "scatters_unequal", 0},
        {"allgatherv", "clears_unequal", 1},
    };

    return cr_make_param_array(struct place, places, sizeof places / sizeof *places);
}

ParameterizedTest(struct place *place, check, tells_what_is_wrong_in_place_alone, .timeout = 120)
{
    struct peal_verdict usual = check_places(place->call, place->symbol, PEAL_BUFFERS_DEFAULT);
    struct peal_verdict both = check_places(place->call, place->symbol, PEAL_BUFFERS_BOTH);
    int reported = 0;

    cr_expect(usual.proved, "%s: %s", place->symbol, usual.reason);
    cr_expect_str_eq(usual.bound, "1..5");
    cr_expect_eq(both.proved, place->nodes == 0, "%s", place->symbol);
    for (int i = 0; i < usual.finding_count; i++)
        if (usual.findings[i].where.in_place) {
            reported++;
            cr_expect(usual.findings[i].severity != PEAL_SEVERITY_ERROR &&
                          usual.findings[i].where.nodes == place->nodes,
                      "%s: %s", place->symbol, usual.findings[i].message);
        }
    cr_expect_eq(reported, place->nodes > 0, "%s: %d", place->symbol, reported);
    cr_expect(check_places(place->call, place->symbol, PEAL_BUFFERS_SEPARATE).proved, "%s", place->symbol);
}

Test(check, goes_over_unequal_blocks, .timeout = 60)
{
    struct peal_verdict verdict = check_places("scatterv", "scatters_as_the_first", PEAL_BUFFERS_DEFAULT);

    cr_assert_gt(verdict.finding_count, 0);
    cr_expect(!verdict.proved && verdict.findings[0].severity == PEAL_SEVERITY_ERROR &&
                  verdict.findings[0].where.nodes == 3 && verdict.findings[0].where.size_count == 3,
              "%s", verdict.findings[0].message);
}

Test(check, makes_limits_errors, .timeout = 60)
{
    struct peal_check check = {.collective = PEAL_SCATTER,
                               .algorithm = "linear",
                               .nodes_from = 1,
                               .nodes_to = 5,
                               .has_ports = true,
                               .ports = 1,
                               .max_rounds = "ceil(log2(P))",
                               .max_words = "m*(P-1)"};
    struct peal_verdict verdict;
    struct peal_error error;

    cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK, "%s", error.text);
    cr_assert_eq(verdict.finding_count, 1);
    cr_expect_eq(verdict.findings[0].kind, PEAL_EXCESS_ROUNDS);
    cr_expect(verdict.findings[0].severity == PEAL_SEVERITY_ERROR);
    cr_expect_eq(verdict.findings[0].where.nodes, 4);
    cr_expect(!verdict.proved);
}

/* An algorithm's closed form, and the coefficient that is reported one too high. */
static struct {
    void (*cost)(struct closed *sum);
    enum coefficient { ALPHA, BETA, HOP, TAU } wrong;
    int by;
} form;

static void
wrong_form(struct closed *sum)
{
    form.cost(sum);
    switch (form.wrong) {
    case ALPHA:
        sum->cost.alpha += form.by;
        break;
    case BETA:
        sum->cost.beta += form.by;
        break;
    case HOP:
        sum->cost.hop += sum->situation->switching == PEAL_WORMHOLE ? form.by : 0;
        break;
    case TAU:
        sum->cost.tau += form.by;
        break;
    }
}

struct spoilt {
    char algorithm[20];
    enum coefficient wrong;
    int by;
    enum peal_failure_kind kind;
};

ParameterizedTestParameters(check, holds_the_charge_against_the_closed_form)
{
    static struct spoilt all[] = {
        {"rda", ALPHA, 1, PEAL_EXCESS_ROUNDS}, {"rda", ALPHA, -1, PEAL_EXCESS_ROUNDS},
        {"rda", BETA, 1, PEAL_EXCESS_WORDS},   {"rda", BETA, -1, PEAL_EXCESS_WORDS},
        {"rda", HOP, 1, PEAL_EXCESS_WORDS},    {"rda", HOP, -1, PEAL_EXCESS_WORDS},
        {"linear", TAU, 1, PEAL_EXCESS_WORDS},
    };

    return cr_make_param_array(struct spoilt, all, sizeof all / sizeof *all);
}

/* The catalogue is constant: its page is made writable. */
ParameterizedTest(struct spoilt *spoilt, check, holds_the_charge_against_the_closed_form, .timeout = 60)
{
    struct peal_algorithm *algorithm =
        (struct peal_algorithm *)(uintptr_t)peal_algorithm_find(PEAL_SCATTER, spoilt->algorithm);
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)algorithm / page * page;
    struct peal_check check = {
        .collective = PEAL_SCATTER, .algorithm = spoilt->algorithm, .nodes_from = 4, .nodes_to = 4};
    struct peal_verdict verdict;
    struct peal_error error;

    cr_assert_eq(mprotect((void *)begin, (uintptr_t)(algorithm + 1) - begin, PROT_READ | PROT_WRITE), 0);
    form.cost = algorithm->cost, form.wrong = spoilt->wrong, form.by = spoilt->by;
    algorithm->cost = wrong_form;
    cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK, "%s", error.text);
    cr_assert_eq(verdict.finding_count, 1);

    const struct peal_finding *found = &verdict.findings[0];

    cr_expect_eq(found->kind, spoilt->kind, "%s", found->message);
    cr_expect(found->severity == PEAL_SEVERITY_ERROR && strstr(found->message, "closed form"), "%s", found->message);
    cr_expect_eq(found->where.switching, spoilt->wrong == HOP ? PEAL_WORMHOLE : PEAL_IDEAL);
    cr_expect_eq(strstr(found->rerun, "--switching wormhole") != NULL, spoilt->wrong == HOP, "%s", found->rerun);
}

Test(check, names_the_nodes_that_were_reached, .timeout = 60)
{
    struct peal_check check = {.nodes_from = 1, .nodes_to = 9, .has_delivery = true};
    const struct peal_algorithm *algorithm;
    struct peal_verdict verdict;
    struct peal_error error;

    for (int i = 0; (algorithm = peal_algorithm_get(i)) && !algorithm->needs.power_of_two;)
        i++;
    cr_assert(algorithm);
    check.collective = algorithm->collective;
    check.algorithm = algorithm->name;
    cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK, "%s", error.text);
    cr_expect(verdict.proved, "%s", verdict.reason);
    cr_expect_str_eq(verdict.bound, "1, 2, 4, 8");
}

/* Refused with a usage error that says `about`. */
static void
expect_refused(const struct peal_check *check, const char *about)
{
    struct peal_verdict verdict;
    struct peal_error error;

    cr_expect_eq(peal_check(check, 1, 1, &verdict, &error), PEAL_USAGE);
    cr_expect(strstr(error.text, about), "%s", error.text);
}

Test(check, refuses_impossible_requests, .timeout = 60)
{
    struct peal_check check = {.collective = PEAL_SCATTER, .algorithm = "linear", .nodes_from = 0, .nodes_to = 5};

    expect_refused(&check, "nodes");
    check = (struct peal_check){.collective = PEAL_SCATTER, .algorithm = "nobody", .nodes_from = 1, .nodes_to = 5};
    expect_refused(&check, "nobody");
    check = (struct peal_check){
        .collective = PEAL_SCATTER, .algorithm = "linear", .nodes_from = 3, .nodes_to = 5, .has_root = true, .root = 3};
    expect_refused(&check, "root 3");
    check = (struct peal_check){.collective = PEAL_SCATTER, .file = "f.c", .nodes_from = 1, .nodes_to = 5};
    expect_refused(&check, "--symbol");
    check.symbol = "a b";
    expect_refused(&check, "a b");
    check.symbol = "f";
    check.max_words = "m*(P-1";
    expect_refused(&check, ") is missing");
}

Test(check, says_that_a_file_does_not_compile, .timeout = 60)
{
    char path[600];
    struct peal_check check = {
        .collective = PEAL_GATHER, .file = path, .symbol = "my_barrier", .nodes_from = 1, .nodes_to = 2};
    struct peal_verdict verdict;
    struct peal_error error;

    snprintf(path, sizeof path, "%s/leaves_early.c", PROGRAMS); /* of another type */
    cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK);
    cr_expect_eq(verdict.error.status, PEAL_PROGRAM);
    cr_expect(strstr(verdict.error.text, path), "%s", verdict.error.text);
    snprintf(path, sizeof path, "%s/not_there.c", PROGRAMS);
    cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK);
    cr_expect_eq(verdict.error.status, PEAL_PROGRAM);
    cr_expect(strstr(verdict.error.text, "cannot be read"), "%s", verdict.error.text);
}

struct sum {
    char text[40];
    double value;
};

ParameterizedTestParameters(check, gives_expressions_their_values)
{
    static struct sum sums[] = {
        {"7", 7},        {"ceil(log2(P))", 4}, {"q", 4},          {"m * (P - 1)", 24}, {"2+3*4", 14},
        {"(2+3)*4", 20}, {"10-2-3", 5},        {"-3+P", 6},       {"2^q", 16},         {"min(m, n)", 3},
        {"n/P", 3},      {"max(1,P)%4", 1},    {"floor(7/2)", 3}, {"sqrt(P)", 3},
    };

    return cr_make_param_array(struct sum, sums, sizeof sums / sizeof *sums);
}

ParameterizedTest(struct sum *sum, check, gives_expressions_their_values, .timeout = 10)
{
    struct peal_check_values values = {.P = 9, .m = 3, .n = 27, .q = 4};
    struct peal_error error;
    double value = -1;

    cr_expect_eq(peal_check_expression(sum->text, values, &value, &error), PEAL_OK, "%s", sum->text);
    cr_expect_eq(value, sum->value, "%s: %g", sum->text, value);
}

Test(check, refuses_what_is_not_an_expression, .timeout = 10)
{
    static const char *const wrong[] = {"", "x", "2+", "(2", "log(P)", "min(2)", "2 3", "1/0", "log2(P-9)", "P P"};
    struct peal_check_values values = {.P = 9, .m = 3, .n = 27, .q = 4};
    struct peal_error error;
    double value = 5;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_expect_eq(peal_check_expression(wrong[i], values, &value, &error), PEAL_USAGE, "%s", wrong[i]);
        cr_expect_eq(value, 5);
    }
}

/* ------------------------------------------------------------------ loaded programs */

Test(check, a_loaded_program_is_explored_in_every_order_of_each_number_of_nodes, .timeout = 120)
{
    static struct peal_verdict verdict;
    struct peal_error error;
    struct peal_program_file *file = peal_program_load(PROGRAMS "/hangs_on_one_order.c", 4, NULL, &error);
    struct peal_options machine;
    struct peal_check check = {.collective = PEAL_COLLECTIVES,
                               .program = true,
                               .file = PROGRAMS "/hangs_on_one_order.c",
                               .loaded = file,
                               .machine = &machine,
                               .rerun_options = " --seed=3",
                               .nodes_from = 3,
                               .nodes_to = 4};

    cr_assert(file, "%s", error.text);
    cr_assert(freopen("/dev/null", "r", stdin));
    peal_options_init(&machine);
    cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK, "%s", error.text);
    cr_assert_eq(verdict.finding_count, 1);
    const struct peal_finding *found = &verdict.findings[0];

    cr_expect_eq(found->kind, PEAL_ORDER_DEPENDENT, "%s", found->message);
    cr_expect_eq(found->severity, PEAL_SEVERITY_ERROR);
    cr_expect(found->where.nodes == 3 && found->line == 10, "P = %d, line %d", found->where.nodes, found->line);
    cr_expect_str_eq(found->rerun, "-p 3 --seed=3 --choices 2");
    cr_expect(!verdict.proved && verdict.runs == 4, "%d runs", (int)verdict.runs);
    check.choices = (const int[]){1};
    check.choice_count = 1;
    check.nodes_to = 3;
    cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK, "%s", error.text);
    cr_expect(verdict.finding_count == 0 && !verdict.proved, "one order proves nothing");
    cr_expect(strstr(verdict.reason, "only one order"), "%s", verdict.reason);
    peal_program_destroy(file);
}
