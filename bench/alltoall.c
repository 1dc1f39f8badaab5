/* SPDX-License-Identifier: MIT */
/* How fast an all-to-all moves large blocks: beside memcpy of the same blocks by as many threads.
 *
 * Protocol
 *   machine   P fibers, the default options, alltoall/shift.  Every node has P blocks to send and P to receive, all
 *             written before.  Between two barriers rank 0 looks at the clock.  A run makes one call for warm-up, then
 *             three; every word that came is checked after.
 *   memcpy    the same P·(P-1) blocks from P vectors to P others, block j of vector i to block i of vector j, written
 *             before; in the order of the rounds, each thread an equal share of every round; as many threads as cores.
 *             Once for warm-up, then three times.
 *   compared  a repetition is a run of the machine, then the copies; of each the median of its three is taken, the
 *             percentage within the repetition, and of all three the median over the repetitions, with the least and
 *             the greatest.
 *   counted   the blocks that change nodes; the machine copies every node's block for itself besides.
 *   aim       at least 90 %.
 *
 *   alltoall [--repetitions=7] [--nodes=64] [--bytes=65536] */
#include "bench/bench.h"

#include <peal/tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 3 };

struct job {
    size_t m; /* words a block */
    double seconds[CALLS];
};

static uint64_t
word_of(int from, int to, size_t w)
{
    return ((uint64_t)from << 44) + ((uint64_t)to << 24) + w;
}

static void
exchange(struct peal_node *me, void *arg)
{
    struct job *job = arg;
    int rank = peal_rank(me), size = peal_size(me);
    size_t m = job->m, n = m * (size_t)size;
    uint64_t *in = peal_alloc(me, n), *out = peal_alloc(me, n);

    for (size_t i = 0; i < n; i++) {
        in[i] = word_of(rank, (int)(i / m), i % m);
        out[i] = 0;
    }
    for (int i = -1; i < CALLS; i++) {
        peal_barrier(me);
        double begin = now_seconds();
        peal_alltoall_by(me, "shift", in, m, out);
        peal_barrier(me);
        if (rank == 0 && i >= 0)
            job->seconds[i] = now_seconds() - begin;
    }
    for (size_t i = 0; i < n; i++)
        if (out[i] != word_of((int)(i / m), rank, i % m))
            peal_abort(me, "a wrong word");
}

/* Seconds of a call. */
static double
measure_machine(size_t m, int nodes)
{
    struct job job = {.m = m};
    struct peal_options options;
    struct peal_error error;

    peal_options_init(&options);
    options.nodes = nodes;
    options.engine = "fibers";
    struct peal_machine *machine = peal_machine_create(&options, &error);
    if (!machine)
        give_up("%s", error.text);
    const struct peal_failure *failure = peal_run(machine, exchange, &job);
    if (failure)
        give_up("%s", failure->message);
    peal_machine_destroy(machine);
    return median(job.seconds, CALLS);
}

/* ------------------------------------------------------------------ memcpy */

struct blocks {
    int nodes, threads;
    size_t m;
    uint64_t **in, **out;
};

static void
copy_share(int t, void *arg)
{
    struct blocks *b = arg;
    int first = (int)((int64_t)b->nodes * t / b->threads), end = (int)((int64_t)b->nodes * (t + 1) / b->threads);

    for (int shift = 1; shift < b->nodes; shift++)
        for (int i = first; i < end; i++) {
            int j = (i + shift) % b->nodes;
            memcpy(b->out[j] + b->m * (size_t)i, b->in[i] + b->m * (size_t)j, b->m * sizeof(uint64_t));
        }
}

static uint64_t **
vectors(int nodes, size_t words)
{
    uint64_t **list = calloc((size_t)nodes, sizeof *list);

    for (int i = 0; list && i < nodes; i++) {
        list[i] = malloc(words * sizeof(uint64_t));
        if (!list[i])
            give_up("no memory for %d vectors of %zu words", nodes, words);
        for (size_t w = 0; w < words; w++)
            list[i][w] = w;
    }
    if (!list)
        give_up("no memory for %d vectors", nodes);
    return list;
}

/* Seconds of copying all blocks once. */
static double
measure_memcpy(struct blocks *blocks)
{
    double seconds[CALLS];

    for (int i = -1; i < CALLS; i++) {
        double begin = now_seconds();
        run_threads(blocks->threads, 0, -1, copy_share, blocks);
        if (i >= 0)
            seconds[i] = now_seconds() - begin;
    }
    return median(seconds, CALLS);
}

/* ------------------------------------------------------------------ the figures */

int
main(int argc, char **argv)
{
    static double machine[MAX_VALUES], plain[MAX_VALUES], percent[MAX_VALUES];
    int repetitions = (int)option_number(argc, argv, "repetitions", 7);
    int nodes = (int)option_number(argc, argv, "nodes", 64);
    size_t bytes = (size_t)option_number(argc, argv, "bytes", 65536), m = bytes / 8;
    double moved = (double)nodes * (nodes - 1) * (double)bytes;
    char more[200];

    refuse_unknown(argc, argv);
    if (repetitions > MAX_VALUES)
        repetitions = MAX_VALUES;
    struct blocks blocks = {.nodes = nodes,
                            .threads = core_count(),
                            .m = m,
                            .in = vectors(nodes, m * (size_t)nodes),
                            .out = vectors(nodes, m * (size_t)nodes)};

    for (int r = 0; r < repetitions; r++) {
        double ours = measure_machine(m, nodes), theirs = measure_memcpy(&blocks);

        machine[r] = moved / ours / 1e9;
        plain[r] = moved / theirs / 1e9;
        percent[r] = 100 * theirs / ours;
    }
    for (int i = 0; i < nodes; i++) {
        free(blocks.in[i]);
        free(blocks.out[i]);
    }
    free(blocks.in);
    free(blocks.out);

    snprintf(more, sizeof more, "\"nodes\": %d, \"bytes\": %zu, \"moved_bytes\": %.0f, \"threads\": %d", nodes, bytes,
             moved, core_count());
    figure("all-to-all", "GB/s", machine, repetitions, "%s", more);
    figure("memcpy of the same blocks", "GB/s", plain, repetitions, "%s", more);
    figure("all-to-all of memcpy", "%", percent, repetitions, "%s", more);
    return 0;
}
