/* SPDX-License-Identifier: MIT */
/* How fast an all-to-all moves large blocks: beside memcpy of the same blocks by as many threads.
 *
 * Protocol
 *   machine   P fibers, the default options, alltoall/shift.  Every node has P blocks to send and P to receive, all
 *             written before.  Between two barriers rank 0 looks at the clock.  A run does one call more than are measured;
 *             every word that came is checked after.
 *   memcpy    the same P·(P-1) blocks from P vectors to P others, block j of vector i to block i of vector j, written
 *             before; in the order of the rounds, each thread an equal share of every round; as many threads as cores.
 *   compared  a repetition is a call of the machine's, then a memcpy of all blocks (in the runs' order); the percentage is
 *             taken between the i-th of each, and the median printed with the least and the greatest.
 *   counted   the blocks that change nodes; the machine copies every node's block for itself besides.
 *   aim       at least 90 %.
 *
 *   alltoall [--repetitions=7] [--nodes=64] [--bytes=65536] */
#include "bench/bench.h"

#include <peal/peal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
    size_t m; /* words a block */
    int calls;
    double seconds[MOST_VALUES];
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
    for (int i = -1; i < job->calls; i++) {
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

static void
measure_machine(struct job *job, int nodes)
{
    struct peal_options options;
    struct peal_error error;

    peal_options_init(&options);
    options.nodes = nodes;
    options.engine = "fibers";
    struct peal_machine *machine = peal_machine_create(&options, &error);
    if (!machine)
        give_up("%s", error.text);
    const struct peal_failure *failure = peal_run(machine, exchange, job);
    if (failure)
        give_up("%s", failure->message);
    peal_machine_destroy(machine);
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

static void
measure_memcpy(struct job *job, int nodes)
{
    size_t n = job->m * (size_t)nodes;
    struct blocks blocks = {.nodes = nodes, .threads = core_count(), .m = job->m};

    blocks.in = vectors(nodes, n);
    blocks.out = vectors(nodes, n);
    for (int i = -1; i < job->calls; i++) {
        double begin = now_seconds();
        run_threads(blocks.threads, 0, -1, copy_share, &blocks);
        if (i >= 0)
            job->seconds[i] = now_seconds() - begin;
    }
    for (int i = 0; i < nodes; i++) {
        free(blocks.in[i]);
        free(blocks.out[i]);
    }
    free(blocks.in);
    free(blocks.out);
}

/* ------------------------------------------------------------------ the figures */

int
main(int argc, char **argv)
{
    static struct job machine, plain;
    static double percent[MOST_VALUES];
    int repetitions = (int)option_number(argc, argv, "repetitions", 7);
    int nodes = (int)option_number(argc, argv, "nodes", 64);
    size_t bytes = (size_t)option_number(argc, argv, "bytes", 65536);
    char more[200];

    refuse_unknown(argc, argv);
    if (repetitions > MOST_VALUES)
        repetitions = MOST_VALUES;
    machine.m = plain.m = bytes / 8;
    machine.calls = plain.calls = repetitions;
    measure_machine(&machine, nodes);
    measure_memcpy(&plain, nodes);
    double moved = (double)nodes * (nodes - 1) * (double)bytes;
    for (int r = 0; r < repetitions; r++) {
        percent[r] = 100 * plain.seconds[r] / machine.seconds[r];
        machine.seconds[r] = moved / machine.seconds[r] / 1e9;
        plain.seconds[r] = moved / plain.seconds[r] / 1e9;
    }
    snprintf(more, sizeof more, "\"nodes\": %d, \"bytes\": %zu, \"moved_bytes\": %.0f, \"threads\": %d", nodes, bytes, moved,
             core_count());
    figure("all-to-all", "GB/s", machine.seconds, repetitions, "%s", more);
    figure("memcpy of the same blocks", "GB/s", plain.seconds, repetitions, "%s", more);
    figure("all-to-all of memcpy", "%", percent, repetitions, "%s", more);
    return 0;
}
