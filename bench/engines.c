/* SPDX-License-Identifier: MIT */
/* Up to how many nodes threads are as fast as fibers: a whole run on each, from the machine's creation to its end.
 *
 * Protocol
 *   rounds    P nodes shift a word round the ring 64 times: nothing but switches and rounds
 *   allreduce the ring's, of 8 Ki words, twice: what `peal compare` runs, with data
 *   computing 16 rounds of a barrier, before each of which a node computes for about a quarter of a millisecond
 *   ratio     the time on threads divided by that on fibers, both within one repetition, one after the other; the
 *             median of the repetitions' ratios.  `auto` takes threads as long as the ratio of the first two is small
 *             (THREADS_AT_EASE in lib/machine/run.c); the third shows what a program that computes loses on one core.
 *
 *   engines [--repetitions=11] [--nodes=0] (0: 1, 2, 4, ... 128) */
#include "bench/bench.h"

#include <peal/tools.h>

enum { SHIFTS = 64, WORDS = 8 << 10, CALLS = 2, BARRIERS = 16, MOST_NODES = 128 };

static void
rounds(struct peal_node *me, void *arg)
{
    int rank = peal_rank(me), size = peal_size(me);
    uint64_t word = (uint64_t)rank, next = 0;

    (void)arg;
    for (int i = 0; i < SHIFTS; i++, word = next)
        peal_sendrecv(me, &word, 1, (rank + 1) % size, &next, 1, (rank + size - 1) % size);
}

static void
allreduce(struct peal_node *me, void *arg)
{
    int64_t *a = peal_alloc(me, WORDS);

    (void)arg;
    for (size_t i = 0; i < WORDS; i++)
        a[i] = 1;
    for (int i = 0; i < CALLS; i++)
        peal_allreduce_by(me, "ring", PEAL_SUM_INT64, a, WORDS);
}

static void
computing(struct peal_node *me, void *arg)
{
    volatile double x = 1;

    (void)arg;
    for (int i = 0; i < BARRIERS; i++) {
        for (int j = 0; j < 100000; j++)
            x = x * 1.0000001 + 1e-9;
        peal_barrier(me);
    }
}

/* Seconds of a run on a machine of its own. */
static double
measure(const char *engine, int nodes, peal_program program)
{
    struct peal_options options;
    struct peal_error error;
    double begin = now_seconds();

    peal_options_init(&options);
    options.nodes = nodes;
    options.engine = engine;
    struct peal_machine *machine = peal_machine_create(&options, &error);
    if (!machine)
        give_up("%s", error.text);
    const struct peal_failure *failure = peal_run(machine, program, NULL);
    if (failure)
        give_up("%s", failure->message);
    peal_machine_destroy(machine);
    return now_seconds() - begin;
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        peal_program program;
    } works[] = {{"rounds", rounds}, {"allreduce", allreduce}, {"computing", computing}};
    static double ratios[MAX_VALUES], threads[MAX_VALUES];
    int repetitions = (int)option_number(argc, argv, "repetitions", 11);
    int only = (int)option_number(argc, argv, "nodes", 0);

    refuse_unknown(argc, argv);
    if (repetitions > MAX_VALUES)
        repetitions = MAX_VALUES;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        for (int nodes = only > 0 ? only : 1; nodes <= (only > 0 ? only : MOST_NODES); nodes *= 2) {
            for (int r = -1; r < repetitions; r++) {
                double taken = measure("threads", nodes, works[i].program);

                threads[r < 0 ? 0 : r] = 1e3 * taken;
                ratios[r < 0 ? 0 : r] = taken / measure("fibers", nodes, works[i].program);
            }
            figure(works[i].name, "ms on threads", threads, repetitions, "\"nodes\": %d", nodes);
            figure(works[i].name, "threads / fibers", ratios, repetitions, "\"nodes\": %d", nodes);
        }
    return 0;
}
