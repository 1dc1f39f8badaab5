/* SPDX-License-Identifier: MIT */
/* How fast large deliveries are copied: a scatter of 64 MiB blocks beside memcpy of the same blocks.
 *
 * Protocol
 *   machine   P nodes, default options, scatter/linear (each block is delivered once, by its own transfer).  The root's
 *             vector is written before; the others' blocks are memory nobody has touched.  Scatter (first touch), then
 *             scatter again into the same memory (second repetition).  Rank 0 looks at the clock between barriers.
 *             Every page of every block is checked after.
 *   memcpy    the same P blocks from one vector to P separate buffers, each thread an equal share, with as many threads
 *             as there are cores; into untouched memory, then again.
 *   compared  rate = P · block / time, for both.  A repetition does machine, then memcpy; the percentage is taken
 *             within it, and the median of the repetitions is printed with the least and the greatest.
 *   copies    words the machine says it copied, over the words of the transfers it recorded: 1 when each word is copied
 *             once, from the sender's buffer to the receiver's.
 *   aim       at least 80 % on touched memory; exactly one copy per word.
 *
 *   copy [--json] [--repetitions=5] [--nodes=8] [--mebibytes=64]       mebibytes: of one block */
#include "bench/bench.h"

#include <inttypes.h>
#include <peal/tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REPETITIONS = 101, PAGE_WORDS = 512, TOUCH = 2 };
static const double aim = 80;
static const char *const touch_names[TOUCH] = {"first touch", "touched"};

/* ------------------------------------------------------------------ the machine */

struct job {
    size_t m;              /* words a block */
    double seconds[TOUCH]; /* written by rank 0 */
};

static void
scatter_twice(struct peal_node *me, void *arg)
{
    struct job *job = arg;
    size_t m = job->m;
    uint64_t *in = NULL, *out = peal_alloc(me, m);

    if (peal_rank(me) == 0) {
        in = peal_alloc(me, m * (size_t)peal_size(me));
        for (size_t i = 0; i < m * (size_t)peal_size(me); i++)
            in[i] = i;
    }
    for (int touch = 0; touch < TOUCH; touch++) {
        peal_barrier(me);
        double begin = now_seconds();
        peal_scatter_by(me, "linear", in, m, 0, out);
        peal_barrier(me);
        if (peal_rank(me) == 0)
            job->seconds[touch] = now_seconds() - begin;
        for (size_t i = 0; i < m; i += PAGE_WORDS) {
            if (out[i] != m * (size_t)peal_rank(me) + i)
                peal_abort(me, "a block with wrong words");
            out[i] = 0;
        }
    }
}

/* Measure once; adds to the words copied and delivered. */
static void
measure_machine(struct job *job, int nodes, uint64_t *copied, uint64_t *delivered)
{
    struct peal_options options;
    struct peal_error error;

    peal_options_init(&options);
    options.nodes = nodes;
    struct peal_machine *machine = peal_machine_create(&options, &error);
    if (!machine)
        give_up("%s", error.text);

    const struct peal_failure *failure = peal_run(machine, scatter_twice, job);
    if (failure)
        give_up("%s", failure->message);

    const struct peal_schedule *schedule = peal_machine_schedule(machine);
    for (size_t i = 0; i < schedule->round_count; i++) {
        const struct peal_round *round = peal_schedule_round(schedule, i);

        for (size_t j = round->first; j < round->first + round->count; j++)
            *delivered += schedule->transfers[j].words;
    }
    *copied += peal_machine_host(machine).copied_words;
    peal_machine_destroy(machine);
}

/* ------------------------------------------------------------------ memcpy */

struct blocks {
    int nodes, threads;
    size_t m;
    uint64_t *in, **out;
};

/* Copy the share of thread t: words of all blocks in a row, cut into equal parts. */
static void
copy_share(int t, void *arg)
{
    struct blocks *blocks = arg;
    size_t total = (size_t)blocks->nodes * blocks->m;
    size_t from = total / (size_t)blocks->threads * (size_t)t;
    size_t end = t == blocks->threads - 1 ? total : total / (size_t)blocks->threads * (size_t)(t + 1);

    while (from < end) {
        size_t block = from / blocks->m, first = from % blocks->m;
        size_t words = blocks->m - first < end - from ? blocks->m - first : end - from;

        memcpy(blocks->out[block] + first, blocks->in + from, words * sizeof(uint64_t));
        from += words;
    }
}

static void
measure_memcpy(struct job *job, int nodes, int threads)
{
    struct blocks blocks = {.nodes = nodes, .threads = threads, .m = job->m};

    blocks.in = calloc((size_t)nodes * job->m, sizeof(uint64_t));
    blocks.out = calloc((size_t)nodes, sizeof *blocks.out);
    for (int i = 0; blocks.out && i < nodes; i++)
        blocks.out[i] = calloc(job->m, sizeof(uint64_t));
    if (!blocks.in || !blocks.out || !blocks.out[nodes - 1])
        give_up("no memory for %d blocks of %zu words, twice", nodes, job->m);
    for (size_t i = 0; i < (size_t)nodes * job->m; i++)
        blocks.in[i] = i;
    for (int touch = 0; touch < TOUCH; touch++) {
        double begin = now_seconds();
        run_threads(threads, 0, -1, copy_share, &blocks);
        job->seconds[touch] = now_seconds() - begin;
        for (size_t i = 0; i < (size_t)nodes * job->m; i += PAGE_WORDS) {
            if (blocks.out[i / job->m][i % job->m] != i)
                give_up("memcpy: a wrong word");
            blocks.out[i / job->m][i % job->m] = 0;
        }
    }
    for (int i = 0; i < nodes; i++)
        free(blocks.out[i]);
    free(blocks.out);
    free(blocks.in);
}

/* ------------------------------------------------------------------ the table */

int
main(int argc, char **argv)
{
    bool json = option_flag(argc, argv, "json");
    int repetitions = (int)option_number(argc, argv, "repetitions", 5);
    int nodes = (int)option_number(argc, argv, "nodes", 8);
    double mebibytes = option_number(argc, argv, "mebibytes", 64);
    struct job machine = {.m = (size_t)(mebibytes * 1048576 / 8)}, plain = machine;
    double bytes = (double)nodes * (double)machine.m * 8, rates[2][TOUCH][MAX_REPETITIONS];
    double percent[TOUCH][MAX_REPETITIONS];
    uint64_t copied = 0, delivered = 0;

    refuse_unknown(argc, argv);
    if (repetitions > MAX_REPETITIONS)
        repetitions = MAX_REPETITIONS;
    for (int r = 0; r < repetitions; r++) {
        measure_machine(&machine, nodes, &copied, &delivered);
        measure_memcpy(&plain, nodes, core_count());
        for (int touch = 0; touch < TOUCH; touch++) {
            rates[0][touch][r] = bytes / machine.seconds[touch] / 1e9;
            rates[1][touch][r] = bytes / plain.seconds[touch] / 1e9;
            percent[touch][r] = 100 * plain.seconds[touch] / machine.seconds[touch];
        }
    }

    double copies = delivered > 0 ? (double)copied / (double)delivered : 0;
    if (json)
        printf("{\"schema\": \"peal/bench-copy/1\", \"repetitions\": %d, \"nodes\": %d, \"block_words\": %zu, "
               "\"threads\": %d, \"copied_words\": %" PRIu64 ", \"delivered_words\": %" PRIu64 ", \"rows\": [",
               repetitions, nodes, machine.m, core_count(), copied, delivered);
    else
        printf(
            "scatter of %d blocks of %g MiB; medians of %d repetitions; memcpy with %d threads; aim: at least %.0f %% "
            "on touched memory\n%-12s %14s %14s %8s   %s\n",
            nodes, mebibytes, repetitions, core_count(), aim, "memory", "machine GB/s", "memcpy GB/s", "percent",
            "least to greatest");
    for (int touch = TOUCH - 1; touch >= 0; touch--) {
        double ours = median(rates[0][touch], repetitions), theirs = median(rates[1][touch], repetitions);
        double middle = median(percent[touch], repetitions);
        double least = percent[touch][0], greatest = percent[touch][repetitions - 1]; /* median() put them in order */

        if (json)
            printf("%s\n  {\"memory\": \"%s\", \"machine_gb_s\": %.2f, \"memcpy_gb_s\": %.2f, \"percent\": %.1f, "
                   "\"percent_least\": %.1f, \"percent_greatest\": %.1f}",
                   touch == TOUCH - 1 ? "" : ",", touch_names[touch], ours, theirs, middle, least, greatest);
        else
            printf("%-12s %14.2f %14.2f %8.0f   %.0f to %.0f\n", touch_names[touch], ours, theirs, middle, least,
                   greatest);
    }
    if (json)
        printf("\n]}\n");
    else
        printf("%" PRIu64 " words delivered, %" PRIu64 " copied: %g a word\n", delivered, copied, copies);
    return copied == delivered && delivered > 0 ? 0 : 1;
}
