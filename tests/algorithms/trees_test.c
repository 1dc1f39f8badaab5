/* SPDX-License-Identifier: MIT */
/* Broadcasts, reduces and multicasts: pipelines for every number of pieces, the numbers their trees are known by, and
 * what is promised beyond the test of the catalogue. */
#include "harness.h"
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t NONE = -1;

/* Run on a network, and expect these words, and rounds unless NONE; a closed form, if there is one, must equal the
 * run. */
static void
expect(const char *topology, int nodes, const char *collective, const char *algorithm, size_t words, int root,
       int64_t alpha, int64_t beta)
{
    struct performance run;
    struct peal_cost cost;

    perform_on(&run, topology, nodes, collective, algorithm, words, root, 1);
    cost = peal_machine_cost(run.machine);
    cr_expect(alpha == NONE || cost.alpha == alpha, "%s/%s P=%d n=%zu root %d on %s: %ld rounds, should be %ld",
              collective, algorithm, nodes, words, root, topology, cost.alpha, alpha);
    cr_expect(beta == NONE || cost.beta == beta, "%s/%s P=%d n=%zu root %d on %s: %ld words, should be %ld", collective,
              algorithm, nodes, words, root, topology, cost.beta, beta);
    cr_expect(!run.outcome.has_closed_form || run.outcome.closed_form_equal, "%s/%s P=%d n=%zu root %d on %s",
              collective, algorithm, nodes, words, root, topology);
    performance_fini(&run);
}

/* ------------------------------------------------------------------ pipelines */

static const struct pipelined {
    const char *collective, *name;
    bool power_of_two;
} pipelines[] = {
    {"broadcast", "chain", false},    {"broadcast", "binary", false},    {"broadcast", "split-binary", false},
    {"broadcast", "two-tree", false}, {"broadcast", "circulant", false}, {"broadcast", "edst", true},
    {"reduce", "chain", false},       {"reduce", "binary", false},       {"reduce", "in-order", false},
    {"reduce", "two-tree", false},    {"reduce", "circulant", false}};

ParameterizedTestParameters(pipeline, takes_its_closed_form_for_every_number_of_pieces)
{
    static int numbers[sizeof pipelines / sizeof pipelines[0]]; /* a case runs in a process of its own: no pointers */

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        numbers[i] = (int)i;
    return cr_make_param_array(int, numbers, sizeof numbers / sizeof numbers[0], NULL);
}

ParameterizedTest(int *number, pipeline, takes_its_closed_form_for_every_number_of_pieces, .timeout = 120)
{
    static const int pieces[] = {1, 2, 3, 4, 7, 8, 16};
    static const size_t sizes[] = {0, 5, 48, 61};
    const struct pipelined *one = &pipelines[*number];

    for (int P = 1; P <= 66; P += P < 20 ? 1 : P == 62 ? 1 : 7)
        for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++)
            for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++) {
                int root = (int)(i + j) % 2 == 0 ? 0 : P / 3;
                char name[40];

                if (one->power_of_two && (P & (P - 1)) != 0)
                    continue;
                snprintf(name, sizeof name, "%s:%d", one->name, pieces[i]);
                expect("full", P, one->collective, name, sizes[j], root, NONE, NONE);
                expect("ring", P, one->collective, name, sizes[j], root, NONE, NONE);
            }
}

/* P-2+B, q-1+B and B+D rounds of n/B words. */
Test(pipeline, takes_the_rounds_of_its_graph, .timeout = 60)
{
    /* D of the two trees (recurrence of the paper's times), H of the heap and of the in-order tree whose root is its
     * top */
    static const int two_tree[][2] = {{3, 2},  {4, 2},   {5, 3},    {7, 4},    {8, 4},    {9, 5},
                                      {11, 6}, {12, 6},  {13, 5},   {14, 5},   {16, 6},   {17, 7},
                                      {32, 8}, {64, 10}, {100, 12}, {128, 12}, {191, 14}, {257, 15}};
    static const int heap[][2] = {{3, 2}, {4, 2}, {5, 3}, {6, 3}, {7, 4}, {8, 4}, {15, 6}, {16, 6}, {31, 8}, {63, 10}};
    static const int split[][2] = {{3, 1}, {4, 1}, {5, 2}, {7, 3}, {8, 3}, {15, 5}, {31, 7}, {63, 9}}; /* T - 2B + 1 */
    static const int in_order[][2] = {{3, 2},  {4, 3},  {5, 3},  {6, 3},  {7, 4},   {8, 5},   {9, 5},    {15, 6},
                                      {16, 7}, {17, 7}, {31, 8}, {32, 9}, {63, 10}, {64, 11}, {100, 11}, {128, 13}};

    for (size_t i = 0; i < sizeof two_tree / sizeof two_tree[0]; i++) {
        expect("full", two_tree[i][0], "broadcast", "two-tree:8", 16, 0, 8 + two_tree[i][1], 2 * (8 + two_tree[i][1]));
        expect("full", two_tree[i][0], "reduce", "two-tree:7", 14, 1, 7 + two_tree[i][1], 2 * (7 + two_tree[i][1]));
    }
    for (size_t i = 0; i < sizeof heap / sizeof heap[0]; i++)
        expect("full", heap[i][0], "broadcast", "binary:5", 10, 0, heap[i][1] + 8, 2 * (heap[i][1] + 8));
    for (size_t i = 0; i < sizeof in_order / sizeof in_order[0]; i++) {
        int P = in_order[i][0], top = 1;

        while (2 * top <= P)
            top *= 2;
        expect("full", P, "reduce", "in-order:5", 10, top - 1, in_order[i][1] + 8, 2 * (in_order[i][1] + 8));
    }
    for (size_t i = 0; i < sizeof split / sizeof split[0]; i++)
        expect("full", split[i][0], "broadcast", "split-binary:3", 12, 0, 6 - 1 + split[i][1] + 3,
               2 * (6 - 1 + split[i][1] + 3));
    for (int P = 2, q = 1; P <= 40; P++, q += P > 1 << q) {
        expect("full", P, "broadcast", "chain:6", 12, P / 2, P - 2 + 6, 2 * (P - 2 + 6));
        expect("full", P, "broadcast", "circulant:6", 12, P / 2, q - 1 + 6, 2 * (q - 1 + 6));
        expect("full", P, "reduce", "circulant:6", 12, 0, q - 1 + 6, 2 * (q - 1 + 6));
    }
}

Test(pipeline, along_the_circulant_graph_works_on_machines_of_many_sizes, .timeout = 120)
{
    static const int nodes[] = {67, 97, 100, 127, 129, 200, 255, 257, 300, 419, 513, 1000};

    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        expect("full", nodes[i], "broadcast", "circulant:5", 10, 3, NONE, NONE);
        expect("full", nodes[i], "reduce", "circulant:12", 12, 1, NONE, NONE);
        expect("full", nodes[i], "broadcast", "two-tree:5", 10, 3, NONE, NONE);
    }
}

/* Pieces of one word; read from recipes that were run apart. */
Test(pipeline, along_the_circulant_graph_crowds_a_line, .timeout = 10)
{
    expect("line", 8, "broadcast", "circulant:1", 1, 0, 3, 7);
    expect("line", 8, "broadcast", "circulant:4", 4, 0, 6, 14);
    expect("line", 8, "broadcast", "circulant:16", 16, 0, 18, 42);
}

/* The choice against all numbers of pieces. */
Test(pipeline, chooses_the_number_of_pieces_that_costs_least, .timeout = 60)
{
    static const double alphas[] = {0, 0.5, 1, 3, 10, 1000};
    static const int nodes[] = {1, 2, 3, 5, 8, 16, 31, 64};

    for (size_t i = 0; i < sizeof pipelines / sizeof pipelines[0]; i++)
        for (size_t j = 0; j < sizeof nodes / sizeof nodes[0]; j++)
            for (int n = 0; n < 200; n = n * 5 / 4 + 1)
                for (size_t k = 0; k < sizeof alphas / sizeof alphas[0]; k++) {
                    enum peal_collective collective = pipelines[i].collective[0] == 'b' ? PEAL_BROADCAST : PEAL_REDUCE;
                    const struct peal_algorithm *algorithm = peal_algorithm_find(collective, pipelines[i].name);
                    struct peal_situation situation = {.collective = collective,
                                                       .nodes = nodes[j],
                                                       .words = (size_t)n,
                                                       .ports = 1,
                                                       .parameters = {.alpha = alphas[k], .beta = 1}};
                    struct peal_cost cost;
                    double chosen, least;

                    if ((nodes[j] & (nodes[j] - 1)) != 0 &&
                        (pipelines[i].power_of_two || strcmp(pipelines[i].name, "circulant") == 0))
                        continue;
                    if ((nodes[j] == 3 && strcmp(pipelines[i].name, "two-tree") == 0) ||
                        strcmp(pipelines[i].name, "split-binary") == 0)
                        continue;
                    cr_assert(peal_algorithm_cost(algorithm, &situation, &cost));
                    least = chosen = peal_cost_time(cost, situation.parameters);
                    for (situation.parameter = 1; situation.parameter <= n; situation.parameter++) {
                        cr_assert(peal_algorithm_cost(algorithm, &situation, &cost));
                        if (peal_cost_time(cost, situation.parameters) < least)
                            least = peal_cost_time(cost, situation.parameters);
                    }
                    cr_expect(chosen <= least, "%s/%s P=%d n=%d α=%g: %g, and %g is less", pipelines[i].collective,
                              pipelines[i].name, nodes[j], n, alphas[k], chosen, least);
                }
}

/* ------------------------------------------------------------------ rank order */

Test(reduce, keeps_the_order_of_the_ranks_where_required, .timeout = 60)
{
    static const struct {
        const char *algorithm;
        bool any_root;
    } ordered[] = {{"binomial", true},    {"linear", true},       {"in-order", true},
                   {"in-order:4", true},  {"rabenseifner", true}, {"chain:3", false},
                   {"k-nomial:3", false}, {"k-nomial:5", false},  {"mesh", false}};

    for (size_t i = 0; i < sizeof ordered / sizeof ordered[0]; i++)
        for (int P = 1; P <= 33; P++)
            for (int root = 0; root < P && (root == 0 || ordered[i].any_root); root += P / 5 + 1) {
                struct peal_options options = options_for(P, "full");
                struct performance run;

                perform(&run, &options, "reduce", ordered[i].algorithm, 13, root, PEAL_AFFINE);
                cr_expect(run.status == PEAL_OK && run.outcome.verified, "%s P=%d root %d: %s", ordered[i].algorithm, P,
                          root, run.error.text);
                performance_fini(&run);
            }
}

Test(reduce, by_rabenseifner_halves_the_vector, .timeout = 10)
{
    expect("full", 8, "reduce", "rabenseifner", 64, 5, 6, 2 * 64 * 7 / 8);
    expect("hypercube", 8, "reduce", "rabenseifner", 64, 0, 6, 2 * 64 * 7 / 8);
    expect("full", 13, "reduce", "rabenseifner", 64, 12, 7, 2 * 64 * 7 / 8 + 64);
    expect("full", 6, "reduce", "rabenseifner", 64, 0, 5, 2 * 64 * 3 / 4 + 64);
}

/* ------------------------------------------------------------------ trees on networks */

static void
expect_hops(const char *topology, int nodes, const char *collective, const char *algorithm, int root, int64_t hops)
{
    struct performance run;
    struct peal_cost cost;

    perform_on(&run, topology, nodes, collective, algorithm, 3, root, 1);
    cost = price_on(&run, topology, PEAL_WORMHOLE);
    cr_expect_eq(cost.hop, hops, "%s/%s on %s, root %d: %ld hops, should be %ld", collective, algorithm, topology, root,
                 cost.hop, hops);
    cr_expect_eq(cost.beta, 3 * cost.alpha, "%s on %s: a link is shared", algorithm, topology);
    performance_fini(&run);
}

Test(broadcast, ring_optimal_goes_half_way_round, .timeout = 30)
{
    char name[20];

    for (int z = 2; z <= 130; z += z < 40 ? 1 : 9) {
        snprintf(name, sizeof name, "ring:%d", z);
        expect_hops(name, z, "broadcast", "ring-optimal", z / 3, (z + 1) / 2);
        expect_hops(name, z, "reduce", "ring-optimal", 0, (z + 1) / 2);
    }
    expect_hops("torus:5x6", 30, "broadcast", "ring-optimal", 7, 3 + 3);
    expect_hops("torus:3x4x5", 60, "broadcast", "ring-optimal", 11, 2 + 2 + 3);
}

Test(broadcast, bine_goes_two_thirds_as_far_as_the_binomial_tree, .timeout = 30)
{
    char name[20];

    for (int P = 2; P <= 512; P *= 2) {
        snprintf(name, sizeof name, "ring:%d", P);
        expect_hops(name, P, "broadcast", "bine", P / 2, 2 * P / 3);
        expect_hops(name, P, "reduce", "bine", 0, 2 * P / 3);
    }
}

Test(broadcast, nearest_first_crowds_lines_and_meshes, .timeout = 30)
{
    for (int P = 4, side = 2; P <= 64; P *= 4, side *= 2) {
        char name[40];

        snprintf(name, sizeof name, "mesh:%dx%d", side, side);
        expect("line", P, "broadcast", "binomial-near", 1, 0, NONE, P - 1);
        expect("ring", P, "broadcast", "binomial-near", 1, P / 2, NONE, P - 1);
        expect(name, P, "broadcast", "binomial-near", 1, 0, NONE, 2 * (side - 1));
        expect("line", P, "broadcast", "scatter-doubling", (size_t)P, 0, NONE, P - 1 + (P * P - 1) / 3);
    }
}

Test(broadcast, along_the_dimension_ordered_tree_is_optimal_from_a_corner, .timeout = 30)
{
    struct peal_options options = options_for(24, "mesh:2x3x4");
    struct performance run;

    expect("mesh:4x4", 16, "broadcast", "dost", 3, 0, 6, 18);
    expect("mesh:8x8", 64, "broadcast", "dost", 1, 0, 14, 14);
    expect("line", 9, "broadcast", "dost", 1, 3, 5, 5);
    expect("line", 9, "broadcast", "dost", 1, 4, 5, 5);
    options.ports = PEAL_PORTS_ALL;
    perform(&run, &options, "broadcast", "dost", 1, 17, NULL); /* at 1 1 1: the farthest is 1 + 1 + 2 away */
    cr_expect(run.outcome.verified && run.outcome.closed_form_equal);
    cr_expect_eq(peal_machine_cost(run.machine).alpha, 4);
    performance_fini(&run);
}

/* ------------------------------------------------------------------ multicast */

static void
expect_disjoint(const char *topology, int nodes, const char *routing, const int *to, int count, int root)
{
    struct peal_options options = options_for(nodes, topology);
    struct peal_exercise exercise = {
        .collective = PEAL_MULTICAST, .algorithm = "u-mesh", .words = 2, .root = root, .to = to, .to_count = count};
    struct peal_outcome outcome;
    struct peal_error error = {0};
    struct peal_machine *machine;
    int others = count, rounds = 0;

    options.routing = routing;
    machine = peal_machine_create(&options, &error);
    cr_assert_not_null(machine, "%s", error.text);
    cr_assert_eq(peal_exercise(machine, &exercise, &outcome, &error), PEAL_OK, "%s: %s", topology, error.text);
    for (int i = 0; i < count; i++)
        others -= to[i] == root;
    while (1 << rounds < others + 1)
        rounds++;
    cr_expect(outcome.has_closed_form && outcome.closed_form_equal, "%s", topology);
    cr_expect_eq(peal_machine_cost(machine).alpha, rounds);
    cr_expect_eq(peal_machine_cost(machine).beta, 2 * rounds, "%s, %s: a link is shared", topology,
                 routing == NULL ? "xy" : routing);
    peal_machine_destroy(machine);
}

Test(multicast, u_mesh_shares_no_link_for_any_set_of_ranks, .timeout = 60)
{
    static const struct {
        const char *topology, *other;
        int nodes;
    } networks[] = {{"mesh:4x4", "yx", 16},
                    {"mesh:8x7", "yx", 56},
                    {"mesh:3x4x5", "yx", 60},
                    {"hypercube", NULL, 32},
                    {"line", NULL, 23}};
    unsigned chance = 1;
    int to[64];

    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++)
        for (int set = 0; set < 60; set++) {
            int count = 0, root;

            for (int rank = 0; rank < networks[i].nodes; rank++) {
                chance = chance * 1103515245u + 12345u;
                if ((chance >> 16) % 8 < (unsigned)set % 7 + 1)
                    to[count++] = rank;
            }
            root = (int)((chance >> 8) % (unsigned)networks[i].nodes);
            expect_disjoint(networks[i].topology, networks[i].nodes, NULL, to, count, root);
            if (networks[i].other != NULL)
                expect_disjoint(networks[i].topology, networks[i].nodes, networks[i].other, to, count, root);
        }
}

Test(multicast, u_mesh_to_one_node_is_charged_its_way, .timeout = 60)
{
    static const char *const topologies[] = {"line", "mesh:2x4", "hypercube", "full"};
    static const enum peal_switching switchings[] = {PEAL_IDEAL, PEAL_WORMHOLE, PEAL_STORE_FORWARD};

    for (int i = 0; i < 4 * 3; i++) {
        struct peal_options options = options_for(8, topologies[i % 4]);
        struct peal_machine *machine;

        options.switching = switchings[i / 4];
        machine = peal_machine_create(&options, NULL);
        cr_assert_not_null(machine);
        for (int to = 0; to < 8; to++) {
            struct peal_exercise exercise = {
                .collective = PEAL_MULTICAST, .algorithm = "u-mesh", .words = 3, .root = 5, .to = &to, .to_count = 1};
            struct peal_outcome outcome;

            cr_assert_eq(peal_exercise(machine, &exercise, &outcome, NULL), PEAL_OK);
            cr_expect(outcome.has_closed_form && outcome.closed_form_equal, "%s: to %d, %s", topologies[i % 4], to,
                      peal_switching_name(options.switching));
        }
        peal_machine_destroy(machine);
    }
}
