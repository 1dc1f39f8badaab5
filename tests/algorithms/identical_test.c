/* SPDX-License-Identifier: MIT */
/* Whether all nodes get the same result of an all-reduce where the operator is not associative, as the addition of
 * floating-point numbers is not: MPI 3.1, section 5.9.6, asks for it. */
#include "harness.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 17, MAX_WORDS = 40 };

/* Commutes, and tells every two ways to bracket apart: the result names the two that were combined. */
static void
bracket(const void *left, const void *right, void *result, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        uint64_t a, b, c;

        memcpy(&a, (const char *)left + i * sizeof a, sizeof a);
        memcpy(&b, (const char *)right + i * sizeof b, sizeof b);
        c = (a < b ? a : b) * UINT64_C(0x9E3779B97F4A7C15) + (a < b ? b : a) * UINT64_C(0xC2B2AE3D27D4EB4F);
        c ^= c >> 29;
        memcpy((char *)result + i * sizeof c, &c, sizeof c);
    }
}

static const struct peal_op brackets = {.name = "brackets", .commutative = true, .word_bytes = 8, .combine = bracket};

/* One call of every node, and the results. */
struct call {
    const char *algorithm;
    size_t words;
    uint64_t got[MAX_NODES][MAX_WORDS];
};

static void
allreduce(struct peal_node *me, void *arg)
{
    struct call *call = arg;
    uint64_t *a = call->got[peal_rank(me)];

    for (size_t i = 0; i < call->words; i++)
        a[i] = (uint64_t)peal_rank(me) * 1000 + i + 1;
    peal_allreduce_by(me, call->algorithm, &brackets, a, call->words);
}

/* Make the call on a machine of so many nodes; false where the algorithm does not fit it. */
static bool
make_call(struct call *call, int nodes, int ports)
{
    struct peal_options options = options_for(nodes, "full");
    int parameter;
    const struct peal_algorithm *algorithm = peal_algorithm_parse(PEAL_ALLREDUCE, call->algorithm, &parameter);
    struct peal_error error;

    options.ports = ports;
    struct peal_machine *machine = peal_machine_create(&options, &error);

    cr_assert(machine, "%s", error.text);
    struct peal_situation situation = {.collective = PEAL_ALLREDUCE,
                                       .nodes = nodes,
                                       .words = call->words,
                                       .parameter = parameter,
                                       .network = peal_machine_network(machine),
                                       .op = &brackets,
                                       .ports = ports};
    bool fits = peal_algorithm_fits(algorithm, &situation, NULL) == PEAL_OK;
    const struct peal_failure *failure = fits ? peal_run(machine, allreduce, call) : NULL;

    cr_assert(failure == NULL, "%s on %d nodes: %s", call->algorithm, nodes, failure ? failure->message : "");
    peal_machine_destroy(machine);
    return fits;
}

/* Whether all nodes get the same, for any number of nodes, words and ports. */
static bool
is_identical(const char *name)
{
    static const size_t words[] = {1, 4, 7, 16, 40};
    static const int ports[] = {1, 2, PEAL_PORTS_ALL};
    static struct call call;
    bool same = true;

    call.algorithm = name;
    for (int nodes = 1; nodes <= MAX_NODES; nodes++)
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            for (size_t p = 0; p < sizeof ports / sizeof *ports; p++) {
                call.words = words[w];
                if (!make_call(&call, nodes, ports[p]))
                    continue;
                for (int node = 1; node < nodes; node++)
                    same = same && memcmp(call.got[node], call.got[0], words[w] * sizeof(uint64_t)) == 0;
            }
    return same;
}

Test(identical, every_allreduce_gives_all_nodes_the_same_sum_of_floating_point_numbers_or_says_that_it_does_not,
     .timeout = 120)
{
    const struct peal_algorithm *algorithm;
    int found = 0;

    for (int i = 0; (algorithm = peal_algorithm_get(i)) != NULL; i++)
        if (algorithm->collective == PEAL_ALLREDUCE) {
            cr_expect_neq(is_identical(algorithm->name), (algorithm->differs & PEAL_DIFFERS(NODES)) != 0,
                          "%s says the contrary", algorithm->name);
            found++;
        }
    cr_expect_gt(found, 5);
}

/* The places between which the check finds that results differ. */
static unsigned
found_to_differ(const struct peal_verdict *verdict)
{
    unsigned differs = 0;

    for (int way = 0; way < PEAL_IDENTICALS; way++)
        differs |= verdict->identity.differs[way] ? 1u << way : 0;
    return differs;
}

Test(identical, every_record_says_between_which_places_results_differ, .timeout = 120)
{
    static struct peal_check checks[100];
    static struct peal_verdict verdicts[100];
    const struct peal_algorithm *algorithm;
    struct peal_error error;
    int count = 0;

    for (int i = 0; (algorithm = peal_algorithm_get(i)) != NULL; i++)
        if (peal_collective_has_op(algorithm->collective))
            checks[count++] = (struct peal_check){.collective = algorithm->collective,
                                                  .algorithm = algorithm->name,
                                                  .nodes_from = 1,
                                                  .nodes_to = 8,
                                                  .has_ports = true,
                                                  .ports = PEAL_PORTS_ALL,
                                                  .has_delivery = true,
                                                  .identical = true};
    cr_assert_eq(peal_check(checks, count, 0, verdicts, &error), PEAL_OK, "%s", error.text);
    for (int i = 0; i < count; i++) {
        algorithm = peal_algorithm_find(checks[i].collective, checks[i].algorithm);
        cr_expect(verdicts[i].proved && verdicts[i].identity.known, "%s: %s", algorithm->name, verdicts[i].reason);
        cr_expect_eq(found_to_differ(&verdicts[i]), algorithm->differs, "%s/%s: its record says %#x, found was %#x",
                     peal_collective_name(algorithm->collective), algorithm->name, algorithm->differs,
                     found_to_differ(&verdicts[i]));
        for (int way = 0; way < PEAL_IDENTICAL_ORDERS; way++)
            cr_expect_eq(verdicts[i].identity.compared[way],
                         peal_identical_applies(algorithm->collective, (enum peal_identical)way), "%s: %s",
                         algorithm->name, peal_identical_name((enum peal_identical)way));
    }
    cr_expect_gt(count, 40);
}

Test(identical, groups_of_any_number_of_nodes_bracket_alike, .timeout = 120)
{
    cr_expect(is_identical("recursive-multiplying:3"));
    cr_expect(is_identical("recursive-multiplying:4"));
    cr_expect(is_identical("recursive-multiplying:5"));
    cr_expect(is_identical("recursive-multiplying:16"));
}

Test(identical, an_algorithm_with_different_results_is_never_chosen_by_cost, .timeout = 60)
{
    static const char *const networks[] = {"full", "ring", "line", "hypercube"};

    for (int nodes = 2; nodes <= 64; nodes *= 2)
        for (int n = 0; n < 4; n++)
            for (size_t words = 1; words <= 1 << 16; words *= 16) {
                struct peal_network *network = peal_network_create(networks[n], nodes, NULL, NULL);
                struct peal_situation situation = {.collective = PEAL_ALLREDUCE,
                                                   .nodes = nodes,
                                                   .words = words,
                                                   .network = network,
                                                   .op = PEAL_SUM_DOUBLE,
                                                   .ports = 1,
                                                   .parameters = {1000, 1, 0, 0}};

                cr_expect_not(peal_algorithm_choose(&situation)->differs & PEAL_DIFFERS(NODES));
                peal_network_destroy(network);
            }
}
