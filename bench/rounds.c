/* SPDX-License-Identifier: MIT */
/* What a round costs the host: nanoseconds per node-round, beside the least that threads can do.
 *
 * Protocol
 *   machine   P nodes, the default options but for the carriers and the engine.  In every round each node sends one
 *             word to its right neighbour and receives one from its left (one peal_sendrecv).  Rank 0 looks at the
 *             clock after a tenth of the rounds (warm-up) and after the last; the figure is wall time / (rounds · P).
 *             So everything that belongs to a round is in it: switching, matching, admitting, charging, recording,
 *             copying.
 *   ring      P bare threads on one core pass a token (bench/ring.c), for as many hops.  A node-round holds one such
 *             switch, so this is the floor of an engine of threads.
 *   compared  a repetition measures the ring, then the machine on one carrier, then on two; a ratio is taken within a
 *             repetition, and the median of the repetitions' ratios is printed with the least and the greatest.  The
 *             columns in ns are medians over the repetitions of their own.
 *   aim       at most 1.3 on one carrier.
 *
 *   rounds [--json] [--fibers] [--repetitions=7] [--hops=400000]
 *             hops: node-rounds and token hops in a repetition.  --fibers: the machine's nodes are fibers, whose aim is
 *             80 ns */
#include "bench/bench.h"

#include <peal/tools.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_REPETITIONS = 101 };
static const double aim = 1.3;
static const char *engine = "threads";

/* ------------------------------------------------------------------ the machine */

struct shift {
    int warm_up, rounds; /* rounds in all */
    double begin, end;   /* written by rank 0 */
};

static void
shift(struct peal_node *me, void *arg)
{
    struct shift *shift = arg;
    int rank = peal_rank(me), size = peal_size(me), right = (rank + 1) % size, left = (rank + size - 1) % size;
    uint64_t word = (uint64_t)rank, next = 0;

    for (int round = 0; round < shift->rounds; round++) {
        if (rank == 0 && round == shift->warm_up)
            shift->begin = now_seconds();
        peal_sendrecv(me, &word, 1, right, &next, 1, left);
        word = next;
    }
    if (rank == 0)
        shift->end = now_seconds();
    if (word != (uint64_t)((rank + (int64_t)size * shift->rounds - shift->rounds) % size))
        peal_abort(me, "the words went astray");
}

static double
measure_machine(int nodes, int carriers, int hops)
{
    int measured = hops / nodes > 10 ? hops / nodes : 10, warm_up = measured / 10;
    struct shift arg = {.warm_up = warm_up, .rounds = warm_up + measured};
    struct peal_options options;
    struct peal_error error;

    peal_options_init(&options);
    options.nodes = nodes;
    options.carriers = carriers;
    options.engine = engine;
    struct peal_machine *machine = peal_machine_create(&options, &error);
    if (!machine)
        give_up("%s", error.text);

    const struct peal_failure *failure = peal_run(machine, shift, &arg);
    if (failure)
        give_up("%s", failure->message);
    if (peal_machine_cost(machine).alpha != arg.rounds)
        give_up("%d rounds were asked for, %lld were made", arg.rounds, (long long)peal_machine_cost(machine).alpha);
    peal_machine_destroy(machine);
    return 1e9 * (arg.end - arg.begin) / ((double)measured * nodes);
}

/* ------------------------------------------------------------------ the table */

int
main(int argc, char **argv)
{
    static const int sizes[] = {8, 64, 1024}, carriers[] = {1, 2};
    bool json = option_flag(argc, argv, "json");
    if (option_flag(argc, argv, "fibers"))
        engine = "fibers";
    int repetitions = (int)option_number(argc, argv, "repetitions", 7);
    int hops = (int)option_number(argc, argv, "hops", 400000);

    refuse_unknown(argc, argv);
    if (repetitions > MAX_REPETITIONS)
        repetitions = MAX_REPETITIONS;

    if (json)
        printf("{\"schema\": \"peal/bench-rounds/1\", \"repetitions\": %d, \"hops\": %d, \"cores\": %d, \"engine\": "
               "\"%s\", \"rows\": [",
               repetitions, hops, core_count(), engine);
    else
        printf("ns a node-round of %s; medians of %d repetitions, %d cores; aim of threads: at most %.1f times the "
               "ring on one "
               "carrier\n"
               "%6s %9s %12s %9s %7s   %s\n",
               engine, repetitions, core_count(), aim, "nodes", "carriers", "machine", "ring", "ratio",
               "least to greatest");

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double ring[MAX_REPETITIONS], machine[2][MAX_REPETITIONS], ratio[2][MAX_REPETITIONS];

        for (int r = 0; r < repetitions; r++) {
            ring[r] = measure_ring(sizes[i], first_core(), hops);
            for (int c = 0; c < 2; c++) {
                machine[c][r] = measure_machine(sizes[i], carriers[c], hops);
                ratio[c][r] = machine[c][r] / ring[r];
            }
        }
        double ring_ns = median(ring, repetitions);
        for (int c = 0; c < 2; c++) {
            double ns = median(machine[c], repetitions), middle = median(ratio[c], repetitions);
            double least = ratio[c][0], greatest = ratio[c][repetitions - 1]; /* median() put them in order */

            if (json)
                printf("%s\n  {\"nodes\": %d, \"carriers\": %d, \"machine_ns\": %.0f, \"ring_ns\": %.0f, "
                       "\"ratio\": %.3f, \"ratio_least\": %.3f, \"ratio_greatest\": %.3f}",
                       i + (size_t)c ? "," : "", sizes[i], carriers[c], ns, ring_ns, middle, least, greatest);
            else
                printf("%6d %9d %12.0f %9.0f %7.2f   %.2f to %.2f\n", sizes[i], carriers[c], ns, ring_ns, middle, least,
                       greatest);
            fflush(stdout);
        }
    }
    if (json)
        printf("\n]}\n");
    return 0;
}
