/* SPDX-License-Identifier: MIT */
/* All-to-all beside the numbers of the catalogue's tables: the cost of shifts on each network (B0'), and the network's
 * lower bound for any all-to-all (A5: Lemmas 13 and 14). */
#include "harness.h"
#include <criterion/criterion.h>

static int64_t
bound_on(const char *topology, int nodes, size_t m, enum peal_switching switching)
{
    struct peal_error error;
    struct peal_network *network = peal_network_create(topology, nodes, NULL, &error);
    struct peal_situation situation = {.collective = PEAL_ALLTOALL,
                                       .nodes = nodes,
                                       .words = m,
                                       .network = network,
                                       .ports = 1,
                                       .switching = switching};
    struct peal_cost bound;

    cr_assert(network, "%s", error.text);
    cr_assert(peal_lower_bound(&situation, &bound, NULL));
    peal_network_destroy(network);
    return bound.beta;
}

Test(alltoall, shift_meets_the_numbers_of_table_b0, .timeout = 60)
{
    static const struct {
        const char *topology;
        int nodes;
        int64_t words;
    } rows[] = {{"full", 8, 7},       {"hypercube", 8, 7},  {"hypercube", 64, 63}, {"line", 8, 16},
                {"line", 9, 20},      {"ring", 8, 16},      {"ring", 16, 64},      {"line", 16, 64},
                {"mesh:4x4", 16, 24}, {"mesh:8x8", 64, 184}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct performance performance;

        perform_on(&performance, rows[i].topology, rows[i].nodes, "alltoall", "shift", 1, 0, 1);
        cr_expect_eq(peal_machine_cost(performance.machine).beta, rows[i].words, "%s of %d: %lld", rows[i].topology,
                     rows[i].nodes, (long long)peal_machine_cost(performance.machine).beta);
        cr_expect_eq(peal_machine_cost(performance.machine).alpha, rows[i].nodes - 1);
        performance_fini(&performance);
    }
}

Test(alltoall, shift_is_optimal_in_words_on_lines, .timeout = 60)
{
    for (int nodes = 1; nodes <= 17; nodes++) {
        struct performance performance;

        perform_on(&performance, "line", nodes, "alltoall", "shift", 3, 0, 1);
        cr_expect_eq(peal_machine_cost(performance.machine).beta, bound_on("line", nodes, 3, PEAL_IDEAL), "P = %d",
                     nodes);
        performance_fini(&performance);
    }
}

Test(bounds, of_the_network_are_those_of_lemmas_13_and_14, .timeout = 10)
{
    cr_expect_eq(bound_on("hypercube", 8, 1, PEAL_IDEAL), 7); /* one port: P-1, more than N/2 = 4 */
    cr_expect_eq(bound_on("ring", 8, 1, PEAL_IDEAL), 8);      /* N²/8 */
    cr_expect_eq(bound_on("ring", 16, 1, PEAL_IDEAL), 32);
    cr_expect_eq(bound_on("ring", 17, 1, PEAL_IDEAL), 36); /* (N²-1)/8 */
    cr_expect_eq(bound_on("line", 8, 1, PEAL_IDEAL), 16);  /* the cut: ⌈z/2⌉⌊z/2⌋, more than z(z+1)/6 = 12 */
    cr_expect_eq(bound_on("line", 16, 1, PEAL_IDEAL), 64);
    cr_expect_eq(bound_on("mesh:4x4", 16, 1, PEAL_IDEAL), 16); /* the cut, z³/4 */
    cr_expect_eq(bound_on("mesh:8x8", 64, 1, PEAL_IDEAL), 128);
    cr_expect_eq(bound_on("torus:16x16", 256, 1, PEAL_IDEAL), 512); /* z³/8 */
    cr_expect_eq(bound_on("full", 8, 5, PEAL_IDEAL), 35);
    cr_expect_eq(bound_on("line", 1, 5, PEAL_IDEAL), 0);
}
