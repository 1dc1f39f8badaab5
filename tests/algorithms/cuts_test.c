/* SPDX-License-Identifier: MIT */
/* Lower bounds by cuts: against every cut of random networks, and the published numbers. */
#include "harness.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX = 24, WIDEST = 3 };

/* ------------------------------------------------------------------ random networks */

static uint64_t state = 7;

static int
chance(int below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)below);
}

static uint32_t joined[WIDEST + 1][MAX]; /* by capacity: the neighbours of each node */

/* Make a connected network of links of capacities 1 to WIDEST. */
static struct peal_network *
random_network(int nodes)
{
    char path[] = "/tmp/peal-cuts-XXXXXX", spec[64];
    FILE *file = fdopen(mkstemp(path), "w");
    struct peal_error error = {0};

    memset(joined, 0, sizeof joined);
    for (int b = 1; b < nodes; b++)
        for (int a = 0, must = chance(b); a < b; a++) {
            int capacity = 1 + chance(WIDEST);

            if (a != must && chance(nodes) > 1)
                continue;
            fprintf(file, "%d %d %d\n", a, b, capacity);
            joined[capacity][a] |= UINT32_C(1) << b;
            joined[capacity][b] |= UINT32_C(1) << a;
        }
    fclose(file);
    snprintf(spec, sizeof spec, "file:%s", path);
    struct peal_network *network = peal_network_create(spec, nodes, NULL, &error);

    unlink(path);
    cr_assert(network, "%s", error.text);
    return network;
}

static int64_t
capacity_of(int nodes, uint32_t inside, uint32_t outside)
{
    int64_t sum = 0;

    for (int v = 0; v < nodes; v++)
        for (int c = 1; c <= WIDEST && inside >> v & 1; c++)
            sum += c * __builtin_popcount(joined[c][v] & outside);
    return sum;
}

/* ------------------------------------------------------------------ the words that must leave a set */

static int64_t
words_out_of(enum peal_collective collective, uint32_t inside, uint32_t outside, int root, int64_t words)
{
    int64_t in = __builtin_popcount(inside), out = __builtin_popcount(outside);
    bool root_inside = inside >> root & 1;

    switch ((int)collective) {
    case PEAL_ALLGATHER:
        return in * words;
    case PEAL_REDUCE_SCATTER:
        return out * words;
    case PEAL_ALLREDUCE:
        return words;
    case PEAL_BROADCAST:
        return root_inside ? words : 0;
    case PEAL_REDUCE:
        return root_inside ? 0 : words;
    case PEAL_SCATTER:
        return root_inside ? out * words : 0;
    case PEAL_GATHER:
        return root_inside ? 0 : in * words;
    case PEAL_ALLTOALL:
        return in * out * words;
    default: /* scans: a node outside that comes after one inside needs the sum up to there */
        return __builtin_popcount(outside & inside << 1) * words;
    }
}

static const enum peal_collective collectives[] = {PEAL_ALLGATHER, PEAL_REDUCE_SCATTER, PEAL_ALLREDUCE, PEAL_BROADCAST,
                                                   PEAL_REDUCE,    PEAL_SCATTER,        PEAL_GATHER,    PEAL_ALLTOALL,
                                                   PEAL_SCAN,      PEAL_EXSCAN};

enum {
    COLLECTIVES = sizeof collectives / sizeof *collectives,
    SUMS = 8 /* for which flows are exact: but all-to-all, scans */
};

/* Compare the cut that is given with the best of all. */
static void
expect_best_cut(const struct peal_network *network, enum peal_collective collective, int root)
{
    int nodes = peal_network_nodes(network);
    uint32_t all = nodes == 32 ? UINT32_MAX : (UINT32_C(1) << nodes) - 1;
    int64_t words = 3, most = 0, least = 1;
    struct peal_situation situation = {.collective = collective,
                                       .nodes = nodes,
                                       .words = (size_t)words,
                                       .root = peal_collective_has_root(collective) ? root : 0,
                                       .network = network,
                                       .op = peal_collective_has_op(collective) ? PEAL_SUM_INT64 : NULL,
                                       .ports = PEAL_PORTS_ALL};
    struct peal_cut cut;
    struct peal_cost bound;
    const char *name = peal_collective_name(collective);

    for (uint32_t inside = 1; inside < all; inside++) {
        int64_t out = words_out_of(collective, inside, all & ~inside, situation.root, words);
        int64_t capacity = out * least > 0 ? capacity_of(nodes, inside, all & ~inside) : 1;

        if (out * least > most * capacity) {
            most = out;
            least = capacity;
        }
    }
    cr_assert(peal_lower_bound(&situation, &bound, NULL));
    cr_expect_geq(bound.beta, (most + least - 1) / least, "%s on %d nodes: %ld below %ld/%ld", name, nodes, bound.beta,
                  most, least);
    if (!peal_lower_bound_cut(&situation, &cut))
        return; /* something else is above */
    uint32_t inside = (uint32_t)cut.member[0];

    cr_expect_eq(cut.count, __builtin_popcount(inside));
    cr_expect_eq((int64_t)cut.words * least, most * (int64_t)cut.capacity, "%s on %d nodes: %ld/%ld, not %ld/%ld", name,
                 nodes, cut.words, cut.capacity, most, least);
    cr_expect_eq((int64_t)cut.capacity, capacity_of(nodes, inside, all & ~inside));
    if (cut.into)
        inside = all & ~inside;
    cr_expect_eq((int64_t)cut.words, words_out_of(collective, inside, all & ~inside, situation.root, words));
}

Test(cuts, of_small_networks_are_the_best_of_all, .timeout = 60)
{
    for (int i = 0; i < 150; i++) {
        int nodes = 2 + chance(7);
        struct peal_network *network = random_network(nodes);

        for (int c = 0; c < COLLECTIVES; c++)
            expect_best_cut(network, collectives[c], chance(nodes));
        peal_network_destroy(network);
    }
}

Test(cuts, of_larger_networks_are_found_by_flows, .timeout = 120)
{
    for (int i = 0; i < 3; i++) {
        int nodes = 21 + i % 2;
        struct peal_network *network = random_network(nodes);

        for (int c = 0; c < SUMS - 1; c++)
            expect_best_cut(network, collectives[c], chance(nodes));
        peal_network_destroy(network);
    }
}

/* ------------------------------------------------------------------ published numbers */

/* msccl-tools, SYNTHESIS.md: 7/6 rounds a chunk, and two steps. */
Test(cuts, allgather_on_dgx1_takes_two_steps_and_seven_sixths_of_a_block, .timeout = 5)
{
    struct peal_network *network = peal_network_create("dgx1", 8, NULL, NULL);
    struct peal_situation situation = {
        .collective = PEAL_ALLGATHER, .nodes = 8, .words = 6, .network = network, .ports = PEAL_PORTS_ALL};
    struct peal_cost bound;
    struct peal_cut cut;
    char text[200];

    for (int congestion = PEAL_COUNT; congestion <= PEAL_VOLUME; congestion++) {
        situation.congestion = (enum peal_congestion)congestion;
        cr_assert(peal_lower_bound(&situation, &bound, NULL));
        cr_expect_eq(bound.alpha, 2);
        cr_expect_eq(bound.beta, 7);
        cr_assert(peal_lower_bound_cut(&situation, &cut));
        cr_expect_str_eq(peal_cut_text(&cut, text, sizeof text),
                         "node {0} must take in 42 words over links of capacity 6");
    }
    peal_network_destroy(network);
}

/* Two groups of twelve nodes, each two of a group joined, and one link of capacity 3 between the groups. */
Test(cuts, two_groups_are_held_back_by_the_link_between_them, .timeout = 20)
{
    char path[] = "/tmp/peal-cuts-XXXXXX", spec[64], text[200];
    FILE *file = fdopen(mkstemp(path), "w");
    struct peal_cut cut;

    for (int a = 0; a < 24; a++)
        for (int b = a + 1; b < 24; b++)
            if (a / 12 == b / 12)
                fprintf(file, "%d %d 2\n", a, b);
    fputs("11 12 3\n", file);
    fclose(file);
    snprintf(spec, sizeof spec, "file:%s", path);
    struct peal_network *network = peal_network_create(spec, 24, NULL, NULL);

    cr_assert(network);
    unlink(path);
    for (int c = 0; c < COLLECTIVES; c++) {
        struct peal_situation situation = {
            .collective = collectives[c], .nodes = 24, .words = 5, .network = network, .ports = PEAL_PORTS_ALL};
        bool found = peal_lower_bound_cut(&situation, &cut);

        if (collectives[c] != PEAL_ALLGATHER && collectives[c] != PEAL_REDUCE_SCATTER &&
            collectives[c] != PEAL_ALLTOALL)
            continue;
        cr_assert(found);
        snprintf(text, sizeof text, "nodes {0 1 2 3 4 5 6 7 8 9 10 11} must %s %d words over links of capacity 3",
                 cut.into ? "take in" : "send out", collectives[c] == PEAL_ALLTOALL ? 12 * 12 * 5 : 12 * 5);
        char got[200];

        peal_cut_text(&cut, got, sizeof got);
        cr_expect_str_eq(got, text);
    }
    peal_network_destroy(network);
}
