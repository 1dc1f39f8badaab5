/* SPDX-License-Identifier: MIT */
/* All-to-all with everything posted at once: P sends and P receives per node, one wait, in every order of posting.
 *
 * Protocol
 *   machine   P nodes on one carrier, the default options but for the engine.  Every node posts its sends of one word,
 *             then its receives, each in an order of its own (below), then waits for all of them: P² requests of either
 *             kind are pending at once.  The figure is the wall time from the first post to the last wait; what came is
 *             checked after.
 *   own clock the same by the clock of rank 0's thread, which of fibers all nodes run on: it stands still while another
 *             process has the core.
 *   orders    ascending     0, 1, 2 ..: every node floods node 0 first
 *             descending    P-1, P-2 ..
 *             shifted       the node after, the second after ..: partners never collide
 *             random        a permutation of each node's own
 *             The table has every order of sends with every order of receives.
 *   compared  a repetition goes once through all pairs of orders; medians of the repetitions, with the least and the
 *             greatest.
 *   aim       at most 1 s at P = 1024 in every order; transfers and rounds say how much there was to do.
 *
 *   orders [--json] [--fibers] [--repetitions=3] [--nodes=1024]       --fibers: the nodes are fibers */
#include "bench/bench.h"

#include <peal/tools.h>
#include <stdio.h>
#include <stdlib.h>

enum { ASCENDING, DESCENDING, SHIFTED, RANDOM, ORDERS };
static const char *const order_names[ORDERS] = {"ascending", "descending", "shifted", "random"};
enum { MAX_REPETITIONS = 101 };
static const double aim = 1;

struct job {
    int send_order, receive_order;
    double begin, end;         /* written by rank 0 */
    double cpu_begin, cpu_end; /* the same by the clock of its thread: of fibers, the carrier's */
};

/* The peers of a node, in this order. */
static void
set_order(struct peal_node *me, int order, int *peers)
{
    int rank = peal_rank(me), size = peal_size(me);

    for (int i = 0; i < size; i++)
        peers[i] = order == DESCENDING ? size - 1 - i : order == SHIFTED ? (rank + 1 + i) % size : i;
    for (int i = size - 1; order == RANDOM && i > 0; i--) {
        int j = (int)(peal_random(me) % (uint64_t)(i + 1)), swapped = peers[i];

        peers[i] = peers[j];
        peers[j] = swapped;
    }
}

static void
all_to_all(struct peal_node *me, void *arg)
{
    struct job *job = arg;
    int rank = peal_rank(me), size = peal_size(me);
    size_t count = (size_t)size;
    uint64_t *out = peal_alloc(me, count), *in = peal_alloc(me, count);
    int *peers = (int *)peal_alloc(me, count);

    for (int i = 0; i < size; i++)
        out[i] = (uint64_t)rank * count + (uint64_t)i;
    set_order(me, job->send_order, peers);
    peal_barrier(me);
    if (rank == 0) {
        job->cpu_begin = cpu_seconds();
        job->begin = now_seconds();
    }
    for (int i = 0; i < size; i++)
        peal_send_async(me, &out[peers[i]], 1, peers[i]);
    set_order(me, job->receive_order, peers);
    for (int i = 0; i < size; i++)
        peal_recv_async(me, &in[peers[i]], 1, peers[i]);
    peal_wait_all(me);
    peal_barrier(me);
    if (rank == 0) {
        job->end = now_seconds();
        job->cpu_end = cpu_seconds();
    }
    for (int i = 0; i < size; i++)
        if (in[i] != (uint64_t)i * count + (uint64_t)rank)
            peal_abort(me, "a word from the wrong node");
}

static void
measure(struct job *job, const struct peal_options *options, uint64_t *rounds)
{
    struct peal_error error;
    struct peal_machine *machine = peal_machine_create(options, &error);

    if (!machine)
        give_up("%s", error.text);
    const struct peal_failure *failure = peal_run(machine, all_to_all, job);

    if (failure)
        give_up("%s", failure->message);
    *rounds = peal_machine_host(machine).rounds;
    peal_machine_destroy(machine);
}

int
main(int argc, char **argv)
{
    double seconds[ORDERS][ORDERS][MAX_REPETITIONS], cpu[ORDERS][ORDERS][MAX_REPETITIONS];
    uint64_t rounds[ORDERS][ORDERS];
    struct peal_options options;
    bool json = option_flag(argc, argv, "json");

    peal_options_init(&options);
    options.engine = option_flag(argc, argv, "fibers") ? "fibers" : "threads";
    options.carriers = 1;
    options.nodes = (int)option_number(argc, argv, "nodes", 1024);
    int repetitions = (int)option_number(argc, argv, "repetitions", 3);

    refuse_unknown(argc, argv);
    if (repetitions > MAX_REPETITIONS)
        repetitions = MAX_REPETITIONS;
    for (int r = 0; r < repetitions; r++)
        for (int s = 0; s < ORDERS; s++)
            for (int t = 0; t < ORDERS; t++) {
                struct job job = {.send_order = s, .receive_order = t};

                measure(&job, &options, &rounds[s][t]);
                seconds[s][t][r] = job.end - job.begin;
                cpu[s][t][r] = job.cpu_end - job.cpu_begin;
            }
    if (json)
        printf(
            "{\"schema\": \"peal/bench-orders/1\", \"repetitions\": %d, \"nodes\": %d, \"engine\": \"%s\", \"rows\": [",
            repetitions, options.nodes, options.engine);
    else
        printf("all-to-all of %d nodes (%s), all posted at once; medians of %d repetitions; aim: at most %g s at 1024 "
               "nodes\n"
               "%-11s %-11s %7s %9s %9s %12s   %s\n",
               options.nodes, options.engine, repetitions, aim, "sends", "receives", "rounds", "seconds", "own clock",
               "ns a transfer", "least to greatest");
    for (int s = 0; s < ORDERS; s++)
        for (int t = 0; t < ORDERS; t++) {
            double middle = median(seconds[s][t], repetitions), *ordered = seconds[s][t];
            double each = 1e9 * middle / options.nodes / options.nodes, own = median(cpu[s][t], repetitions);

            if (json)
                printf("%s\n  {\"sends\": \"%s\", \"receives\": \"%s\", \"rounds\": %llu, \"seconds\": %.4f, "
                       "\"transfer_ns\": %.1f, \"seconds_least\": %.4f, \"seconds_greatest\": %.4f, "
                       "\"cpu_seconds\": %.4f}",
                       s + t ? "," : "", order_names[s], order_names[t], (unsigned long long)rounds[s][t], middle, each,
                       ordered[0], ordered[repetitions - 1], own);
            else
                printf("%-11s %-11s %7llu %9.3f %9.3f %13.0f   %.3f to %.3f\n", order_names[s], order_names[t],
                       (unsigned long long)rounds[s][t], middle, own, each, ordered[0], ordered[repetitions - 1]);
        }
    if (json)
        printf("\n]}\n");
    return 0;
}
