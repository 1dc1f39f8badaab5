/* SPDX-License-Identifier: MIT */
/* What Peal's layer over MPI takes: the same loop written twice, in Peal's calls and in MPI's own, in one job.
 *
 * Protocol
 *   job        the processes of an MPI job, with as many nodes; each on a core of its own where there are enough.
 *              Built once for each MPI, and started by its launcher.
 *   ping-pong  node 0 sends to the last node, which sends back: MPI_Send and MPI_Recv, peal_send and peal_recv.  A
 *              message is half a trip.
 *   ring shift every node posts a receive from its left and a send to its right, and waits for both: MPI_Irecv,
 *              MPI_Isend, MPI_Waitall; peal_recv_async, peal_send_async, peal_wait_all.  A message is one turn.
 *   broadcast  over a binomial tree, from each node in turn, so that nobody runs ahead: the same lines twice.  A
 *              message is one broadcast.
 *   compared   a repetition is a batch of MPI's and one of Peal's, each first in turn, both inside one run of a
 *              machine: as many messages as take about `milliseconds`, an eighth of them for warm-up, then a
 *              barrier of MPI's, then rank 0's clock before and after the rest.  The ratio is taken within a
 *              repetition; of the ratios the median, its 95 % confidence interval (order statistics), the least and the
 *              greatest.
 *   on         everything that a run on MPI does: every post and wait is written down and, after the batch and outside
 *              the time, replayed and charged.  What came is checked, outside the time.
 *   aims       at 8 B at most 60 ns more than MPI's own; at 64 KiB at most 1.05 of it: the medians.
 *
 *   mpirun -n P bench-mpi-openmpi [--repetitions=31] [--milliseconds=3] [--bytes=N] */
#include "bench/bench.h"

#include <mpi.h>
#include <peal/tools.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum work { PING_PONG, RING_SHIFT, BROADCAST, WORKS };
static const char *const names[WORKS] = {"ping-pong", "ring shift", "broadcast"};
enum { MAX_BYTES = 1 << 16, MAX_WORDS = MAX_BYTES / 8 };

static int rank, size;
static bool crowded; /* more processes than cores */
static uint64_t in[MAX_WORDS], out[MAX_WORDS];

/* One loop, in both ways. */
struct loop {
    enum work work;
    int words, messages;
    bool peal_first;
    double mpi_seconds, peal_seconds;
};

/* ------------------------------------------------------------------ in MPI's calls */

static void
mpi_ping_pong(int words, int messages)
{
    int other = size - 1;

    for (int i = 0; i < messages; i += 2) {
        if (rank == 0) {
            MPI_Send(out, words, MPI_UINT64_T, other, 0, MPI_COMM_WORLD);
            MPI_Recv(in, words, MPI_UINT64_T, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        if (rank == other) {
            MPI_Recv(in, words, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out, words, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
        }
    }
}

static void
mpi_ring_shift(int words, int messages)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;

    for (int i = 0; i < messages; i++) {
        MPI_Request request[2];
        MPI_Status status[2];

        MPI_Irecv(in, words, MPI_UINT64_T, left, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(out, words, MPI_UINT64_T, right, 0, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, status);
    }
}

static void
mpi_broadcast(int words, int messages)
{
    for (int i = 0; i < messages; i++) {
        int root = i % size, me = (rank - root + size) % size, bit = 1;
        uint64_t *x = me == 0 ? out : in;

        while (bit < size && !(me & bit))
            bit <<= 1;
        if (me != 0)
            MPI_Recv(x, words, MPI_UINT64_T, (me - bit + root) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        while ((bit >>= 1) > 0)
            if (me + bit < size)
                MPI_Send(x, words, MPI_UINT64_T, (me + bit + root) % size, 0, MPI_COMM_WORLD);
    }
}

/* ------------------------------------------------------------------ in Peal's */

static void
peal_ping_pong(struct peal_node *me, size_t words, int messages)
{
    int other = size - 1;

    for (int i = 0; i < messages; i += 2) {
        if (rank == 0) {
            peal_send(me, out, words, other);
            peal_recv(me, in, words, other);
        }
        if (rank == other) {
            peal_recv(me, in, words, 0);
            peal_send(me, out, words, 0);
        }
    }
}

static void
peal_ring_shift(struct peal_node *me, size_t words, int messages)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;

    for (int i = 0; i < messages; i++) {
        peal_recv_async(me, in, words, left);
        peal_send_async(me, out, words, right);
        peal_wait_all(me);
    }
}

static void
peal_binomial(struct peal_node *node, size_t words, int messages)
{
    for (int i = 0; i < messages; i++) {
        int root = i % size, me = (rank - root + size) % size, bit = 1;
        uint64_t *x = me == 0 ? out : in;

        while (bit < size && !(me & bit))
            bit <<= 1;
        if (me != 0)
            peal_recv(node, x, words, (me - bit + root) % size);
        while ((bit >>= 1) > 0)
            if (me + bit < size)
                peal_send(node, x, words, (me + bit + root) % size);
    }
}

/* ------------------------------------------------------------------ both */

static double
time_mpi(const struct loop *loop)
{
    static void (*const loops[WORKS])(int words, int messages) = {mpi_ping_pong, mpi_ring_shift, mpi_broadcast};

    loops[loop->work](loop->words, loop->messages / 8 + 2);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now_seconds();
    loops[loop->work](loop->words, loop->messages);
    return now_seconds() - begin;
}

static double
time_peal(struct peal_node *me, const struct loop *loop)
{
    static void (*const loops[WORKS])(struct peal_node * me, size_t words,
                                      int messages) = {peal_ping_pong, peal_ring_shift, peal_binomial};

    loops[loop->work](me, (size_t)loop->words, loop->messages / 8 + 2);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now_seconds();
    loops[loop->work](me, (size_t)loop->words, loop->messages);
    return now_seconds() - begin;
}

static void
fill(int words, uint64_t value)
{
    for (int i = 0; i < words; i++) {
        in[i] = 0;
        out[i] = value + (uint64_t)i;
    }
}

/* Whether every word is what was sent, where something came. */
static bool
has_come(int words, uint64_t value)
{
    for (int i = 0; i < words; i++)
        if (in[i] != value + (uint64_t)i)
            return false;
    return true;
}

static void
measure(struct peal_node *me, void *arg)
{
    struct loop *loop = arg;
    bool receives = loop->work != PING_PONG || rank == 0 || rank == size - 1, well = true;

    for (int turn = 0; turn < 2; turn++) {
        fill(loop->words, (uint64_t)turn + 7);
        if ((turn == 0) == loop->peal_first)
            loop->peal_seconds = time_peal(me, loop);
        else
            loop->mpi_seconds = time_mpi(loop);
        well &= !receives || has_come(loop->words, (uint64_t)turn + 7);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (!well)
        peal_abort(me, "a wrong word");
}

static void
run(struct peal_machine *machine, struct loop *loop)
{
    const struct peal_failure *failure = peal_run(machine, measure, loop);

    if (failure && rank == 0)
        fprintf(stderr, "%s of %d B: %s\n", names[loop->work], loop->words * 8, failure->message);
    if (failure)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* How many of `count` values in order lie below the 95 % confidence interval of their median, and as many above. */
static int
outside(int count)
{
    int below = 0;

    while (2 * below + 2 < count && (count - 2 * below - 2) * (count - 2 * below - 2) > 3.84 * count)
        below++;
    return below;
}

static void
compare(struct peal_machine *machine, enum work work, int bytes, int repetitions, double seconds)
{
    static double mpi[MAX_VALUES], peal[MAX_VALUES], more[MAX_VALUES], ratio[MAX_VALUES];
    struct loop loop = {.work = work, .words = bytes / 8, .messages = 32};

    for (int i = 0; i < 2; i++) { /* the second has warm caches */
        run(machine, &loop);
        double messages = 32 * seconds / loop.mpi_seconds;

        loop.messages = messages < 32 ? 32 : messages > 100000 ? 100000 : (int)messages;
        loop.messages -= loop.messages % (2 * size);
        MPI_Bcast(&loop.messages, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (i == 0)
            loop.messages = 32;
    }
    for (int i = 0; i < repetitions; i++) {
        loop.peal_first = i % 2;
        run(machine, &loop);
        mpi[i] = 1e6 * loop.mpi_seconds / loop.messages;
        peal[i] = 1e6 * loop.peal_seconds / loop.messages;
        more[i] = 1e3 * (peal[i] - mpi[i]);
        ratio[i] = loop.peal_seconds / loop.mpi_seconds;
    }
    if (rank != 0)
        return;
    double mpi_us = median(mpi, repetitions), peal_us = median(peal, repetitions), more_ns = median(more, repetitions);

    median(ratio, repetitions);
    figure(names[work], "", ratio, repetitions,
           "\"nodes\": %d, \"bytes\": %d, \"messages\": %d, \"low\": %.6g, \"high\": %.6g, \"mpi_us\": %.6g, "
           "\"peal_us\": %.6g, \"more_ns\": %.6g, \"crowded\": %s",
           size, bytes, loop.messages, ratio[outside(repetitions)], ratio[repetitions - 1 - outside(repetitions)],
           mpi_us, peal_us, more_ns, crowded ? "true" : "false");
}

/* One core each, where there are enough. */
static void
pin(void)
{
    cpu_set_t all, own;
    int skip = rank;

    crowded = size > core_count();
    if (crowded || sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    CPU_ZERO(&own);
    for (size_t core = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, &all) && skip-- == 0)
            CPU_SET(core, &own);
    sched_setaffinity(0, sizeof own, &own);
}

int
main(int argc, char **argv)
{
    int repetitions = (int)option_number(argc, argv, "repetitions", 31);
    double seconds = 1e-3 * option_number(argc, argv, "milliseconds", 3);
    int only = (int)option_number(argc, argv, "bytes", 1);
    struct peal_options options;
    struct peal_error error;

    refuse_unknown(argc, argv);
    if (repetitions > MAX_VALUES || only > MAX_BYTES)
        give_up("at most %d repetitions of %d bytes", MAX_VALUES, MAX_BYTES);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    pin(); /* first: two that spin on one core, with real-time priority, starve each other */
    if (peal_mpi_begin(&rank, &size, &error) != PEAL_OK)
        give_up("%s", error.text);
    peal_options_init(&options);
    options.nodes = size;
    options.engine = "mpi";
    struct peal_machine *machine = peal_machine_create(&options, &error);

    if (!machine)
        give_up("%s", error.text);
    for (int work = 0; work < WORKS; work++)
        for (int bytes = 8; bytes <= MAX_BYTES; bytes *= bytes == 8 ? 128 : 64)
            if (size > 1 && (only == 1 || bytes == only))
                compare(machine, (enum work)work, bytes, repetitions, seconds);
    peal_machine_destroy(machine);
    peal_mpi_end();
    MPI_Finalize();
    return 0;
}
