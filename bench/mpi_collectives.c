/* SPDX-License-Identifier: MIT */
/* The calls of collectives.c in MPI, for the peers: compiled and run by tools/bench with each installed MPI.
 *
 * Protocol
 *   empty         MPI_Init, a barrier, a reduce of 4 bytes, MPI_Finalize; timed from outside.
 *   figures       one collective with blocks (vectors) of --bytes, then a barrier; of the barrier two.  One call for
 *                 warm-up, which also says how many calls make a batch; rank 0 looks at the clock before and after
 *                 a batch. Each collective has about `seconds`, in at most seven batches and at least one call.
 *   clock         the kernel's, by a system call: under SMPI the library's gives simulated time.
 *                 "processor_us" is the time that rank 0's process has had of the processors: of SMPI's and Peal's all
 *                 ranks.
 *
 *   mpi_collectives empty
 *   mpi_collectives figures BYTES SECONDS [CALL...]      all without a CALL
 *
 * Prints one line of JSON per figure, in µs per call. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BATCHES = 7 };
enum what { BARRIER, SCATTER, BROADCAST, ALLREDUCE, ALLTOALL, KINDS };
static const char *const names[KINDS] = {"barrier", "scatter", "broadcast", "allreduce", "alltoall"};

struct call {
    enum what what;
    int rank, size, count; /* count: of longs in a block */
    long *in, *out;
};

static double
seconds_of(clockid_t clock)
{
    struct timespec now;

    syscall(SYS_clock_gettime, clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double
now_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

/* Make one call and a barrier. */
static void
make(struct call *call)
{
    switch (call->what) {
    case BARRIER:
        MPI_Barrier(MPI_COMM_WORLD);
        break;
    case SCATTER:
        MPI_Scatter(call->in, call->count, MPI_LONG, call->out, call->count, MPI_LONG, 0, MPI_COMM_WORLD);
        break;
    case BROADCAST:
        MPI_Bcast(call->out, call->count, MPI_LONG, 0, MPI_COMM_WORLD);
        break;
    case ALLREDUCE:
        MPI_Allreduce(call->in, call->out, call->count, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
        break;
    case ALLTOALL:
        MPI_Alltoall(call->in, call->count, MPI_LONG, call->out, call->count, MPI_LONG, MPI_COMM_WORLD);
        break;
    case KINDS:
        break;
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void
measure(struct call *call, double seconds)
{
    double batch[BATCHES];
    int plan[2]; /* batches, calls in each */

    for (int i = 0; i < call->size * call->count; i++) {
        call->in[i] = call->rank * 1000L + i / call->count;
        call->out[i] = call->rank == 0 ? 1 : 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now_seconds();
    make(call);
    double calls = seconds / (now_seconds() - begin);
    if (call->rank == 0) {
        plan[0] = calls < 1 ? 1 : calls < BATCHES ? (int)calls : BATCHES;
        plan[1] = calls / BATCHES > 10000 ? 10000 : calls / BATCHES > 1 ? (int)(calls / BATCHES) : 1;
    }
    MPI_Bcast(plan, 2, MPI_INT, 0, MPI_COMM_WORLD);
    double processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID);

    for (int b = 0; b < plan[0]; b++) {
        begin = now_seconds();
        for (int i = 0; i < plan[1]; i++)
            make(call);
        batch[b] = 1e6 * (now_seconds() - begin) / plan[1];
    }
    processor = 1e6 * (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor) / plan[0] / plan[1];

    int last = call->size * call->count - 1, wrong = 0;
    switch (call->what) {
    case SCATTER:
        wrong = call->out[call->count - 1] != call->rank;
        break;
    case BROADCAST:
        wrong = call->out[call->count - 1] != 1;
        break;
    case ALLREDUCE:
        wrong = call->out[0] != (call->size - 1) * 1000L;
        break;
    case ALLTOALL:
        wrong = call->out[last] != (call->size - 1) * 1000L + call->rank;
        break;
    case BARRIER:
    case KINDS:
        break;
    }
    if (wrong) {
        fprintf(stderr, "%s: node %d holds a wrong word\n", names[call->what], call->rank);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (call->rank != 0)
        return;
    qsort(batch, (size_t)plan[0], sizeof *batch, compare);
    printf("{\"work\": \"%s\", \"unit\": \"us\", \"median\": %.6g, \"least\": %.6g, \"greatest\": %.6g, "
           "\"repetitions\": %d, "
           "\"nodes\": %d, \"bytes\": %zu, \"calls\": %d, \"processor_us\": %.6g}\n",
           names[call->what], (batch[(plan[0] - 1) / 2] + batch[plan[0] / 2]) / 2, batch[0], batch[plan[0] - 1],
           plan[0], call->size, (size_t)call->count * sizeof(long), plan[1], processor);
    fflush(stdout);
}

int
main(int argc, char **argv)
{
    struct call call = {.what = BARRIER};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &call.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &call.size);
    if (argc == 2 && strcmp(argv[1], "empty") == 0) {
        int one = 1, sum;

        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Finalize();
        return call.rank == 0 && sum != call.size;
    }
    if (argc < 4 || strcmp(argv[1], "figures") != 0) {
        if (call.rank == 0)
            fprintf(stderr, "mpi_collectives empty | figures BYTES SECONDS [CALL...]\n");
        MPI_Finalize();
        return 2;
    }
    call.count = atoi(argv[2]) / (int)sizeof(long);
    call.in = malloc((size_t)call.size * (size_t)call.count * sizeof(long));
    call.out = malloc((size_t)call.size * (size_t)call.count * sizeof(long));
    if (!call.in || !call.out)
        MPI_Abort(MPI_COMM_WORLD, 4);
    for (int what = 0; what < KINDS; what++) {
        int wanted = argc == 4;

        for (int i = 4; i < argc; i++)
            wanted |= strcmp(argv[i], names[what]) == 0;
        call.what = (enum what)what;
        if (wanted)
            measure(&call, atof(argv[3]));
    }
    free(call.in);
    free(call.out);
    MPI_Finalize();
    return 0;
}
