/* SPDX-License-Identifier: MIT */
/* The numbers that scatters, gathers and all-gathers are known by: rounds and words of executed runs, for the
 * parameters that an algorithm may be given, held against formulas that are written here once more. */
#include "harness.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static int
lesser(int a, int b)
{
    return a < b ? a : b;
}

static int
larger(int a, int b)
{
    return a > b ? a : b;
}

/* The least e with base^e >= number. */
static int
ceiling_log(int base, int number)
{
    int e = 0;

    for (int64_t power = 1; power < number; power *= base)
        e++;
    return e;
}

/* Run with blocks of one word under a switching; the closed form, where there is one, must hold.  Gives the cost. */
static struct peal_cost
run_of(const char *topology, int nodes, const char *collective, const char *algorithm, int root, int ports,
       enum peal_switching switching)
{
    struct peal_options options = options_for(nodes, topology);
    struct performance run;
    struct peal_cost cost;

    options.ports = ports;
    options.switching = switching;
    perform(&run, &options, collective, algorithm, 1, root, NULL);
    cr_assert(run.status == PEAL_OK && run.outcome.verified, "%s/%s P=%d on %s: %s", collective, algorithm, nodes,
              topology, run.error.text);
    cost = peal_machine_cost(run.machine);
    cr_expect(!run.outcome.has_closed_form || run.outcome.closed_form_equal,
              "%s/%s P=%d on %s, %d ports, root %d: closed form %ldα %ldβ, executed %ldα %ldβ", collective, algorithm,
              nodes, topology, ports, root, run.outcome.closed_form.alpha, run.outcome.closed_form.beta, cost.alpha,
              cost.beta);
    performance_fini(&run);
    return cost;
}

static void
expect(const char *topology, int nodes, const char *collective, const char *algorithm, int root, int ports,
       int64_t rounds, int64_t words)
{
    struct peal_cost cost = run_of(topology, nodes, collective, algorithm, root, ports, PEAL_IDEAL);

    cr_expect(cost.alpha == rounds && cost.beta == words,
              "%s/%s P=%d on %s, %d ports, root %d: %ldα %ldβ, not %ldα %ldβ", collective, algorithm, nodes, topology,
              ports, root, cost.alpha, cost.beta, rounds, words);
}

/* ------------------------------------------------------------------ k ports */

Test(ports, are_used_to_the_full_by_k_port_trees_and_bruck_for_every_P, .timeout = 120)
{
    static const int ports[] = {1, 2, 3, 4, 5, 7};

    for (size_t i = 0; i < sizeof ports / sizeof ports[0]; i++)
        for (int P = 2; P <= 131; P += P < 50 || P > 120 ? 1 : 7) {
            int k = ports[i], rounds = ceiling_log(k + 1, P), words = (P - 1 + k - 1) / k;

            expect("full", P, "scatter", "k-port", P / 3, k, rounds, words);
            expect("full", P, "gather", "k-port", P / 2, k, rounds, words);
            if (P < 50)
                expect("full", P, "allgather", "bruck", 0, k, rounds, words);
        }
}

Test(ports, of_k_port_trees_and_bruck_may_be_fewer_than_the_machines_or_more, .timeout = 60)
{
    for (int P = 2; P <= 20; P++) {
        expect("full", P, "scatter", "k-port:2", 0, 3, ceiling_log(3, P), P / 2);
        expect("full", P, "gather", "k-port:2", 0, 3, ceiling_log(3, P), P / 2);
        expect("full", P, "allgather", "bruck:2", 0, PEAL_PORTS_ALL, ceiling_log(3, P), P / 2);
        expect("full", P, "scatter", "k-port", 0, PEAL_PORTS_ALL, 1, 1);
        expect("full", P, "allgather", "bruck", 0, PEAL_PORTS_ALL, 1, 1);
        expect("full", P, "scatter", "k-port:100", P - 1, 1, P - 1, P - 1); /* one after the other */
    }
}

/* ------------------------------------------------------------------ K-nomial trees */

/* A round for every digit of every place. */
static int
knomial_rounds(int P, int K)
{
    int rounds = 0;

    for (int w = 1; w < P; w *= K)
        rounds += lesser(K - 1, (P - 1) / w);
    return rounds;
}

Test(k_nomial, has_a_round_a_digit_and_sends_every_block_once_for_every_P_and_K, .timeout = 120)
{
    static const int radices[] = {2, 3, 4, 5, 9};

    for (size_t i = 0; i < sizeof radices / sizeof radices[0]; i++)
        for (int P = 2; P <= 45; P++) {
            int K = radices[i];
            char name[20];

            snprintf(name, sizeof name, "k-nomial:%d", K);
            expect("line", P, "scatter", name, 0, 1, knomial_rounds(P, K), P - 1);
            expect("ring", P, "scatter", name, P - 1, 1, knomial_rounds(P, K), P - 1);
            expect("line", P, "gather", name, 0, 1, knomial_rounds(P, K), P - 1);
            expect("full", P, "gather", name, P / 2, 1, knomial_rounds(P, K), P - 1);
        }
    for (int i = 0; i < 4; i++) {
        static const char *const grids[] = {"mesh:9x3", "torus:3x9", "mesh:5x9", "torus:3x3x3"};
        int P = i == 2 ? 45 : 27;

        expect(grids[i], P, "scatter", "k-nomial:3", 0, 1, knomial_rounds(P, 3), P - 1);
        expect(grids[i], P, "gather", "k-nomial:3", 0, 1, knomial_rounds(P, 3), P - 1);
    }
    expect("hypercube", 64, "scatter", "k-nomial:4", 0, 1, 9, 63);
    expect("hypercube", 32, "gather", "k-nomial:4", 0, 1, 7, 31);
}

Test(k_nomial, of_all_nodes_runs_on_the_noncombining_machine, .timeout = 10)
{
    struct peal_options options = options_for(11, "full");
    struct performance run;

    options.noncombining = true;
    perform(&run, &options, "scatter", "k-nomial", 3, 0, NULL);
    cr_expect_eq(run.status, PEAL_OK, "%s", run.error.text);
    cr_expect(run.outcome.has_closed_form && run.outcome.closed_form_equal);
    performance_fini(&run);
    perform(&run, &options, "scatter", "k-nomial:9", 3, 0, NULL);
    cr_expect_neq(run.status, PEAL_OK, "a bundle of two");
    performance_fini(&run);
}

/* ------------------------------------------------------------------ subtrees on all links */

Test(sbnt, has_the_largest_subtrees_that_there_can_be_where_balanced, .timeout = 60)
{
    static const int plain[] = {0, 1, 2, 3, 5, 7, 13, 19, 35, 59, 107};

    for (int n = 1; n <= 14; n++) {
        struct peal_error error;
        struct peal_network *network = peal_network_create("hypercube", 1 << n, NULL, &error);
        struct peal_situation situation = {
            .collective = PEAL_SCATTER, .nodes = 1 << n, .words = 1, .network = network, .ports = PEAL_PORTS_ALL};
        struct peal_cost cost;

        cr_assert_not_null(network, "%s", error.text);
        cr_assert(peal_algorithm_cost(peal_algorithm_find(PEAL_SCATTER, "sbnt"), &situation, &cost));
        cr_expect_eq(cost.beta, ((1 << n) - 1 + n - 1) / n, "n = %d: %ld", n, cost.beta);
        cr_expect_eq(cost.alpha, n);
        cr_assert(peal_algorithm_cost(peal_algorithm_find(PEAL_SCATTER, "sbnt-plain"), &situation, &cost));
        cr_expect(n > 10 || cost.beta == plain[n], "n = %d: %ld", n, cost.beta);
        peal_network_destroy(network);
    }
}

Test(sbnt, takes_as_many_rounds_as_dimensions_and_no_message_is_longer_than_the_roots, .timeout = 120)
{
    static const int plain[] = {0, 1, 2, 3, 5, 7, 13, 19, 35, 59, 107};

    for (int n = 1; n <= 10; n++)
        for (int root = 0; root < 1 << n; root += n < 4 ? 1 : (1 << n) / 2 + 3) {
            expect("hypercube", 1 << n, "scatter", "sbnt", root, PEAL_PORTS_ALL, n, ((1 << n) - 1 + n - 1) / n);
            expect("hypercube", 1 << n, "gather", "sbnt", root, PEAL_PORTS_ALL, n, ((1 << n) - 1 + n - 1) / n);
            expect("hypercube", 1 << n, "scatter", "sbnt-plain", root, PEAL_PORTS_ALL, n, plain[n]);
            expect("hypercube", 1 << n, "gather", "sbnt-plain", root, PEAL_PORTS_ALL, n, plain[n]);
        }
}

/* ------------------------------------------------------------------ along the ranks */

Test(farthest_first, costs_as_many_rounds_as_blocks_under_store_forward_where_a_tree_pays_for_distance, .timeout = 60)
{
    for (int P = 2; P <= 33; P++) {
        struct peal_cost pipeline = run_of("line", P, "scatter", "farthest-first", 0, 1, PEAL_STORE_FORWARD);
        struct peal_cost back = run_of("line", P, "gather", "nearest-first", 0, 1, PEAL_STORE_FORWARD);
        struct peal_cost tree = run_of("line", P, "scatter", "binomial", 0, 1, PEAL_STORE_FORWARD);

        cr_expect(pipeline.alpha == P - 1 && pipeline.beta == P - 1, "P=%d: %ldα %ldβ", P, pipeline.alpha,
                  pipeline.beta);
        cr_expect(peal_cost_equal(pipeline, back));
        cr_expect(tree.beta >= pipeline.beta);
    }
}

Test(farthest_first, goes_both_ways_at_once_with_two_ports, .timeout = 60)
{
    for (int P = 2; P <= 20; P++)
        for (int root = 0; root < P; root++) {
            expect("ring", P, "scatter", "farthest-first", root, 2, P / 2, P / 2);
            expect("ring", P, "gather", "nearest-first", root, 2, P / 2, P / 2);
            expect("line", P, "scatter", "farthest-first", root, 2, larger(root, P - 1 - root),
                   larger(root, P - 1 - root));
            expect("line", P, "gather", "nearest-first", root, 2, larger(root, P - 1 - root),
                   larger(root, P - 1 - root));
        }
}

/* ------------------------------------------------------------------ hops on a ring */

Test(hops, of_the_bine_tree_on_a_ring_are_two_thirds_of_the_binomial_trees, .timeout = 60)
{
    for (int P = 2; P <= 256; P *= 2)
        for (int root = 0; root < P; root += P < 8 ? 1 : P / 3) {
            struct peal_cost scatter = run_of("ring", P, "scatter", "bine", root, 1, PEAL_WORMHOLE);
            struct peal_cost gather = run_of("ring", P, "gather", "bine", root, 1, PEAL_WORMHOLE);

            cr_expect(scatter.hop == 2 * P / 3 && scatter.beta == P - 1 && scatter.alpha == ceiling_log(2, P),
                      "P=%d: %ldα %ldβ %ldt_d", P, scatter.alpha, scatter.beta, scatter.hop);
            cr_expect(peal_cost_equal(scatter, gather));
            cr_expect_eq(run_of("ring", P, "scatter", "binomial", root, 1, PEAL_WORMHOLE).hop, P - 1);
        }
}

/* Sending the far half back over the end first, then halving both lines, greater halves kept: ⌈z/2⌉ hops, and one for
 * every zero of ⌈z/2⌉-1 in binary. */
Test(hops, of_rda_on_a_ring_are_those_of_the_ring_optimal_scatter, .timeout = 60)
{
    for (int z = 3; z <= 70; z++) {
        int half = (z + 1) / 2, zeros = 0;

        for (int bits = half - 1; bits > 0; bits /= 2)
            zeros += bits % 2 == 0;
        for (int root = 0; root < z; root += z / 2) {
            struct peal_cost scatter = run_of("ring", z, "scatter", "rda", root, 1, PEAL_WORMHOLE);
            struct peal_cost gather = run_of("ring", z, "gather", "rda", root, 1, PEAL_WORMHOLE);

            cr_expect(scatter.alpha == ceiling_log(2, z) && scatter.beta == z - 1 && scatter.hop == half + zeros,
                      "z=%d: %ldα %ldβ %ldt_d, not %d", z, scatter.alpha, scatter.beta, scatter.hop, half + zeros);
            cr_expect(peal_cost_equal(scatter, gather));
        }
    }
}

/* ------------------------------------------------------------------ all-gathers */

Test(allgather, by_pat_sends_every_block_once_in_messages_of_the_length_that_is_asked_for, .timeout = 120)
{
    for (int P = 2; P <= 40; P++)
        for (int a = 0; 1 << a < P; a++) {
            int longest = 0, blocks = 1 << a, rounds = a + lesser(P, (1 << ceiling_log(2, P)) / blocks) - 1;
            struct performance run;
            char name[20];

            snprintf(name, sizeof name, "pat:%d", blocks);
            perform_on(&run, "line", P, "allgather", name, 1, 0, 1);
            for (size_t i = 0; i < run.schedule.transfer_count; i++)
                longest = larger(longest, (int)run.schedule.transfers[i].words);
            cr_expect_leq(longest, blocks, "P=%d: %d blocks in a message", P, longest);
            performance_fini(&run);
            expect("full", P, "allgather", name, 0, 1, rounds, P - 1);
        }
}

Test(allgather, by_pat_with_the_most_blocks_or_more_or_no_power_of_two_is_the_next_below, .timeout = 60)
{
    for (int P = 3; P <= 20; P++) {
        expect("full", P, "allgather", "pat:1000000", 0, 1, ceiling_log(2, P), P - 1);
        expect("full", P, "allgather", "pat:3", 0, 1, 1 + lesser(P, (1 << ceiling_log(2, P)) / 2) - 1, P - 1);
    }
}

/* By folding: a block in, the numbers' groups (the lowest represent most ranks), all but that block out. */
Test(allgather, by_recursive_doubling_of_any_P_costs_the_words_of_folding, .timeout = 60)
{
    for (int P = 2; P <= 70; P++) {
        int stay = 1, rem, near, far, q = 0;

        for (; 2 * stay <= P; stay *= 2)
            q++;
        rem = P - stay;
        near = stay - 1 + (rem > 0 ? P : 0);
        far = rem > 0 ? P : 0;
        for (int j = 0; j < q; j++) {
            near += lesser(1 << j, rem);
            far += stay / (2 << j) + (rem + (2 << j) - 1) / (2 << j);
        }
        expect("full", P, "allgather", "recursive-doubling", 0, 1, q + (rem > 0 ? 2 : 0), near);
        expect("full", P, "allgather", "distance-halving", 0, 1, q + (rem > 0 ? 2 : 0), far);
    }
}

Test(allgather, costs_on_lines_and_rings_follow_from_its_distances, .timeout = 120)
{
    for (int P = 2; P <= 40; P++) {
        int far_first = 0, near_first = 0, circulant = 0, q = ceiling_log(2, P), skip = P;

        for (int d = 1; d < P; d *= 2) {
            far_first += ((P - d + 2 * d - 1) / (2 * d)) * lesser(d, P - d);
            near_first += lesser(d, P - d) * lesser(d, P - d);
        }
        for (int next = (skip + 1) / 2; skip > 1; skip = next, next = (skip + 1) / 2)
            circulant += (skip - next) * lesser(next, P - next);
        for (int ring = 0; ring < 2; ring++) {
            const char *topology = ring ? "ring" : "line";

            expect(topology, P, "allgather", "sparbit", 0, 1, q, far_first);
            expect(topology, P, "allgather", "bruck", 0, 1, q, near_first);
            expect(topology, P, "allgather", "circulant", 0, 1, q, circulant);
            expect(topology, P, "allgather", "spreading", 0, 1, P - 1, P * P / 4);
            if (P % 2 == 0)
                expect(topology, P, "allgather", "neighbour-exchange", 0, 1, P / 2, P - 1 + (ring ? 0 : 2 * (P / 4)));
        }
    }
}

Test(allgather, in_pairs_has_the_cost_of_the_top_bits, .timeout = 60)
{
    static const int ring[] = {15, 57, 221};

    for (int i = 0, P = 8; i < 3; i++, P *= 2) {
        expect("line", P, "allgather", "pair", 0, 1, P - 1, (P * P - 1) / 3);
        expect("ring", P, "allgather", "pair", 0, 1, P - 1, ring[i]);
        expect("hypercube", P, "allgather", "pair", 0, 1, P - 1, P - 1);
    }
    expect("mesh:4x4", 16, "allgather", "pair", 0, 1, 15, 27);
    expect("mesh:8x8", 64, "allgather", "pair", 0, 1, 63, 219);
    expect("mesh:4x4", 16, "allgather", "spreading", 0, 1, 15, 24);
    expect("mesh:8x8", 64, "allgather", "spreading", 0, 1, 63, 184);
}

Test(allgather, along_the_dimensions_shares_no_link_of_any_grid, .timeout = 60)
{
    for (int a = 1; a <= 8; a++)
        for (int b = 1; b <= 8; b++) {
            char name[30];

            snprintf(name, sizeof name, "mesh:%dx%d", a, b);
            expect(name, a * b, "allgather", "mesh", 0, 1, a + b - 2, a * b - 1);
            snprintf(name, sizeof name, "torus:%dx%d", a, b);
            expect(name, a * b, "allgather", "mesh", 0, 1, a + b - 2, a * b - 1);
        }
    expect("mesh:3x4x5", 60, "allgather", "mesh", 0, 1, 9, 59);
    expect("full", 60, "allgather", "mesh", 0, 1, 6 + 10 - 2, 59);
    expect("full", 13, "allgather", "mesh", 0, 1, 12, 12);
}
