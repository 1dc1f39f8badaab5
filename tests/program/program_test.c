/* SPDX-License-Identifier: MIT */
/* Programs in files, from the outside: their output and their ends. */
#include "helpers.h"

/* ------------------------------------------------------------------ output */

Test(program, output_comes_in_whole_lines_in_rank_order, .timeout = 20)
{
    expect_lines(printed("writes.c", (struct run){.nodes = 4}, NULL), 4);
}

Test(program, output_is_the_same_when_the_compiler_fortifies, .timeout = 20)
{
    struct run run = {.nodes = 4, .flags = "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"};

    expect_lines(printed("writes.c", run, NULL), 4);
}

Test(program, jumps_up_a_nodes_own_stack_are_right_when_the_compiler_fortifies, .timeout = 60)
{
    static const char *const flags[] = {"-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2",
                                        "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3"};
    static const char *const engines[] = {"threads", "auto"};

    for (int i = 0; i < 4; i++) {
        struct run run = {.nodes = 1030, .flags = flags[i / 2], .engine = engines[i % 2], .argv = {"jumps"}};
        struct peal_failure failure;

        if (i % 2 == 0)
            run.nodes = 3; /* so many are fibers, where there are any */
        const char *text = printed("jumps.c", run, NULL);

        for (int rank = 0; rank < run.nodes; rank++, text = strchr(text, '\n') + 1)
            cr_assert(strncmp(text, "3 jumps\n", 8) == 0, "%s, engine %s: %.80s", run.flags, run.engine, text);
        cr_expect_str_empty(text);
        run.argv[1] = "crash";
        cr_expect_str_empty(printed("jumps.c", run, &failure));
        cr_expect(strstr(failure.message, "node 1 crashed: abort"), "%s", failure.message);
    }
}

static void
fault(void)
{
    abort();
}

Test(program, a_crash_in_the_command_or_the_library_has_the_line_of_the_program, .timeout = 20)
{
    struct peal_failure failure;
    char address[32];

    snprintf(address, sizeof address, "%llx", (unsigned long long)(uintptr_t)fault);
    printed("calls_out.c", (struct run){.nodes = 2, .argv = {"calls_out", address}}, &failure);
    cr_expect(strstr(failure.message, "crashed: abort"), "%s", failure.message);
    cr_expect(strstr(failure.file, "/calls_out.c") && failure.line == 11, "%s:%d", failure.file, failure.line);
}

Test(program, output_is_the_same_without_optimisation, .timeout = 20)
{
    expect_lines(printed("writes.c", (struct run){.nodes = 4, .flags = "-O0"}, NULL), 4);
}

Test(program, every_redirected_call_has_its_replacement, .timeout = 20)
{
    cr_expect_str_eq(printed("every_name.c", (struct run){.nodes = 2}, NULL), "0abcc\n1abcc\n");
}

Test(program, tagged_lines_name_their_node, .timeout = 20)
{
    cr_expect_str_eq(printed("counter.c", (struct run){.nodes = 3, .tag = true}, NULL), "0: 10\n1: 11\n2: 12\n");
}

/* ------------------------------------------------------------------ chance */

Test(program, rand_is_the_nodes_own_and_comes_from_the_machines_seed, .timeout = 30)
{
    static char first[1 << 16];
    int same = 0;

    strcpy(first, printed("chance.c", (struct run){.nodes = 3}, NULL));
    cr_expect_str_eq(printed("chance.c", (struct run){.nodes = 3}, NULL), first, "two runs differ");
    cr_expect_str_neq(printed("chance.c", (struct run){.nodes = 3, .seed = 1}, NULL), first, "the seed does nothing");
    for (char *line = first; *line; line = strchr(line, '\n') + 1) /* no line is a duplicate */
        for (char *other = first; *other; other = strchr(other, '\n') + 1)
            same += strcspn(line, "\n") == strcspn(other, "\n") && strncmp(line, other, strcspn(line, "\n")) == 0;
    cr_expect_eq(same, 9, "%s", first);
}

Test(program, srand_gives_every_node_the_numbers_of_the_c_library, .timeout = 20)
{
    static char expected[2000];
    int length = 0;

    srand(42);
    srand48(42);
    for (int i = 0; i < 3; i++) {
        int r = rand();
        long s = random(), l = lrand48(), m = mrand48();
        double d = drand48();

        for (int rank = 0; rank < 3; rank++)
            length +=
                snprintf(expected + length, sizeof expected - (size_t)length, "%d %ld %ld %ld %.17g\n", r, s, l, m, d);
    }
    cr_expect_str_eq(printed("chance.c", (struct run){.nodes = 3, .argv = {"chance", "42"}}, NULL), expected);
}

Test(program, rand_does_not_move_peal_random, .timeout = 20)
{
    static char without[1000];

    strcpy(without, printed("drawing.c", (struct run){.nodes = 3, .seed = 5}, NULL));
    cr_expect_str_eq(printed("drawing.c", (struct run){.nodes = 3, .seed = 5, .argv = {"drawing", "x"}}, NULL),
                     without);
}

Test(program, a_function_of_the_programs_own_hides_the_c_librarys, .timeout = 20)
{
    cr_expect_str_eq(printed("own_names.c", (struct run){.nodes = 2}, NULL), "4 0\n4 1\n");
}

/* ------------------------------------------------------------------ ends, arguments */

/* The last takes no status. */
static char exits[][16] = {"exit", "_exit", "_Exit", "quick_exit", "pthread_exit"};

Test(program, exit_0_ends_the_node_alone, .timeout = 20)
{
    for (int i = 0; i < 5; i++)
        cr_expect_str_eq(printed("ends.c", (struct run){.nodes = 3, .argv = {"ends", "1", exits[i], "0"}}, NULL),
                         "exits\nreturns\nreturns\n", "%s", exits[i]);
}

Test(program, exit_with_another_status_fails_the_run, .timeout = 20)
{
    struct peal_failure failure;

    for (int i = 0; i < 4; i++) {
        printed("ends.c", (struct run){.nodes = 3, .argv = {"ends", "1", exits[i], "3"}}, &failure);
        cr_expect_eq(failure.status, PEAL_FAILED);
        cr_expect_eq(failure.rank, 1);
        cr_expect(strstr(failure.message, "exit(3)"), "%s: %s", exits[i], failure.message);
    }
}

Test(program, an_array_larger_than_the_stack_is_reported_as_such, .timeout = 20)
{
    static char engines[][8] = {"threads", "fibers"};
    struct peal_failure failure;

    for (int i = 0; i < 2; i++) {
        if (i == 1 && !peal_fibers_built())
            continue;
        printed("large_frame.c", (struct run){.nodes = 4, .engine = engines[i]}, &failure);
        cr_expect_eq(failure.kind, PEAL_CRASH, "%s", engines[i]);
        cr_expect_eq(failure.rank, 2, "%s", engines[i]);
        cr_expect(strstr(failure.message, "KiB overflowed: peal run --stack gives it more"), "%s: %s", engines[i],
                  failure.message);
    }
}

Test(program, arguments_and_strtok_are_the_nodes_own, .timeout = 20)
{
    char word[] = "word", more[] = "more"; /* may be written, so that a shared argv would be found */

    cr_expect_str_eq(printed("arguments.c", (struct run){.nodes = 3, .argv = {"arguments", word, more}}, NULL),
                     "3 [0ord] [more] 0 y z\n3 [1ord] [more] 1 y z\n3 [2ord] [more] 2 y z\n");
    cr_expect_str_eq(word, "word");
}

Test(program, without_arguments_argv_is_the_files_name, .timeout = 20)
{
    struct peal_failure failure;

    printed("arguments.c", (struct run){.nodes = 1}, &failure);
    cr_expect(strstr(failure.message, "argv has no end"), "argc is not 1: %s", failure.message);
}

Test(program, a_machine_with_more_nodes_than_loaded_for_is_a_failure, .timeout = 20)
{
    struct peal_program_file *file = load("counter.c", 2, 0, NULL);
    struct peal_options options;
    struct peal_error error;

    peal_options_init(&options);
    options.nodes = 3;
    struct peal_machine *machine = peal_machine_create(&options, &error);
    cr_assert(machine, "%s", error.text);
    const struct peal_failure *failure = peal_program_run(machine, file);
    cr_assert(failure);
    cr_expect_eq(failure->kind, PEAL_BAD_SIZE);
    cr_expect(strstr(failure->message, "2 nodes") && strstr(failure->message, "3"), "%s", failure->message);
    peal_machine_destroy(machine);
    peal_program_destroy(file);
}
