/* SPDX-License-Identifier: MIT */
/* Sample sort: P-1 splitters are chosen from samples of all nodes, and every key goes to the node of its bucket.
 *
 *   before       node i has part i of n keys
 *   after        node i has bucket i: the keys above splitter i-1 and up to splitter i
 *   rounds       3(P-1): an all-gather of samples, an all-to-all of sizes, and the exchange
 *   cost         (P-1)(α + β(P-1)) + (P-1)(α + 2β) + (P-1)α + β·(the longest message of each round)
 *   space        n/P keys and as many as come, at most 2n/P; P(P-1) samples
 *   operations   those of three sorts: the node's keys, the samples, the received keys
 *   derivation   all-gather/ring of P-1 words and alltoall/shift of two: how many keys go there, and how many of the
 *                node's keys are in lower buckets, whose sum is where the bucket begins.  How long the last messages
 *                are depends on the keys; regular samples keep a bucket below 2n/P if P divides n and keys differ
 *   source       Grama et al. 2003, section 9.5; Shi, Schaeffer 1992
 *
 *   P = 3
 *     rounds 1, 2    0 -> 1    1 -> 2    2 -> 0                                      samples
 *     rounds 3, 4    0 -> 1    1 -> 2    2 -> 0    and    0 -> 2    1 -> 0    2 -> 1      sizes
 *     rounds 5, 6    likewise                                                        keys                   */
#include "kit.h"
#include <math.h>

/* The number of these sorted keys that are at most `splitter`. */
static size_t
up_to(const int64_t *keys, size_t count, int64_t splitter)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (keys[mid] <= splitter)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Splitter i of P-1, from the sorted samples of all nodes. */
static int64_t *
choose_splitters(struct peal_node *me, const int64_t *keys, size_t m)
{
    size_t P = (size_t)peal_size(me);
    int64_t *mine = peal_alloc(me, P - 1), *all = peal_alloc(me, P * (P - 1));

    for (size_t i = 1; i < P; i++)
        mine[i - 1] = m > 0 ? keys[i * m / P] : INT64_MAX;
    peal_allgather_by(me, "ring", mine, P - 1, all);
    sort_keys(me, all, P * (P - 1));
    for (size_t i = 1; i < P; i++)
        mine[i - 1] = all[i * (P - 1)];
    return mine;
}

static void
run(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    size_t m = part_size(problem->n, P, r), all = 0, first = 0;
    int64_t *keys = peal_alloc(me, m), *sizes = peal_alloc(me, 2 * (size_t)P), *theirs = peal_alloc(me, 2 * (size_t)P);
    size_t *leaving = peal_alloc(me, (size_t)P), *coming = peal_alloc(me, (size_t)P);

    for (size_t i = 0; i < m; i++)
        keys[i] = ((const int64_t *)in)[part_first(problem->n, P, r) + i];
    sort_keys(me, keys, m);
    int64_t *splitters = choose_splitters(me, keys, m);

    for (int j = 0; j < P; j++) {                        /* my keys of bucket j */
        size_t begin = j > 0 ? up_to(keys, m, splitters[j - 1]) : 0, end = j < P - 1 ? up_to(keys, m, splitters[j]) : m;

        leaving[j] = end - begin;
        sizes[2 * j] = (int64_t)leaving[j];
        sizes[2 * j + 1] = (int64_t)begin;
    }
    peal_alltoall_by(me, "shift", sizes, 2, theirs);
    for (int j = 0; j < P; j++) {
        coming[j] = (size_t)theirs[2 * j];
        all += coming[j];
        first += (size_t)theirs[2 * j + 1];
    }
    int64_t *bucket = peal_alloc(me, all);
    peal_alltoallv_by(me, "shift", keys, leaving, bucket, coming);
    sort_keys(me, bucket, all);
    for (size_t i = 0; i < all; i++)
        ((int64_t *)out)[first + i] = bucket[i];
}

static struct peal_estimate
estimate(const struct peal_problem *problem)
{
    double P = problem->machine.nodes;

    return (struct peal_estimate){log2(P) + P - 1, P * (P - 1) + (double)problem->n / P};
}

const struct peal_application app_sample_sort = {
    .name     = "sample-sort",
    .summary  = "sort: splitters from samples, then every key to its bucket",
    SORT_OF_KEYS,
    .needs    = "",
    .run      = run,
    .estimate = estimate,
    .formula  = "log₂P·α + βP(P−1) + (P−1)α + βn/P",
    .differs  = "samples go round a ring, in P−1 rounds and β(P−1)²; sizes go first, (P−1)(α + 2β); a round of the "
                "exchange takes as long as its longest message, which depends on the keys",
    .source   = "Grama et al. 2003, section 9.5; Shi, Schaeffer 1992",
};
