/* SPDX-License-Identifier: MIT */
/* The numbers of the books and lectures, literally: Grama et al. 2003 section 4.4; P. Tvrdík's lemmas on one-to-all
 * scatter; the quizzes of Georgia Tech's CS 6220. */
#include "harness.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static int
ceiling_log2(int z)
{
    int q = 0;

    while (1 << q < z)
        q++;
    return q;
}

static int
larger(int a, int b)
{
    return a > b ? a : b;
}

static void
expect_cost(struct peal_cost cost, int64_t alpha, int64_t beta, int64_t hop, const char *what)
{
    cr_expect(cost.alpha == alpha && cost.beta == beta && cost.hop == hop && cost.tau == 0,
              "%s: %ldα + %ldβ + %ldt_d, should be %ldα + %ldβ + %ldt_d", what, cost.alpha, cost.beta, cost.hop, alpha,
              beta, hop);
}

/* Run on a network under wormhole switching, where hops count, and expect α, β, t_d. */
static void
expect_run(const char *topology, int nodes, const char *collective, const char *algorithm, size_t words, int root,
           int64_t alpha, int64_t beta, int64_t hop)
{
    struct performance run;
    char what[200];

    snprintf(what, sizeof what, "%s/%s on %s, P=%d, root %d", collective, algorithm, topology, nodes, root);
    perform_on(&run, topology, nodes, collective, algorithm, words, root, 1);
    expect_cost(price_on(&run, topology, PEAL_WORMHOLE), alpha, beta, hop, what);
    performance_fini(&run);
}

/* ------------------------------------------------------------------ Grama et al. */

Test(book, scatter_on_eight_nodes_is_figure_4_15, .timeout = 10)
{
    struct performance run;

    perform_on(&run, "hypercube:3", 8, "scatter", NULL, 4, 0, 1);
    cr_expect_str_eq(run.outcome.algorithm->name, "binomial");
    cr_assert_eq(run.schedule.round_count, 3);
    cr_expect(round_is(&run, 0, "0>4:16"));
    cr_expect(round_is(&run, 1, "0>2:8 4>6:8"));
    cr_expect(round_is(&run, 2, "0>1:4 2>3:4 4>5:4 6>7:4"));
    expect_cost(peal_machine_cost(run.machine), 3, 28, 0, "equation 4.6 with m = 4");
    cr_expect(run.outcome.closed_form_equal);
    expect_cost(run.outcome.lower_bound, 3, 28, 0, "lower bound");
    performance_fini(&run);
}

Test(book, gather_on_eight_nodes_is_figure_4_15_backwards, .timeout = 10)
{
    struct performance run;

    perform_on(&run, "hypercube:3", 8, "gather", "binomial", 4, 0, 1);
    cr_assert_eq(run.schedule.round_count, 3);
    cr_expect(round_is(&run, 0, "1>0:4 3>2:4 5>4:4 7>6:4"));
    cr_expect(round_is(&run, 1, "2>0:8 6>4:8"));
    cr_expect(round_is(&run, 2, "4>0:16"));
    performance_fini(&run);
}

Test(book, scatter_costs_the_same_on_line_ring_mesh_and_hypercube, .timeout = 30)
{
    static const char *const sixteen[] = {"full", "line", "ring", "mesh:4x4", "torus:4x4", "hypercube"};
    struct performance run;

    perform_on(&run, "full", 16, "scatter", "binomial", 1, 0, 1);
    for (int i = 0; i < 6; i++)
        expect_cost(price_on(&run, sixteen[i], PEAL_IDEAL), 4, 15, 0, sixteen[i]);
    performance_fini(&run);
    perform_on(&run, "full", 64, "scatter", "binomial", 1, 0, 1);
    expect_cost(price_on(&run, "mesh:8x8", PEAL_IDEAL), 6, 63, 0, "8x8");
    expect_cost(price_on(&run, "torus:4x4x4", PEAL_IDEAL), 6, 63, 0, "4x4x4");
    performance_fini(&run);
}

Test(book, broadcast_far_first_takes_log_P_messages_on_every_network, .timeout = 30)
{
    static const char *const sixteen[] = {"full", "line", "ring", "mesh:4x4", "torus:4x4", "hypercube"};
    struct performance run;

    perform_on(&run, "full", 16, "broadcast", "binomial", 7, 0, 1);
    for (int i = 0; i < 6; i++)
        expect_cost(price_on(&run, sixteen[i], PEAL_IDEAL), 4, 28, 0, sixteen[i]);
    performance_fini(&run);
    perform_on(&run, "full", 16, "reduce", "binomial", 7, 0, 1); /* near-first: its reverse */
    for (int i = 0; i < 6; i++)
        expect_cost(price_on(&run, sixteen[i], PEAL_IDEAL), 4, 28, 0, sixteen[i]);
    performance_fini(&run);
}

Test(book, ring_all_gather_shares_no_link_on_any_network, .timeout = 30)
{
    static const char *const sixteen[] = {"full", "line", "ring", "mesh:4x4", "torus:4x4", "hypercube"};
    struct performance run;

    perform_on(&run, "full", 16, "allgather", "ring", 3, 0, 1);
    for (int i = 0; i < 6; i++)
        expect_cost(price_on(&run, sixteen[i], PEAL_IDEAL), 15, 45, 0, sixteen[i]);
    performance_fini(&run);
}

/* ------------------------------------------------------------------ Tvrdík: scatter on lines */

/* The zeros of z-1 in binary, z = 2 .. 17, as printed. */
static const int f_printed[] = {0, 1, 0, 2, 1, 1, 0, 3, 2, 2, 1, 2, 1, 1, 0, 4};

static int
f(int z)
{
    return ceiling_log2(z) - __builtin_popcount((unsigned)(z - 1));
}

Test(book, the_hops_of_rda_are_those_of_the_table_of_f, .timeout = 60)
{
    for (int z = 2; z <= 17; z++) {
        int printed = f_printed[z - 2];

        expect_run("line", z, "scatter", "rda", 1, 0, ceiling_log2(z), z - 1, z - 1 + printed);
        expect_run("line", z, "scatter", "rda-smaller", 1, 0, ceiling_log2(z), z - 1 + printed, z - 1);
        expect_run("line", z, "gather", "rda", 1, 0, ceiling_log2(z), z - 1, z - 1 + printed);
    }
}

Test(book, options_a_and_b_exchange_words_and_hops_at_five_and_seven_nodes, .timeout = 10)
{
    expect_run("line", 7, "scatter", "rda", 1, 0, 3, 6, 7);
    expect_run("line", 7, "scatter", "rda-smaller", 1, 0, 3, 7, 6);
    expect_run("line", 5, "scatter", "rda", 1, 0, 3, 4, 6);
    expect_run("line", 5, "scatter", "rda-smaller", 1, 0, 3, 6, 4);
    expect_run("line", 8, "scatter", "rda", 1, 0, 3, 7, 7);
    expect_run("line", 8, "scatter", "rda-smaller", 1, 0, 3, 7, 7);
}

Test(book, store_forward_on_a_line_takes_a_third_of_the_square, .timeout = 30)
{
    struct performance run;

    for (int z = 2; z <= 16; z *= 2) {
        perform_on(&run, "line", z, "scatter", "rda", 1, 0, 1);
        expect_cost(price_on(&run, "line", PEAL_STORE_FORWARD), ceiling_log2(z), (z * z - 1) / 3, 0, "store-forward");
        performance_fini(&run);
    }
}

Test(book, binomial_goes_further_than_rda_on_a_line, .timeout = 30)
{
    static const int z_binomial_rda[][3] = {{5, 7, 6}, {9, 15, 11}, {17, 31, 20}};

    for (int i = 0; i < 3; i++) {
        int z = z_binomial_rda[i][0];

        expect_run("line", z, "scatter", "binomial", 1, 0, ceiling_log2(z), z - 1, z_binomial_rda[i][1]);
        expect_run("line", z, "scatter", "rda", 1, 0, ceiling_log2(z), z - 1, z_binomial_rda[i][2]);
    }
}

Test(book, rda_sends_to_the_nearest_node_of_the_other_part, .timeout = 10)
{
    expect_run("line", 8, "scatter", "rda", 1, 3, 3, 7, 4);
}

/* The closed form, for every source of a line; catalogue_test holds it against runs. */
static struct peal_cost
on_line(enum peal_collective collective, const char *name, int z, int source)
{
    struct peal_error error;
    struct peal_network *line = peal_network_create("line", z, NULL, &error);
    struct peal_situation situation = {.collective = collective,
                                       .nodes = z,
                                       .words = 1,
                                       .root = source,
                                       .network = line,
                                       .ports = 1,
                                       .switching = PEAL_WORMHOLE};
    struct peal_cost cost = {-1, -1, -1, -1};

    cr_expect(peal_algorithm_cost(peal_algorithm_find(collective, name), &situation, &cost));
    peal_network_destroy(line);
    return cost;
}

Test(book, scatter_by_rda_has_its_closed_form_from_any_source_of_a_line, .timeout = 60)
{
    for (int z = 2; z <= 129; z++)
        for (int s = 0; s < z; s++) {
            struct peal_cost cost = on_line(PEAL_SCATTER, "rda", z, s);
            int eccentricity = larger(s, z - 1 - s), central = z % 2 == 1 && s == z / 2;

            cr_expect_eq(cost.alpha, ceiling_log2(z));
            cr_expect_eq(cost.beta, z - 1, "z=%d s=%d", z, s);
            if (z % 2 == 0)
                cr_expect_eq(cost.hop, eccentricity + f(z), "z=%d s=%d: %ld", z, s, cost.hop);
            else
                cr_expect(cost.hop >= eccentricity && cost.hop <= eccentricity + larger(f(z), central),
                          "z=%d s=%d: %ld", z, s, cost.hop);
        }
}

Test(book, broadcast_by_rda_goes_as_far_as_the_farther_end_of_a_line, .timeout = 60)
{
    for (int z = 2; z <= 129; z++)
        for (int s = 0; s < z; s++)
            expect_cost(on_line(PEAL_BROADCAST, "rda", z, s), ceiling_log2(z), ceiling_log2(z),
                        larger(s, z - 1 - s) + (z % 2 == 1 && s == z / 2), "broadcast/rda");
}

Test(book, source_in_the_middle_of_an_odd_line_pays_one_hop_more, .timeout = 10)
{
    expect_run("line", 7, "broadcast", "rda", 1, 3, 3, 3, 4);
    expect_run("line", 7, "broadcast", "rda", 1, 2, 3, 3, 4);
    expect_run("line", 7, "broadcast", "rda", 1, 0, 3, 3, 6);
    expect_run("line", 5, "broadcast", "rda", 1, 2, 3, 3, 3);
    expect_run("line", 3, "scatter", "rda-smaller", 1, 1, 2, 2, 2);
}

/* ------------------------------------------------------------------ Tvrdík: rings, meshes, tori */

Test(book, rings_are_served_both_ways_round, .timeout = 60)
{
    for (int z = 3; z <= 17; z++) {
        int half = (z + 1) / 2;

        expect_run("ring", z, "broadcast", "rda", 1, z / 3, ceiling_log2(z), ceiling_log2(z), half);
        expect_run("ring", z, "scatter", "rda", 1, z / 3, ceiling_log2(z), z - 1, half + f(half));
        expect_run("ring", z, "scatter", "rda-smaller", 1, z / 3, ceiling_log2(z), 2 * half - 1 + f(half), half);
    }
}

/* The two other nodes of a ring of three are as near. */
Test(book, a_tie_goes_to_the_lower_rank, .timeout = 10)
{
    static const char *const first[] = {"0>1:1", "1>0:1", "2>0:1"};

    for (int root = 0; root < 3; root++) {
        struct performance run;

        perform_on(&run, "ring", 3, "broadcast", "rda", 1, root, 1);
        cr_expect(round_is(&run, 0, first[root]), "root %d", root);
        performance_fini(&run);
    }
}

Test(book, bundles_of_a_mesh_telescope, .timeout = 60)
{
    expect_run("mesh:3x3", 9, "scatter", "rda", 1, 0, 4, 8, 6);
    expect_run("mesh:5x5", 25, "scatter", "rda", 1, 0, 6, 24, 12);
    expect_run("mesh:3x5", 15, "scatter", "rda", 1, 0, 5, 14, 9);
    expect_run("mesh:9x9", 81, "scatter", "rda", 1, 0, 8, 80, 22);
    expect_run("torus:3x5", 15, "broadcast", "rda", 1, 7, 5, 5, 5);
    expect_run("torus:4x4x2", 32, "broadcast", "rda", 1, 21, 5, 5, 5);
}

/* ------------------------------------------------------------------ bounds */

static struct peal_cost
bound_of(enum peal_collective collective, const char *topology, int nodes, size_t words, int root, int ports,
         enum peal_switching switching)
{
    struct peal_error error;
    struct peal_network *network = peal_network_create(topology, nodes, NULL, &error);
    struct peal_situation situation = {.collective = collective,
                                       .nodes = nodes,
                                       .words = words,
                                       .root = root,
                                       .network = network,
                                       .ports = ports,
                                       .switching = switching};
    struct peal_cost bound;
    const char *source = NULL;

    cr_assert(peal_lower_bound(&situation, &bound, &source));
    cr_expect_not_null(source);
    peal_network_destroy(network);
    return bound;
}

Test(book, lemma_7_bounds_scatter_on_eight_nodes_by_their_ports, .timeout = 10)
{
    expect_cost(bound_of(PEAL_SCATTER, "full", 8, 1, 0, 1, PEAL_IDEAL), 3, 7, 0, "k = 1");
    expect_cost(bound_of(PEAL_SCATTER, "full", 8, 1, 0, 2, PEAL_IDEAL), 2, 4, 0, "k = 2");
    expect_cost(bound_of(PEAL_SCATTER, "full", 8, 1, 0, 3, PEAL_IDEAL), 2, 3, 0, "k = 3");
    expect_cost(bound_of(PEAL_SCATTER, "full", 8, 1, 0, 7, PEAL_IDEAL), 1, 1, 0, "k = 7");
    expect_cost(bound_of(PEAL_SCATTER, "full", 8, 1, 0, PEAL_PORTS_ALL, PEAL_IDEAL), 1, 1, 0, "all ports");
    expect_cost(bound_of(PEAL_SCATTER, "hypercube", 8, 1, 0, PEAL_PORTS_ALL, PEAL_IDEAL), 2, 3, 0, "all of 3 ports");
    expect_cost(bound_of(PEAL_SCATTER, "line", 8, 1, 0, 2, PEAL_IDEAL), 2, 7, 0, "one link out of the end of a line");
}

Test(book, the_other_collectives_have_their_bounds, .timeout = 10)
{
    expect_cost(bound_of(PEAL_BROADCAST, "line", 8, 10, 0, 1, PEAL_WORMHOLE), 3, 10, 7, "broadcast");
    expect_cost(bound_of(PEAL_BROADCAST, "line", 8, 10, 3, 1, PEAL_WORMHOLE), 3, 10, 4, "broadcast from within");
    expect_cost(bound_of(PEAL_BROADCAST, "line", 8, 10, 0, 1, PEAL_STORE_FORWARD), 3, 16, 0,
                "pipelined, a word a message");
    expect_cost(bound_of(PEAL_REDUCE, "ring", 8, 10, 5, 1, PEAL_WORMHOLE), 3, 10, 4, "reduce");
    expect_cost(bound_of(PEAL_GATHER, "full", 5, 6, 1, 1, PEAL_IDEAL), 3, 24, 0, "gather");
    expect_cost(bound_of(PEAL_ALLGATHER, "ring", 8, 2, 0, 1, PEAL_WORMHOLE), 3, 14, 4, "allgather");
    expect_cost(bound_of(PEAL_REDUCE_SCATTER, "full", 8, 2, 0, 1, PEAL_IDEAL), 3, 14, 0, "reduce-scatter");
    expect_cost(bound_of(PEAL_ALLREDUCE, "full", 8, 16, 0, 1, PEAL_IDEAL), 3, 28, 0, "allreduce");
    expect_cost(bound_of(PEAL_ALLREDUCE, "full", 3, 2, 0, 1, PEAL_IDEAL), 2, 3, 0, "allreduce, rounded up");
    expect_cost(bound_of(PEAL_BARRIER, "line", 9, 0, 0, 1, PEAL_WORMHOLE), 4, 0, 8, "barrier");
    for (int collective = 0; collective < PEAL_COLLECTIVES; collective++)
        expect_cost(bound_of((enum peal_collective)collective, "line", 1, 9, 0, 1, PEAL_WORMHOLE), 0, 0, 0, "one node");
}

/* What a shift by one place must reach, one node does not have. */
Test(book, one_node_has_no_bound_whatever_a_collective_must_reach, .timeout = 10)
{
    struct peal_situation situation = {.collective = PEAL_SHIFT, .nodes = 1, .words = 9, .ports = 1, .by = 1};
    struct peal_error error;
    struct peal_cost bound;

    for (int kind = 0; kind < 2; kind++) {
        situation.network = peal_network_create(kind ? "line" : "full", 1, NULL, &error);
        cr_expect(peal_lower_bound(&situation, &bound, NULL));
        expect_cost(bound, 0, 0, 0, kind ? "line" : "full");
        peal_network_destroy((struct peal_network *)situation.network);
    }
}

Test(book, noncombining_scatter_takes_a_round_a_packet, .timeout = 10)
{
    struct peal_options options = options_for(8, "full");
    struct performance run;

    options.noncombining = true;
    perform(&run, &options, "scatter", NULL, 4, 0, NULL);
    cr_assert_eq(run.status, PEAL_OK, "%s", run.error.text);
    cr_expect_str_eq(run.outcome.algorithm->name, "linear");
    expect_cost(peal_machine_cost(run.machine), 7, 28, 0, "7α + 7βm");
    expect_cost(run.outcome.lower_bound, 7, 28, 0, "Lemma 8");
    performance_fini(&run);
}

/* ------------------------------------------------------------------ Georgia Tech */

Test(book, divide_and_conquer_scatters_in_log_P_rounds_and_the_naive_way_in_P_less_1, .timeout = 10)
{
    expect_run("full", 8, "scatter", "linear", 5, 0, 7, 35, 7);
    expect_run("full", 8, "scatter", "binomial", 5, 0, 3, 35, 3);
}

Test(book, all_gather_by_gather_and_broadcast_takes_both_costs, .timeout = 10)
{
    expect_run("full", 8, "allgather", "gather-broadcast", 5, 0, 6, 40 * 7 / 8 + 40 * 3, 6);
}

Test(book, broadcast_by_scatter_and_all_gather_takes_twice_the_words, .timeout = 10)
{
    expect_run("full", 8, "broadcast", "scatter-allgather", 40, 3, 3 + 7, 2 * 40 * 7 / 8, 10);
}

Test(book, all_reduce_by_reduce_scatter_and_all_gather_takes_both_costs, .timeout = 10)
{
    expect_run("full", 8, "allreduce", "reduce-scatter-allgather", 40, 0, 14, 2 * 40 * 7 / 8, 14);
    expect_run("full", 8, "allreduce", "reduce-broadcast", 40, 0, 6, 6 * 40, 6);
    expect_run("full", 8, "reduce-scatter", "ring", 5, 0, 7, 35, 7);
}

/* A_local = RANK + 1 on three nodes, reduced at rank 1: A is then 1, 6, 3. */
static void
quiz_12(struct peal_node *me, void *arg)
{
    int64_t *after = arg, a = peal_rank(me) + 1;

    peal_reduce(me, PEAL_SUM_INT64, &a, 1, 1);
    after[peal_rank(me)] = a;
}

Test(book, quiz_12_reduce_changes_the_root_alone, .timeout = 10)
{
    struct peal_options options = options_for(3, "full");
    struct peal_error error;
    struct peal_machine *machine = peal_machine_create(&options, &error);
    int64_t after[3] = {0};

    cr_assert_null(peal_run(machine, quiz_12, after));
    cr_expect_eq(after[0], 1);
    cr_expect_eq(after[1], 6);
    cr_expect_eq(after[2], 3);
    peal_machine_destroy(machine);
}

/* ------------------------------------------------------------------ duality */

static bool
same_transfer(const struct peal_transfer *a, const struct peal_transfer *b, bool reversed, bool words)
{
    return (reversed ? a->from == b->to && a->to == b->from : a->from == b->from && a->to == b->to) &&
           (!words || a->words == b->words);
}

/* Round by round, in the other order if reversed, the same transfers. */
static void
expect_same_rounds(const struct performance *a, const struct performance *b, bool reversed, bool words,
                   const char *what)
{
    size_t rounds = a->schedule.round_count;

    cr_assert_eq(rounds, b->schedule.round_count, "%s", what);
    for (size_t i = 0; i < rounds; i++) {
        const struct peal_round *one = &a->schedule.rounds[i];
        const struct peal_round *other = &b->schedule.rounds[reversed ? rounds - 1 - i : i];

        cr_assert_eq(one->count, other->count, "%s, round %zu", what, i);
        for (size_t j = 0; j < one->count; j++) {
            bool found = false;

            for (size_t k = 0; k < other->count; k++)
                found = found || same_transfer(&a->schedule.transfers[one->first + j],
                                               &b->schedule.transfers[other->first + k], reversed, words);
            cr_expect(found, "%s, round %zu: a transfer without its like", what, i);
        }
    }
}

static void
expect_dual(const char *topology, int nodes, const char *algorithm, int root)
{
    struct performance scatter, gather;
    char what[100];

    snprintf(what, sizeof what, "%s on %s, P=%d, root %d", algorithm, topology, nodes, root);
    perform_on(&scatter, topology, nodes, "scatter", algorithm, 3, root, 1);
    perform_on(&gather, topology, nodes, "gather", algorithm, 3, root, 1);
    expect_same_rounds(&scatter, &gather, true, true, what);
    performance_fini(&scatter);
    performance_fini(&gather);
}

Test(duality, gather_is_scatter_backwards_transfer_by_transfer, .timeout = 120)
{
    static const struct {
        const char *topology;
        int nodes;
    } grids[] = {{"mesh:3x3", 9},   {"mesh:3x5", 15},   {"torus:3x5", 15},
                 {"torus:4x4", 16}, {"mesh:2x3x5", 30}, {"torus:3x3x3", 27}};

    for (int nodes = 1; nodes <= 17; nodes++)
        for (int root = 0; root < nodes; root += larger(1, nodes / 5)) {
            expect_dual("full", nodes, "binomial", root);
            expect_dual("line", nodes, "rda", root);
            expect_dual("ring", nodes, "rda", root);
        }
    for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++)
        for (int root = 0; root < grids[i].nodes; root += 4)
            expect_dual(grids[i].topology, grids[i].nodes, "rda", root);
}

Test(duality, broadcast_and_scatter_are_the_same_tree_in_the_same_rounds, .timeout = 60)
{
    struct performance scatter, broadcast, smaller;

    for (int nodes = 1; nodes <= 17; nodes++)
        for (int root = 0; root < nodes; root += larger(1, nodes / 5)) {
            perform_on(&scatter, "full", nodes, "scatter", "binomial", 1, root, 1);
            perform_on(&broadcast, "full", nodes, "broadcast", "binomial", 1, root, 1);
            expect_same_rounds(&scatter, &broadcast, false, false, "binomial");
            performance_fini(&scatter);
            performance_fini(&broadcast);
            perform_on(&smaller, "line", nodes, "scatter", "rda-smaller", 1, root, 1);
            perform_on(&broadcast, "line", nodes, "broadcast", "rda", 1, root, 1);
            expect_same_rounds(&smaller, &broadcast, false, false, "rda");
            performance_fini(&smaller);
            performance_fini(&broadcast);
        }
}

Test(duality, reduce_to_rank_0_is_broadcast_backwards, .timeout = 60)
{
    struct performance reduce, broadcast;

    for (int nodes = 1; nodes <= 17; nodes++) {
        perform_on(&reduce, "full", nodes, "reduce", "binomial", 2, 0, 1);
        perform_on(&broadcast, "full", nodes, "broadcast", "binomial", 2, 0, 1);
        expect_same_rounds(&reduce, &broadcast, true, true, "binomial");
        performance_fini(&reduce);
        performance_fini(&broadcast);
    }
}

/* ------------------------------------------------------------------ pictures in the heads of the files */

Test(picture, binomial_trees_have_the_messages_drawn_for_six_nodes, .timeout = 10)
{
    struct performance run;

    perform_on(&run, "full", 6, "scatter", "binomial", 1, 0, 1);
    cr_expect(round_is(&run, 0, "0>4:2") && round_is(&run, 1, "0>2:2") && round_is(&run, 2, "0>1:1 2>3:1 4>5:1"));
    performance_fini(&run);
    perform_on(&run, "full", 6, "gather", "binomial", 1, 0, 1);
    cr_expect(round_is(&run, 0, "1>0:1 3>2:1 5>4:1") && round_is(&run, 1, "2>0:2") && round_is(&run, 2, "4>0:2"));
    performance_fini(&run);
    perform_on(&run, "full", 6, "reduce", "binomial", 1, 3, 1);
    cr_expect(round_is(&run, 0, "0>1:1 2>3:1 5>4:1") && round_is(&run, 1, "1>3:1") && round_is(&run, 2, "4>3:1"));
    performance_fini(&run);
}

Test(picture, halving_has_the_messages_drawn_for_seven_nodes, .timeout = 10)
{
    struct performance run;

    perform_on(&run, "line", 7, "scatter", "rda", 1, 0, 1);
    cr_expect(round_is(&run, 0, "0>4:3") && round_is(&run, 1, "0>2:2 4>6:1") && round_is(&run, 2, "0>1:1 2>3:1 4>5:1"));
    performance_fini(&run);
    perform_on(&run, "ring", 7, "scatter", "rda", 1, 0, 1);
    cr_expect(round_is(&run, 0, "0>6:3") && round_is(&run, 1, "0>2:2 6>4:1") && round_is(&run, 2, "0>1:1 2>3:1 6>5:1"));
    performance_fini(&run);
    perform_on(&run, "line", 7, "scatter", "rda-smaller", 1, 0, 1);
    cr_expect(round_is(&run, 0, "0>3:4") && round_is(&run, 1, "0>1:2 3>5:2") && round_is(&run, 2, "1>2:1 3>4:1 5>6:1"));
    performance_fini(&run);
    perform_on(&run, "line", 7, "gather", "rda", 1, 0, 1);
    cr_expect(round_is(&run, 0, "1>0:1 3>2:1 5>4:1") && round_is(&run, 1, "2>0:2 6>4:1") && round_is(&run, 2, "4>0:3"));
    performance_fini(&run);
    perform_on(&run, "ring", 7, "broadcast", "rda", 1, 0, 1);
    cr_expect(round_is(&run, 0, "0>6:1") && round_is(&run, 1, "0>1:1 6>4:1") && round_is(&run, 2, "1>2:1 4>3:1 6>5:1"));
    performance_fini(&run);
}
