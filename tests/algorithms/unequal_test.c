/* SPDX-License-Identifier: MIT */
/* Blocks of unequal lengths: every algorithm of the catalogue that does not refuse them, for many lists of lengths,
 * with its data checked and the lower bound against what it cost. */
#include "harness.h"
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sanitizer takes several times as long, and finds what it finds on small machines. */
#ifdef __SANITIZE_ADDRESS__
enum { MAX_NODES = 6 };
#else
enum { MAX_NODES = 17 };
#endif

/* ------------------------------------------------------------------ lists of lengths */

struct lengths {
    size_t words[MAX_NODES * MAX_NODES];
    int count; /* the list is repeated */
    char name[40];
};

static uint64_t
next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* The i-th list for so many nodes; false after the last.  Random lists differ from node to node in an all-to-all. */
static bool
lengths_of(struct lengths *lengths, int nodes, int i)
{
    static const size_t small[][5] = {{0}, {1, 0}, {0, 2, 0}, {3, 0, 2, 7, 1}};
    static const int counts[] = {1, 2, 3, 5};
    uint64_t state = (uint64_t)i * 1000 + (uint64_t)nodes;

    memset(lengths, 0, sizeof *lengths);
    if (i < 4) {
        lengths->count = counts[i];
        memcpy(lengths->words, small[i], sizeof small[i]);
        snprintf(lengths->name, sizeof lengths->name, "repeated list %d", i);
        return true;
    }
    if (i < 7) { /* all in one block */
        lengths->count = nodes;
        lengths->words[i == 4 ? 0 : i == 5 ? nodes / 2 : nodes - 1] = 997;
        snprintf(lengths->name, sizeof lengths->name, "one giant, list %d", i);
        return true;
    }
    lengths->count = nodes * nodes;
    for (int b = 0; b < nodes * nodes; b++)
        lengths->words[b] = next_random(&state) % 3 == 0 ? 0 : next_random(&state) % 20;
    snprintf(lengths->name, sizeof lengths->name, "random, seed %d", i);
    return i < 10;
}

/* ------------------------------------------------------------------ one run */

/* Give the situation the blocks themselves, which the bound needs; begins has room for P + 1. */
static void
add_blocks(struct peal_situation *situation, const struct lengths *lengths, struct peal_blocks *blocks, size_t *begins)
{
    begins[0] = situation->words = 0;
    for (int b = 0; b < situation->nodes; b++) {
        size_t words = lengths->words[b % lengths->count];

        begins[b + 1] = begins[b] + words;
        situation->words = words > situation->words ? words : situation->words;
    }
    *blocks = (struct peal_blocks){.begins = begins};
    situation->blocks = blocks;
}

static void
expect_run(const struct peal_algorithm *algorithm, const char *topology, int nodes, const struct lengths *lengths,
           int root)
{
    const char *collective = peal_collective_name(algorithm->collective);
    struct peal_options options = options_for(nodes, topology);
    struct peal_exercise exercise = {.collective = algorithm->collective,
                                     .algorithm = algorithm->name,
                                     .root = root,
                                     .sizes = lengths->words,
                                     .size_count = lengths->count,
                                     .op = algorithm->needs.commutative ? PEAL_SUM_INT64 : PEAL_AFFINE};
    struct peal_machine *machine;
    struct peal_outcome outcome;
    struct peal_error error = {0};
    struct peal_blocks blocks;
    struct peal_cost bound, executed;
    size_t begins[MAX_NODES + 1];
    enum peal_status status;

    options.ports = algorithm->needs.ports != 0 ? algorithm->needs.ports : 1;
    machine = peal_machine_create(&options, &error);
    cr_assert_not_null(machine, "%s", error.text);
    status = peal_exercise(machine, &exercise, &outcome, &error);
    cr_expect(status == PEAL_OK && outcome.verified, "%s/%s, P=%d on %s, root %d, %s: %s", collective, algorithm->name,
              nodes, topology, root, lengths->name, error.text);
    executed = peal_machine_cost(machine);
    if (algorithm->collective != PEAL_ALLTOALL) {
        add_blocks(&outcome.situation, lengths, &blocks, begins);
        cr_expect(peal_lower_bound(&outcome.situation, &bound, NULL), "%s has no bound", collective);
        cr_expect(executed.alpha >= bound.alpha && executed.beta >= bound.beta && executed.hop >= bound.hop,
                  "%s/%s, P=%d on %s, root %d, %s: %ldα %ldβ below %ldα %ldβ", collective, algorithm->name, nodes,
                  topology, root, lengths->name, executed.alpha, executed.beta, bound.alpha, bound.beta);
    }
    cr_expect_not(outcome.has_closed_form && !outcome.closed_form_equal,
                  "%s/%s, P=%d, %s: closed form %ldα %ldβ, executed "
                  "%ldα %ldβ",
                  collective, algorithm->name, nodes, lengths->name, outcome.closed_form.alpha,
                  outcome.closed_form.beta, executed.alpha, executed.beta);
    peal_machine_destroy(machine);
}

/* Whether it takes unequal blocks here. */
static bool
fits(const struct peal_algorithm *algorithm, const char *topology, int nodes)
{
    struct peal_error error = {0};
    struct peal_network *network = peal_network_create(topology, nodes, NULL, &error);
    struct peal_situation situation = {.collective = algorithm->collective,
                                       .nodes = nodes,
                                       .words = 1,
                                       .unequal = true,
                                       .network = network,
                                       .op = PEAL_SUM_INT64};
    bool fits;

    cr_assert_not_null(network, "%s", error.text);
    situation.ports = algorithm->needs.ports != 0 ? algorithm->needs.ports : 1;
    fits = peal_algorithm_fits(algorithm, &situation, &error) == PEAL_OK;
    if (algorithm->needs.equal_blocks)
        cr_expect_not(fits, "%s/%s takes what it says it does not", peal_collective_name(algorithm->collective),
                      algorithm->name);
    peal_network_destroy(network);
    return fits;
}

/* The networks it is tried on: one, unless what it sends depends on that. */
static const char *
network_to_try(const struct peal_algorithm *algorithm, int nodes, int i)
{
    const char *name = network_of(nodes, i);

    if (algorithm->needs.kinds == NULL && !algorithm->asks_network && i > 0)
        return NULL;
    return nodes > 9 && i > 12 ? NULL : name;
}

/* ------------------------------------------------------------------ all of them */

ParameterizedTestParameters(unequal, blocks_arrive_whole_and_no_run_is_below_the_bound)
{
    size_t count = 0, used = 0;
    int *algorithms;

    while (peal_algorithm_get((int)count) != NULL)
        count++;
    algorithms = cr_malloc(count * sizeof *algorithms);
    for (size_t i = 0; i < count; i++)
        if (peal_collective_has_blocks(peal_algorithm_get((int)i)->collective))
            algorithms[used++] = (int)i;
    return cr_make_param_array(int, algorithms, used, NULL);
}

ParameterizedTest(int *one, unequal, blocks_arrive_whole_and_no_run_is_below_the_bound, .timeout = 300)
{
    const struct peal_algorithm *algorithm = peal_algorithm_get(*one);
    int last_root = peal_collective_has_root(algorithm->collective) ? MAX_NODES : 1;
    struct lengths lengths;

    for (int nodes = 1; nodes <= MAX_NODES; nodes++) {
        const char *topology;

        for (int i = 0; (topology = network_to_try(algorithm, nodes, i)) != NULL; i++) {
            char name[64];

            snprintf(name, sizeof name, "%s", topology);
            if (!fits(algorithm, name, nodes))
                continue;
            for (int list = 0; lengths_of(&lengths, nodes, list); list++)
                for (int root = 0; root < nodes && root < last_root; root += root == 0 || nodes < 5 ? 1 : nodes / 2 - 1)
                    expect_run(algorithm, name, nodes, &lengths, root);
        }
    }
}

Test(unequal, lists_of_one_length_have_the_cost_of_equal_blocks, .timeout = 60)
{
    static const size_t five[] = {5};
    const struct peal_algorithm *algorithm;

    for (int i = 0; (algorithm = peal_algorithm_get(i)) != NULL; i++) {
        struct peal_options options = options_for(8, "hypercube:3");
        struct peal_exercise equal = {.collective = algorithm->collective, .algorithm = algorithm->name, .words = 5};
        struct peal_exercise unequal = equal;
        struct peal_machine *machine;
        struct peal_outcome outcome;
        struct peal_error error;
        struct peal_cost cost;

        unequal.sizes = five;
        unequal.size_count = 1;
        options.ports = algorithm->needs.ports != 0 ? algorithm->needs.ports : 1;
        if (!peal_collective_has_blocks(algorithm->collective) || !fits(algorithm, "hypercube:3", 8))
            continue;
        machine = peal_machine_create(&options, &error);
        cr_assert_not_null(machine, "%s", error.text);
        cr_assert_eq(peal_exercise(machine, &equal, &outcome, &error), PEAL_OK, "%s", error.text);
        cost = peal_machine_cost(machine);
        cr_assert_eq(peal_exercise(machine, &unequal, &outcome, &error), PEAL_OK, "%s", error.text);
        cr_expect(peal_cost_equal(cost, peal_machine_cost(machine)), "%s/%s",
                  peal_collective_name(algorithm->collective), algorithm->name);
        peal_machine_destroy(machine);
    }
}
