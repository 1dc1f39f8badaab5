/* SPDX-License-Identifier: MIT */
/* peal_exercise: given inputs and outputs to the byte, data that is wrong, and everything it refuses. */
#include "harness.h"
#include "lib/machine/host.h"
#include "lib/machine/machine.h"
#include "lib/machine/sanitize.h"
#include <criterion/criterion.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *
bytes_of(size_t count)
{
    unsigned char *bytes = malloc(count + 1);

    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 251);
    return bytes;
}

static struct peal_machine *
machine_of(int nodes, const char *topology)
{
    struct peal_options options = options_for(nodes, topology);
    struct peal_error error;
    struct peal_machine *machine = peal_machine_create(&options, &error);

    cr_assert_not_null(machine, "%s", error.text);
    return machine;
}

/* Move `count` bytes and expect them back. */
static void
expect_round_trip(enum peal_collective collective, const char *algorithm, int nodes, size_t count, int root)
{
    struct peal_machine *machine = machine_of(nodes, "line");
    unsigned char *input = bytes_of(count), *output = malloc(count + 1);
    size_t words = (count + 7) / 8, m = (words + (size_t)nodes - 1) / (size_t)nodes;
    struct peal_exercise exercise = {.collective = collective,
                                     .algorithm = algorithm,
                                     .root = root,
                                     .words = collective == PEAL_BROADCAST ? words : m,
                                     .input = input,
                                     .input_bytes = count,
                                     .output = output};
    struct peal_outcome outcome;
    struct peal_error error;

    memset(output, 0x5a, count + 1);
    cr_assert_eq(peal_exercise(machine, &exercise, &outcome, &error), PEAL_OK, "%s", error.text);
    cr_expect(outcome.verified);
    cr_expect_eq(memcmp(input, output, count), 0, "%s P=%d of %zu bytes", peal_collective_name(collective), nodes,
                 count);
    cr_expect_eq(output[count], 0x5a, "wrote beyond");
    free(input);
    free(output);
    peal_machine_destroy(machine);
}

Test(exercise, returns_a_file_to_the_byte, .timeout = 60)
{
    for (int nodes = 1; nodes <= 9; nodes++)
        for (size_t count = 0; count < 200; count += 1 + count / 3) {
            expect_round_trip(PEAL_SCATTER, NULL, nodes, count, nodes / 2);
            expect_round_trip(PEAL_SCATTER, "rda", nodes, count, 0);
            expect_round_trip(PEAL_GATHER, NULL, nodes, count, nodes - 1);
            expect_round_trip(PEAL_BROADCAST, NULL, nodes, count, nodes - 1);
            expect_round_trip(PEAL_ALLGATHER, NULL, nodes, count, 0);
        }
}

Test(exercise, shows_the_scatter_when_the_blocks_were_gathered_back, .timeout = 10)
{
    struct peal_machine *machine = machine_of(4, "full");
    int64_t input[8] = {1, 2, 3, 4, 5, 6, 7, 8}, output[8];
    struct peal_exercise exercise = {
        .collective = PEAL_SCATTER, .words = 2, .input = input, .input_bytes = sizeof input, .output = output};
    struct peal_outcome outcome;
    struct peal_error error;
    struct peal_cost cost;

    cr_assert_eq(peal_exercise(machine, &exercise, &outcome, &error), PEAL_OK);
    cost = peal_machine_cost(machine);
    cr_expect(cost.alpha == 2 && cost.beta == 6);
    cr_expect_eq(peal_machine_schedule(machine)->rounds[0].count, 1);
    cr_expect_eq(peal_machine_schedule(machine)->transfers[0].from, 0);
    cr_expect_eq(outcome.block_words, 2);
    cr_expect_eq(outcome.vector_words, 8);
    peal_machine_destroy(machine);
}

/* ------------------------------------------------------------------ refusals */

static void
expect_refused(int nodes, struct peal_exercise exercise, const char *part)
{
    struct peal_machine *machine = machine_of(nodes, "full");
    struct peal_outcome outcome;
    struct peal_error error = {0};

    cr_expect_eq(peal_exercise(machine, &exercise, &outcome, &error), PEAL_USAGE, "%s", error.text);
    cr_expect_not_null(strstr(error.text, part), "'%s' not in '%s'", part, error.text);
    cr_expect_not(outcome.verified);
    cr_expect_eq(outcome.nodes_correct, -1);
    peal_machine_destroy(machine);
}

Test(exercise, refuses_a_root_out_of_range, .timeout = 10)
{
    expect_refused(4, (struct peal_exercise){.collective = PEAL_SCATTER, .root = 4}, "ranks are 0 to 3");
    expect_refused(4, (struct peal_exercise){.collective = PEAL_REDUCE, .root = -1}, "root -1");
}

Test(exercise, refuses_an_unknown_algorithm_and_one_that_does_not_fit, .timeout = 10)
{
    expect_refused(4, (struct peal_exercise){.collective = PEAL_GATHER, .algorithm = "rda-smaller"},
                   "it has binomial, linear, rda");
    expect_refused(4, (struct peal_exercise){.collective = PEAL_GATHER, .algorithm = "rda"}, "this one is full");
    expect_refused(4, (struct peal_exercise){.collective = PEAL_REDUCE_SCATTER, .algorithm = "ring", .op = PEAL_AFFINE},
                   "commutative");
    expect_refused(
        4, (struct peal_exercise){.collective = PEAL_REDUCE, .algorithm = "chain", .root = 1, .op = PEAL_AFFINE},
        "needs root 0 or a commutative operator");
}

Test(exercise, refuses_sizes_that_overflow, .timeout = 10)
{
    expect_refused(4, (struct peal_exercise){.collective = PEAL_SCATTER, .words = SIZE_MAX}, "memory");
    expect_refused(4, (struct peal_exercise){.collective = PEAL_SCATTER, .words = SIZE_MAX / 8}, "memory");
    expect_refused(4, (struct peal_exercise){.collective = PEAL_ALLGATHER, .words = (size_t)1 << 57}, "memory");
    expect_refused(4, (struct peal_exercise){.collective = PEAL_BROADCAST, .words = (size_t)1 << 60}, "memory");
}

Test(exercise, refuses_files_where_data_is_generated, .timeout = 10)
{
    int64_t x = 0;

    expect_refused(4, (struct peal_exercise){.collective = PEAL_REDUCE, .words = 1, .input = &x, .input_bytes = 8},
                   "is generated");
    expect_refused(4, (struct peal_exercise){.collective = PEAL_ALLREDUCE, .words = 1, .output = &x}, "is generated");
    expect_refused(4, (struct peal_exercise){.collective = PEAL_BARRIER, .input = &x, .input_bytes = 8}, "generated");
}

Test(exercise, refuses_an_input_longer_than_the_words, .timeout = 10)
{
    int64_t x[5] = {0};

    expect_refused(4, (struct peal_exercise){.collective = PEAL_SCATTER, .words = 1, .input = x, .input_bytes = 33},
                   "33 bytes");
    expect_refused(4, (struct peal_exercise){.collective = PEAL_BROADCAST, .words = 1, .input = x, .input_bytes = 9},
                   "9 bytes");
}

Test(exercise, refuses_operators_on_other_words, .timeout = 10)
{
    struct peal_options options = options_for(4, "full");
    struct performance run;

    options.word_bytes = 4;
    perform(&run, &options, "reduce", NULL, 1, 0, NULL);
    cr_expect_eq(run.status, PEAL_USAGE);
    cr_expect_not_null(strstr(run.error.text, "8 bytes"), "%s", run.error.text);
    performance_fini(&run);
}

/* ------------------------------------------------------------------ what goes wrong */

static void
subtract(const void *left, const void *right, void *result, size_t words)
{
    const int64_t *l = left, *r = right;
    int64_t *x = result;

    for (size_t i = 0; i < words; i++)
        x[i] = l[i] - r[i];
}

/* Not associative: a tree gets something else than one after the other does. */
static const struct peal_op difference = {.name = "difference", .word_bytes = 8, .combine = subtract};

Test(exercise, finds_data_that_is_wrong, .timeout = 10)
{
    struct peal_options options = options_for(4, "full");
    struct performance run;

    perform(&run, &options, "reduce", "binomial", 3, 2, &difference);
    cr_expect_eq(run.status, PEAL_FAILED);
    cr_expect_not(run.outcome.verified);
    cr_expect_eq(run.outcome.nodes_correct, 3, "the root alone is wrong");
    cr_expect_eq(strncmp(run.outcome.wrong, "node 2, word 0: is ", 19), 0, "%s", run.outcome.wrong);
    cr_expect_not_null(strstr(run.error.text, "reduce/binomial: node 2, word 0"), "%s", run.error.text);
    cr_expect(run.outcome.closed_form_equal, "its cost is right all the same");
    performance_fini(&run);

    perform(&run, &options, "reduce", "linear", 3, 0, &difference); /* one after the other: right */
    cr_expect_eq(run.status, PEAL_OK, "%s", run.error.text);
    performance_fini(&run);

    perform(&run, &options, "allreduce", "reduce-broadcast", 3, 0, &difference);
    cr_expect_eq(run.outcome.nodes_correct, 0);
    performance_fini(&run);
}

Test(exercise, reports_a_run_that_failed, .timeout = 10)
{
    struct peal_options options = options_for(8, "full");
    struct performance run;

    options.noncombining = true;
    perform(&run, &options, "gather", "binomial", 2, 0, NULL);
    cr_expect_eq(run.status, PEAL_FAILED);
    cr_expect_eq(run.outcome.nodes_correct, -1);
    cr_expect_not(run.outcome.verified);
    cr_expect_not(run.outcome.closed_form_equal);
    cr_expect_eq(peal_machine_failure(run.machine)->kind, PEAL_NONCOMBINING);
    cr_expect_str_eq(run.error.text, peal_machine_failure(run.machine)->message);
    performance_fini(&run);
}

Test(exercise, works_on_the_same_machine_again_and_without_an_error_to_fill, .timeout = 10)
{
    struct peal_machine *machine = machine_of(5, "full");
    struct peal_exercise exercise = {.collective = PEAL_ALLGATHER, .words = 2};
    struct peal_outcome outcome;

    for (int i = 0; i < 3; i++) {
        cr_expect_eq(peal_exercise(machine, &exercise, &outcome, NULL), PEAL_OK);
        cr_expect(outcome.verified && outcome.closed_form_equal);
    }
    exercise.algorithm = "none";
    cr_expect_eq(peal_exercise(machine, &exercise, &outcome, NULL), PEAL_USAGE);
    peal_machine_destroy(machine);
}

Test(exercise, runs_a_thousand_nodes, .timeout = 100)
{
    static const char *const collectives[] = {"scatter", "gather", "broadcast", "reduce", "barrier", "allreduce"};

    for (int i = 0; i < 6; i++) {
        struct performance run;

        perform_on(&run, "torus:32x32", 1024, collectives[i], i == 5 ? "reduce-broadcast" : NULL, 2, 0, 1);
        cr_expect(run.outcome.closed_form_equal, "%s", collectives[i]);
        performance_fini(&run);
    }
}

/* Run it on a machine whose nodes take turns on one stack, or have one each; the cost, all -1 where it does not fit. */
static struct peal_cost
cost_of(const struct peal_algorithm *algorithm, const struct peal_options *options, bool packed)
{
    struct peal_exercise exercise = {.collective = algorithm->collective, .algorithm = algorithm->name, .words = 3};
    const bool packs = peal_fibers_built() && !ADDRESS_SANITIZER && !THREAD_SANITIZER;
    struct peal_cost cost = {-1, -1, -1, -1};
    struct peal_outcome outcome;
    struct peal_error error;
    struct peal_machine *machine;

    peal_packed_from = packed ? 1 : INT_MAX;
    machine = peal_machine_create(options, &error);
    cr_assert_not_null(machine, "%s", error.text);
    enum peal_status status = peal_exercise(machine, &exercise, &outcome, &error);

    if (status != PEAL_USAGE) {
        cr_expect_eq(status, PEAL_OK, "%s on %d nodes, %s: %s", algorithm->name, options->nodes, options->topology,
                     error.text);
        cr_expect_eq(machine->stacks.packed, packed && packs);
        cost = peal_machine_cost(machine);
    }
    peal_machine_destroy(machine);
    return cost;
}

/* No algorithm sends from its stack, or receives there: its data would be another node's. */
Test(exercise, every_algorithm_runs_where_nodes_take_turns_on_one_stack, .timeout = 300)
{
    static const int sizes[] = {1, 4, 7, 8, 9};

    for (int i = 0; peal_algorithm_get(i) != NULL; i++) {
        const struct peal_algorithm *algorithm = peal_algorithm_get(i);
        const char *topology;
        int runs = 0;

        for (int s = 0; s < 5; s++)
            for (int n = 0; (topology = network_of(sizes[s], n)) != NULL; n++) {
                struct peal_options options = options_for(sizes[s], topology);

                options.ports = algorithm->needs.ports != 0 ? algorithm->needs.ports : 1;
                struct peal_cost apart = cost_of(algorithm, &options, false);
                struct peal_cost packed = cost_of(algorithm, &options, true);

                cr_expect_eq(memcmp(&apart, &packed, sizeof apart), 0, "%s on %d nodes", algorithm->name, sizes[s]);
                runs += apart.alpha >= 0;
            }
        cr_expect_gt(runs, 0, "%s", algorithm->name);
    }
}
