/* SPDX-License-Identifier: MIT */
/* Where a closed form is promised, and where not. */
#include "harness.h"
#include <criterion/criterion.h>
#include <string.h>

static bool
has_closed_form(const struct peal_algorithm *algorithm, const char *topology, int nodes, int root,
                const struct peal_situation *base)
{
    struct peal_situation situation = *base;
    struct peal_error error = {0};
    struct peal_network *network = peal_network_create(topology, nodes, NULL, &error);
    struct peal_cost cost;
    bool has;

    cr_assert_not_null(network, "%s", error.text);
    situation.collective = algorithm->collective;
    situation.nodes = nodes;
    situation.root = root;
    situation.network = network;
    has = peal_algorithm_cost(algorithm, &situation, &cost);
    peal_network_destroy(network);
    return has;
}

static const struct peal_situation plain = {.words = 5, .ports = 1};

static const char *const regular[] = {"full", "line", "ring", "mesh:4x4", "torus:4x4", "hypercube"};

Test(closed_form, is_given_from_rank_0_on_every_kind_of_network_that_the_algorithm_names, .timeout = 10)
{
    const struct peal_algorithm *algorithm;

    for (int i = 0; (algorithm = algorithm_from(&i)) != NULL; i++)
        for (size_t j = 0; j < sizeof regular / sizeof regular[0]; j++) {
            struct peal_situation situation = plain;

            situation.ports = ports_for(algorithm);
            situation.words = peal_collective_has_blocks(algorithm->collective) ? 5 : 32;
            situation.by = algorithm->collective == PEAL_SHIFT ? 3 : 0;
            situation.to_count = algorithm->collective == PEAL_MULTICAST ? 16 : 0;
            if ((algorithm->cost || algorithm->costs_as) && has_kind(algorithm->closed_on, regular[j]) &&
                fits_on(algorithm, regular[j], 16, situation.words, situation.ports))
                cr_expect(has_closed_form(algorithm, regular[j], 16, 0, &situation),
                          "%s/%s has no closed form on %s: expected one, or .closed_on without that kind",
                          peal_collective_name(algorithm->collective), algorithm->name, regular[j]);
        }
}

/* The other tests compare them with runs. */
Test(closed_form, is_given_under_store_forward_where_equal_messages_share_links, .timeout = 10)
{
    static const struct {
        enum peal_collective collective;
        const char *name, *on;
    } cases[] = {{PEAL_ALLREDUCE, "recursive-doubling", "line ring mesh torus"},
                 {PEAL_ALLREDUCE, "rabenseifner", "line ring mesh torus"},
                 {PEAL_ALLGATHER, "recursive-doubling", "line ring mesh torus"},
                 {PEAL_ALLGATHER, "distance-halving", "line ring mesh torus"},
                 {PEAL_ALLGATHER, "bruck", "line ring"},
                 {PEAL_REDUCE_SCATTER, "halving", "line ring mesh torus"},
                 {PEAL_ALLTOALL, "shift", "line ring"},
                 {PEAL_ALLTOALL, "xor", "line mesh"},
                 {PEAL_BROADCAST, "binomial-near", "line ring mesh torus"},
                 {PEAL_SCAN, "shift-doubling", "line ring"}};
    const struct peal_situation stored = {.words = 32, .ports = 1, .switching = PEAL_STORE_FORWARD};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t j = 0; j < sizeof regular / sizeof regular[0]; j++)
            if (has_kind(cases[i].on, regular[j]))
                cr_expect(has_closed_form(peal_algorithm_find(cases[i].collective, cases[i].name), regular[j], 16, 0,
                                          &stored),
                          "%s on %s", cases[i].name, regular[j]);
}

/* The other tests compare them with runs, on one host of all that they are on a full network. */
Test(closed_form, is_given_on_shared_hosts_where_whole_hosts_do_the_same, .timeout = 10)
{
    static const struct {
        enum peal_collective collective;
        const char *name;
    } cases[] = {{PEAL_ALLGATHER, "ring"},         {PEAL_ALLREDUCE, "recursive-doubling"},
                 {PEAL_ALLREDUCE, "rabenseifner"}, {PEAL_ALLREDUCE, "reduce-scatter-allgather"},
                 {PEAL_ALLGATHER, "bruck"},        {PEAL_ALLGATHER, "recursive-doubling"},
                 {PEAL_REDUCE_SCATTER, "ring"},    {PEAL_REDUCE_SCATTER, "halving"},
                 {PEAL_BARRIER, "dissemination"},  {PEAL_ALLTOALL, "xor"}};
    static const char *const on[] = {"full@4", "ring@4:cyclic", "torus@2", "hypercube@4:cyclic", "mesh@2:cyclic"};
    const struct peal_situation even = {.words = 32, .ports = 1};
    const struct peal_algorithm *algorithm;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t j = 0; j < sizeof on / sizeof *on; j++)
            cr_expect(has_closed_form(peal_algorithm_find(cases[i].collective, cases[i].name), on[j], 16, 0, &even),
                      "%s on %s", cases[i].name, on[j]);
    for (int i = 0; (algorithm = algorithm_from(&i)) != NULL; i++)
        cr_expect(algorithm->asks_network || has_closed_form(algorithm, "ring@16", 16, 0, &even) ==
                                                 has_closed_form(algorithm, "full", 16, 0, &even),
                  "%s/%s", peal_collective_name(algorithm->collective), algorithm->name);
}

Test(closed_form, of_rda_is_given_for_all_extents_and_roots, .timeout = 10)
{
    static const struct {
        const char *topology;
        int nodes;
    } networks[] = {{"mesh:3x5", 15},   {"torus:3x5", 15}, {"torus:3x3x3", 27},
                    {"mesh:2x3x5", 30}, {"line", 13},      {"ring", 13}};
    const struct peal_algorithm *algorithm;

    for (int i = 0; (algorithm = algorithm_from(&i)) != NULL; i++)
        for (size_t j = 0; j < sizeof networks / sizeof networks[0] && strncmp(algorithm->name, "rda", 3) == 0; j++)
            for (int root = 0; root < networks[j].nodes; root++)
                cr_expect(has_closed_form(algorithm, networks[j].topology, networks[j].nodes, root, &plain), "%s on %s",
                          algorithm->name, networks[j].topology);
}

Test(closed_form, of_a_binomial_tree_is_null_on_grids_whose_extents_are_not_powers_of_two, .timeout = 10)
{
    const struct peal_algorithm *trees[] = {
        peal_algorithm_find(PEAL_SCATTER, "binomial"), peal_algorithm_find(PEAL_GATHER, "binomial"),
        peal_algorithm_find(PEAL_BROADCAST, "binomial"), peal_algorithm_find(PEAL_REDUCE, "binomial")};

    for (int i = 0; i < 4; i++) {
        cr_expect_not(has_closed_form(trees[i], "torus:3x4", 12, 0, &plain));
        cr_expect_not(has_closed_form(trees[i], "torus:4x3", 12, 0, &plain));
        cr_expect_not(has_closed_form(trees[i], "mesh:4x3", 12, 0, &plain));
        cr_expect_not(has_closed_form(trees[i], "mesh:3x3", 9, 1, &plain));
    }
}

Test(closed_form, is_null_under_eager_delivery_half_duplex_exchanges_and_best_routes, .timeout = 10)
{
    struct peal_situation eager = plain, half = plain, many = plain;
    const struct peal_algorithm *algorithm;

    eager.eager = true;
    half.half_duplex = true;
    many.ports = 2;
    for (int i = 0; (algorithm = algorithm_from(&i)) != NULL; i++)
        cr_expect_not(has_closed_form(algorithm, "line", 8, 0, &eager), "%s", algorithm->name);
    cr_expect_not(has_closed_form(peal_algorithm_find(PEAL_ALLGATHER, "ring"), "full", 8, 0, &half));
    cr_expect_not(has_closed_form(peal_algorithm_find(PEAL_BARRIER, "dissemination"), "full", 8, 0, &half));
    cr_expect_not(has_closed_form(peal_algorithm_find(PEAL_SCATTER, "linear"), "full", 8, 0, &many));
}

Test(closed_form, is_null_when_it_does_not_fit_in_64_bits, .timeout = 10)
{
    struct peal_situation huge = {.words = (size_t)INT64_MAX / 4, .ports = 1, .switching = PEAL_STORE_FORWARD};

    cr_expect_not(has_closed_form(peal_algorithm_find(PEAL_SCATTER, "binomial"), "line", 8, 0, &huge));
    cr_expect_not(has_closed_form(peal_algorithm_find(PEAL_SCATTER, "linear"), "line", 8, 0, &huge));
    cr_expect_not(has_closed_form(peal_algorithm_find(PEAL_SCATTER, "rda"), "line", 8, 0, &huge));
    cr_expect_not(has_closed_form(peal_algorithm_find(PEAL_ALLGATHER, "gather-broadcast"), "line", 8, 0, &huge));
    cr_expect_not(has_closed_form(peal_algorithm_find(PEAL_ALLGATHER, "ring"), "line", 8, 0, &huge));
}
