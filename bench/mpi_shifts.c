/* SPDX-License-Identifier: MIT */
/* Ten collectives of MPI and four patterns of messages, each beside a ring shift of the same nodes: run by tools/bench
 * under pealrun, with collectives played and not, and under the peers.
 *
 * Protocol
 *   call          one collective with blocks (vectors) of BYTES, back to back; root 0, sums of longs.
 *   shift         MPI_Sendrecv of a byte to the next rank.
 *   batch         shifts, then calls, each for about the same time and at least ten; a barrier begins and ends either.
 *                 Rank 0 starts its clock before the first: where calls do not wait, others would else be done by then.
 *                 Five calls for warm-up: the first are not played yet.
 *   clock         by system calls: rank 0's of the wall, and the processors' time of all processes.
 *
 *   ping-pong     MPI_Send and MPI_Recv between the ranks of a pair; one way there and back is a call.
 *   sendrecv      MPI_Sendrecv to the next rank.
 *   halo          MPI_Irecv and MPI_Isend with both neighbours of a ring, MPI_Waitall.
 *   any-source    MPI_Isend to the next rank, MPI_Recv from MPI_ANY_SOURCE, MPI_Wait.
 *   refused       a barrier to which two nodes come late, after messages: it cannot be played.
 *   first         the first 42 all-reduces of each of several lengths: the second to last is recorded.
 *
 *   mpi_shifts BYTES SECONDS CALL...
 *
 * Prints one line of JSON per collective: µs per call; "shifts": the median over the batches of a call's processor time
 * in units of a shift's. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BATCHES = 7, WARM_UP = 5, LEAST_CALLS = 10, MOST_CALLS = 20000, FIRST_CALLS = 42 };
enum what {
    BARRIER,
    BROADCAST,
    SCATTER,
    GATHER,
    REDUCE,
    ALLREDUCE,
    REDUCE_SCATTER,
    ALLGATHER,
    ALLTOALL,
    SCAN,
    PING_PONG,
    SENDRECV,
    HALO,
    ANY_SOURCE,
    REFUSED,
    FIRST,
    KINDS
};
static const char *const names[KINDS] = {"barrier",        "broadcast",  "scatter",  "gather", "reduce",    "allreduce",
                                         "reduce-scatter", "allgather",  "alltoall", "scan",   "ping-pong", "sendrecv",
                                         "halo",           "any-source", "refused",  "first"};

struct call {
    enum what what;
    int rank, size, count; /* count: of longs in a block */
    int apart;             /* whether this rank's process is counted: peers have one for all, or one per rank */
    long *in, *out;
};

struct times {
    double wall, processor;
};

static double
seconds_of(clockid_t clock)
{
    struct timespec now;

    syscall(SYS_clock_gettime, clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void
shift(const struct call *call)
{
    char mine = 0, other;

    MPI_Sendrecv(&mine, 1, MPI_CHAR, (call->rank + 1) % call->size, 0, &other, 1, MPI_CHAR,
                 (call->rank + call->size - 1) % call->size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The ranks of a pair; an odd last one has none. */
static void
ping_pong(const struct call *call)
{
    int other = call->rank ^ 1, n = call->count;

    if (other < call->size && call->rank < other) {
        MPI_Send(call->in, n, MPI_LONG, other, 0, MPI_COMM_WORLD);
        MPI_Recv(call->out, n, MPI_LONG, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (other < call->size) {
        MPI_Recv(call->out, n, MPI_LONG, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(call->in, n, MPI_LONG, other, 0, MPI_COMM_WORLD);
    }
}

static void
halo(const struct call *call)
{
    int n = call->count, next = (call->rank + 1) % call->size, before = (call->rank + call->size - 1) % call->size;
    MPI_Request requests[4];

    MPI_Irecv(call->out, n, MPI_LONG, before, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(call->out + n, n, MPI_LONG, next, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(call->in, n, MPI_LONG, next, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(call->in, n, MPI_LONG, before, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void
make(const struct call *call)
{
    int n = call->count, next = (call->rank + 1) % call->size, before = (call->rank + call->size - 1) % call->size;
    MPI_Request sent;

    switch (call->what) {
    case PING_PONG:
        ping_pong(call);
        break;
    case SENDRECV:
        MPI_Sendrecv(call->in, n, MPI_LONG, next, 0, call->out, n, MPI_LONG, before, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        break;
    case HALO:
        halo(call);
        break;
    case ANY_SOURCE:
        MPI_Isend(call->in, n, MPI_LONG, next, 0, MPI_COMM_WORLD, &sent);
        MPI_Recv(call->out, n, MPI_LONG, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
        break;
    case BARRIER:
        MPI_Barrier(MPI_COMM_WORLD);
        break;
    case BROADCAST:
        MPI_Bcast(call->in, n, MPI_LONG, 0, MPI_COMM_WORLD);
        break;
    case SCATTER:
        MPI_Scatter(call->in, n, MPI_LONG, call->out, n, MPI_LONG, 0, MPI_COMM_WORLD);
        break;
    case GATHER:
        MPI_Gather(call->in, n, MPI_LONG, call->out, n, MPI_LONG, 0, MPI_COMM_WORLD);
        break;
    case REDUCE:
        MPI_Reduce(call->in, call->out, n, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
        break;
    case ALLREDUCE:
        MPI_Allreduce(call->in, call->out, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        break;
    case REDUCE_SCATTER:
        MPI_Reduce_scatter_block(call->in, call->out, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        break;
    case ALLGATHER:
        MPI_Allgather(call->in, n, MPI_LONG, call->out, n, MPI_LONG, MPI_COMM_WORLD);
        break;
    case ALLTOALL:
        MPI_Alltoall(call->in, n, MPI_LONG, call->out, n, MPI_LONG, MPI_COMM_WORLD);
        break;
    case SCAN:
        MPI_Scan(call->in, call->out, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        break;
    case REFUSED:
        if (call->rank < 2) {
            int other = 1 - call->rank;

            MPI_Isend(call->in, 1, MPI_LONG, other, 0, MPI_COMM_WORLD, &sent);
            MPI_Recv(call->out, 1, MPI_LONG, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Wait(&sent, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        break;
    case FIRST:
    case KINDS:
        break;
    }
}

/* Blocks that a node gives and gets. */
static void
blocks_of(const struct call *call, size_t *in, size_t *out)
{
    size_t all = (size_t)call->size, root = call->rank == 0 ? all : 1;

    *in = call->what == SCATTER ? root : call->what == REDUCE_SCATTER || call->what == ALLTOALL ? all : 1;
    *out = call->what == GATHER                                ? root
           : call->what == ALLGATHER || call->what == ALLTOALL ? all
           : call->what == HALO                                ? 2
                                                               : 1;
}

/* The word that a node's block `block` ends with: of node `rank`, before a call. */
static long
word_of(int rank, int block)
{
    return rank * 10000L + block;
}

/* Whether the last word is wrong after a call. */
static int
is_wrong(const struct call *call)
{
    int P = call->size, r = call->rank;
    size_t last = (size_t)P * (size_t)call->count - 1, one = (size_t)call->count - 1;
    long ranks = 10000L * P * (P - 1) / 2;

    switch (call->what) {
    case BROADCAST:
        return call->in[one] != word_of(0, 0);
    case SCATTER:
        return call->out[one] != word_of(0, r);
    case GATHER:
        return r == 0 && call->out[last] != word_of(P - 1, 0);
    case REDUCE:
        return r == 0 && call->out[one] != ranks;
    case ALLREDUCE:
        return call->out[one] != ranks;
    case REDUCE_SCATTER:
        return call->out[one] != ranks + (long)P * r;
    case ALLGATHER:
        return call->out[last] != word_of(P - 1, 0);
    case ALLTOALL:
        return call->out[last] != word_of(P - 1, r);
    case SCAN:
        return call->out[one] != 10000L * r * (r + 1) / 2;
    case PING_PONG:
        return (r ^ 1) < P && call->out[one] != word_of(r ^ 1, 0);
    case HALO:
        if (call->out[2 * one + 1] != word_of((r + 1) % P, 0))
            return 1; /* fall through */
    case SENDRECV:
    case ANY_SOURCE:
        return call->out[one] != word_of((r + P - 1) % P, 0);
    case BARRIER:
    case REFUSED:
    case FIRST:
    case KINDS:
        break;
    }
    return 0;
}

/* The time per shift or call, of `count` of them. */
static struct times
batch(const struct call *call, int count, int shifts)
{
    double wall = seconds_of(CLOCK_MONOTONIC), processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID);

    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        if (shifts)
            shift(call);
        else
            make(call);
    MPI_Barrier(MPI_COMM_WORLD);
    return (struct times){(seconds_of(CLOCK_MONOTONIC) - wall) / count,
                          (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor) / count};
}

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double
median(double *values)
{
    qsort(values, BATCHES, sizeof *values, compare);
    return values[BATCHES / 2];
}

static int
count_for(double seconds, double one)
{
    return seconds / one < LEAST_CALLS ? LEAST_CALLS : seconds / one > MOST_CALLS ? MOST_CALLS : (int)(seconds / one);
}

static void
measure(const struct call *call, double seconds)
{
    double wall[BATCHES], ratio[BATCHES], mine[2][BATCHES],
        all[2][BATCHES]; /* the processor's, of shifts and of calls */
    int plan[2];         /* shifts and calls in a batch */

    batch(call, WARM_UP, 1);
    batch(call, WARM_UP, 0);
    plan[0] = count_for(seconds / BATCHES / 2, batch(call, 1, 1).wall);
    plan[1] = count_for(seconds / BATCHES / 2, batch(call, 1, 0).wall);
    MPI_Bcast(plan, 2, MPI_INT, 0, MPI_COMM_WORLD);
    for (int b = 0; b < BATCHES; b++) {
        struct times shifts = batch(call, plan[0], 1), calls = batch(call, plan[1], 0);

        wall[b] = 1e6 * calls.wall;
        mine[0][b] = call->apart ? shifts.processor : 0;
        mine[1][b] = call->apart ? calls.processor : 0;
    }
    MPI_Reduce(mine, all, 2 * BATCHES, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (is_wrong(call)) {
        fprintf(stderr, "%s: node %d holds a wrong word\n", names[call->what], call->rank);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (call->rank != 0)
        return;
    for (int b = 0; b < BATCHES; b++)
        ratio[b] = all[1][b] / all[0][b];
    double middle = median(wall);

    printf("{\"work\": \"%s\", \"unit\": \"us\", \"median\": %.6g, \"least\": %.6g, \"greatest\": %.6g, "
           "\"repetitions\": %d, \"nodes\": %d, \"bytes\": %zu, \"calls\": %d, \"processor_us\": %.6g, "
           "\"shift_us\": %.6g, \"shifts\": %.6g}\n",
           names[call->what], middle, wall[0], wall[BATCHES - 1], BATCHES, call->size,
           (size_t)call->count * sizeof(long), plan[1], 1e6 * median(all[1]), 1e6 * median(all[0]), median(ratio));
    fflush(stdout);
}

/* A call of this batch has a length of its own. */
static double
first_calls(int batch)
{
    double begin = seconds_of(CLOCK_PROCESS_CPUTIME_ID), out[1 + BATCHES], in[1 + BATCHES] = {0};

    for (int i = 0; i < FIRST_CALLS; i++)
        MPI_Allreduce(in, out, 1 + batch, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begin) / FIRST_CALLS;
}

static void
measure_first(const struct call *call)
{
    double processor[BATCHES], shifts[BATCHES];

    for (int b = 0; b < BATCHES; b++) {
        shifts[b] = batch(call, 100, 1).processor;
        processor[b] = first_calls(b);
    }
    double each = median(processor), one = median(shifts);

    if (call->rank == 0)
        printf("{\"work\": \"first\", \"unit\": \"us\", \"median\": %.6g, \"least\": %.6g, \"greatest\": %.6g, "
               "\"repetitions\": %d, \"nodes\": %d, \"bytes\": %zu, \"calls\": %d, \"processor_us\": %.6g, "
               "\"shift_us\": %.6g, \"shifts\": %.6g}\n",
               1e6 * each, 1e6 * processor[0], 1e6 * processor[BATCHES - 1], BATCHES, call->size,
               (size_t)call->count * sizeof(long), FIRST_CALLS, 1e6 * each, 1e6 * one, each / one);
    fflush(stdout);
}

int
main(int argc, char **argv)
{
    struct call call = {.what = BARRIER};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &call.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &call.size);
    int lowest = (int)getpid();

    MPI_Bcast(&lowest, 1, MPI_INT, 0, MPI_COMM_WORLD);
    call.apart = call.rank == 0 || lowest != (int)getpid();
    call.count = argc > 3 ? atoi(argv[1]) / (int)sizeof(long) : 0;
    if (call.count < 1) {
        fprintf(stderr, "mpi_shifts BYTES SECONDS CALL...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 3; i < argc; i++) {
        size_t in, out, count = (size_t)call.count;

        for (call.what = BARRIER; call.what < KINDS && strcmp(argv[i], names[call.what]) != 0;)
            call.what++;
        blocks_of(&call, &in, &out);
        call.in = malloc(in * count * sizeof(long));
        call.out = calloc(out * count, sizeof(long));
        if (call.what == KINDS || !call.in || !call.out)
            MPI_Abort(MPI_COMM_WORLD, 4);
        for (size_t w = 0; w < in * count; w++)
            call.in[w] = word_of(call.rank, (int)(w / count));
        if (call.what == FIRST)
            measure_first(&call);
        else
            measure(&call, atof(argv[2]));
        free(call.in);
        free(call.out);
    }
    MPI_Finalize();
    return 0;
}
