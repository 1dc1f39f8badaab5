/* SPDX-License-Identifier: MIT */
/* What a transfer costs the host on a machine of fibers, and what a node costs to start.
 *
 * Protocol
 *   machine     P fibers on one carrier, the default options: every round is matched, admitted, routed, charged,
 *               recorded and kept, with the critical path.  Words of 8 bytes, messages of one word.
 *   ring shift  on torus:(P/columns)x(columns).  In every round each node sends to the node `distance` ranks after it
 *               and receives from the one as far before it (one peal_sendrecv).  Rank 0 looks at the clock after a
 *               tenth of the rounds, at least one (warm-up), and after the last; a transfer is the time between /
 *               (rounds · P). "hops" is the mean over the nodes of the route's length.  What came is checked at the
 *               end.
 *   further hop --far is a second distance, whose machine runs after the first in each repetition: the difference of
 *   both
 *               figures by the difference of their hops.
 *   broadcast   broadcast/binomial on the full network, P - 1 transfers.  All nodes rest for a round, so that all have
 *               begun; rank 0 looks at the clock, broadcasts, rests for a round in which all the others have their
 *               turn, and looks again.  The first broadcast of a run is reported apart from the mean of those after it.
 *   start       from before peal_machine_create until the last rank begins, / P.  Nodes begin in rank order, each runs
 *               until its first wait, which is included.
 *   warm        a repetition makes a machine, runs it and destroys it.  The first one of the process is reported apart:
 *               it touches memory that the others then find again.
 *   cpu_ns      the same as a transfer by the carrier's own clock, which stands still while another process has the
 *               core: the median of the repetitions.  On a quiet machine both are the same.
 *   peak        the process's largest resident size.
 *
 *   transfers [--broadcast] [--repetitions=5] [--nodes=1024] [--columns=32] [--distance=1] [--far=0]
 *             [--rounds=400] */
#include "bench/bench.h"

#include <peal/tools.h>
#include <stdio.h>

struct job {
    bool broadcast;
    int distance;
    int warm_up, rounds;             /* rounds or broadcasts: at first, and in all */
    double start, first, begin, end; /* start is written by the last rank, the others by rank 0 */
    double cpu_begin, cpu_end;       /* of the carrier; by rank 0 */
};

static void
shift(struct peal_node *me, struct job *job)
{
    int rank = peal_rank(me), size = peal_size(me);
    int to = (rank + job->distance) % size, from = (rank + size - job->distance) % size;
    uint64_t word = (uint64_t)rank, next = 0;

    for (int round = 0; round < job->rounds; round++) {
        if (rank == 0 && round == job->warm_up) {
            job->cpu_begin = cpu_seconds();
            job->begin = now_seconds();
        }
        peal_sendrecv(me, &word, 1, to, &next, 1, from);
        word = next;
    }
    if (rank == 0) {
        job->end = now_seconds();
        job->cpu_end = cpu_seconds();
    }
    int64_t origin = (rank - (int64_t)job->distance * job->rounds) % size;

    if (word != (uint64_t)(origin < 0 ? origin + size : origin))
        peal_abort(me, "the words went astray");
}

static void
broadcast(struct peal_node *me, struct job *job)
{
    int rank = peal_rank(me);

    peal_next_round(me);
    for (int i = 0; i < job->rounds; i++) {
        uint64_t word = rank == 0 ? (uint64_t)i + 1 : 0;
        double begin = rank == 0 ? now_seconds() : 0;

        if (rank == 0 && i == job->warm_up) {
            job->cpu_begin = cpu_seconds();
            job->begin = begin;
        }
        peal_broadcast_by(me, "binomial", &word, 1, 0);
        peal_next_round(me);
        if (rank == 0 && i == 0)
            job->first = now_seconds() - begin;
        if (word != (uint64_t)i + 1)
            peal_abort(me, "a wrong word");
    }
    if (rank == 0) {
        job->end = now_seconds();
        job->cpu_end = cpu_seconds();
    }
}

static void
program(struct peal_node *me, void *arg)
{
    struct job *job = arg;

    if (peal_rank(me) == peal_size(me) - 1)
        job->start = now_seconds();
    if (job->broadcast)
        broadcast(me, job);
    else
        shift(me, job);
}

static double
mean_hops(const struct peal_network *network, int distance)
{
    int nodes = peal_network_nodes(network);
    double sum = 0;

    for (int i = 0; i < nodes; i++)
        sum += peal_network_distance(network, i, (i + distance) % nodes);
    return sum / nodes;
}

/* What one machine showed. */
struct shown {
    double start_ns, first_ns, transfer_ns, cpu_ns, hops, peak_bytes;
};

static struct shown
measure(struct job *job, const struct peal_options *options)
{
    struct peal_error error;
    double begin = now_seconds(), transfers = job->broadcast ? options->nodes - 1 : options->nodes;
    struct peal_machine *machine = peal_machine_create(options, &error);

    if (!machine)
        give_up("%s", error.text);
    const struct peal_failure *failure = peal_run(machine, program, job);
    if (failure)
        give_up("%s", failure->message);

    const struct peal_schedule *schedule = peal_machine_schedule(machine);
    if ((double)schedule->transfer_count != transfers * job->rounds)
        give_up("%.0f transfers were asked for, %zu were made", transfers * job->rounds, schedule->transfer_count);
    struct shown shown = {
        .start_ns = 1e9 * (job->start - begin) / options->nodes,
        .first_ns = 1e9 * job->first / transfers,
        .transfer_ns = 1e9 * (job->end - job->begin) / (transfers * (job->rounds - job->warm_up)),
        .cpu_ns = 1e9 * (job->cpu_end - job->cpu_begin) / (transfers * (job->rounds - job->warm_up)),
        .hops = job->broadcast ? 1 : mean_hops(peal_machine_network(machine), job->distance),
        .peak_bytes = (double)peal_machine_host(machine).peak_bytes,
    };
    peal_machine_destroy(machine);
    return shown;
}

/* What all repetitions showed at one distance. */
struct series {
    struct shown cold, last;
    double start[MAX_VALUES], first[MAX_VALUES], transfer[MAX_VALUES], cpu[MAX_VALUES];
};

static void
keep(struct series *series, int r, struct shown shown)
{
    series->last = shown;
    series->start[r] = shown.start_ns;
    series->first[r] = shown.first_ns;
    series->transfer[r] = shown.transfer_ns;
    series->cpu[r] = shown.cpu_ns;
}

static void
show(struct series *series, int repetitions, const struct job *job, const struct peal_options *options)
{
    char more[400];

    snprintf(more, sizeof more,
             "\"nodes\": %d, \"topology\": \"%s\", \"distance\": %d, \"hops\": %.3f, \"rounds\": %d, "
             "\"peak_bytes\": %.0f, \"cpu_ns\": %.6g, \"cold\": ",
             options->nodes, options->topology, job->distance, series->last.hops, job->rounds - job->warm_up,
             series->last.peak_bytes, median(series->cpu, repetitions));
    figure(job->broadcast ? "broadcast" : "ring shift", "ns a transfer", series->transfer, repetitions, "%s%.6g", more,
           series->cold.transfer_ns);
    if (job->broadcast)
        figure("first broadcast", "ns a transfer", series->first, repetitions, "%s%.6g", more, series->cold.first_ns);
    figure("start", "ns a node", series->start, repetitions, "%s%.6g", more, series->cold.start_ns);
}

int
main(int argc, char **argv)
{
    static struct series near, far;
    static double further[MAX_VALUES], further_cpu[MAX_VALUES];
    struct peal_options options;
    struct job job = {.broadcast = option_flag(argc, argv, "broadcast")};
    int repetitions = (int)option_number(argc, argv, "repetitions", 5);
    char topology[64];

    peal_options_init(&options);
    options.engine = "fibers";
    options.carriers = 1;
    options.nodes = (int)option_number(argc, argv, "nodes", 1024);
    int columns = (int)option_number(argc, argv, "columns", 32);
    int measured = (int)option_number(argc, argv, "rounds", 400);
    job.distance = (int)option_number(argc, argv, "distance", 1);
    int far_distance = (int)option_number(argc, argv, "far", 0);
    refuse_unknown(argc, argv);

    job.warm_up = job.broadcast || measured < 10 ? 1 : measured / 10;
    job.rounds = job.warm_up + measured;
    if (repetitions > MAX_VALUES)
        repetitions = MAX_VALUES;
    if (!job.broadcast) {
        snprintf(topology, sizeof topology, "torus:%dx%d", options.nodes / columns, columns);
        options.topology = topology;
    }
    struct job far_job = job;
    far_job.distance = far_distance;

    /* the first machine is cold and goes by itself; without another it stands for all */
    near.cold = measure(&job, &options);
    far.cold = far_distance ? measure(&far_job, &options) : near.cold;
    for (int r = 0; r < repetitions; r++) {
        keep(&near, r, repetitions > 1 ? measure(&job, &options) : near.cold);
        if (far_distance) {
            keep(&far, r, repetitions > 1 ? measure(&far_job, &options) : far.cold);
            further[r] = (far.transfer[r] - near.transfer[r]) / (far.last.hops - near.last.hops);
            further_cpu[r] = (far.cpu[r] - near.cpu[r]) / (far.last.hops - near.last.hops);
        }
    }
    show(&near, repetitions, &job, &options);
    if (far_distance) {
        show(&far, repetitions, &far_job, &options);
        figure("further hop", "ns", further, repetitions,
               "\"nodes\": %d, \"topology\": \"%s\", \"hops\": %.3f, \"cpu_ns\": %.6g", options.nodes, options.topology,
               far.last.hops, median(further_cpu, repetitions));
    }
    return 0;
}
