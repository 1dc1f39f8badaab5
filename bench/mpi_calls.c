/* SPDX-License-Identifier: MIT */
/* Loops of MPI's calls beside the same loops in Peal's own calls: what the layer of MPI takes.
 *
 * Protocol
 *   run      one program, linked by pealcc, on one machine of fibers: MPI_Init has made the node, peal_self gives it.
 *   pair     a batch of MPI's calls and one of Peal's, each with a barrier after its last call; a batch lasts about
 *            MILLISECONDS.  Which of the two comes first alternates.  The first pair is a warm-up.
 *   time     of the processor, of the whole process, so that other work on the machine does not count.
 *   ratio    within a pair; the figure is the median of those.
 *
 * Compiled by bench/programs.py with pealcc; mpi_calls BYTES REPETITIONS MILLISECONDS */
#include <mpi.h>
#include <peal/author.h>
#include <peal/peal.h>
#include <peal/post.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MAX_REPETITIONS = 101 };

struct loop {
    struct peal_node *me, *longs; /* the node, whose words are bytes, and its view of longs */
    int rank, size, bytes;
    void *in, *out; /* `size` blocks each */
};

static int
partner(const struct loop *l)
{
    return (l->rank ^ 1) < l->size ? l->rank ^ 1 : MPI_PROC_NULL;
}

static void
barrier_mpi(struct loop *l)
{
    (void)l;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void
barrier_peal(struct loop *l)
{
    peal_barrier(l->me);
}

static void
shift_mpi(struct loop *l)
{
    MPI_Sendrecv(l->out, l->bytes, MPI_BYTE, (l->rank + 1) % l->size, 0, l->in, l->bytes, MPI_BYTE,
                 (l->rank + l->size - 1) % l->size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void
shift_peal(struct loop *l)
{
    peal_sendrecv(l->me, l->out, (size_t)l->bytes, (l->rank + 1) % l->size, l->in, (size_t)l->bytes,
                  (l->rank + l->size - 1) % l->size);
}

static void
pong_mpi(struct loop *l)
{
    int other = partner(l);

    if (l->rank % 2 == 0) {
        MPI_Send(l->out, l->bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
        MPI_Recv(l->in, l->bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(l->in, l->bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(l->out, l->bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    }
}

static void
pong_peal(struct loop *l)
{
    int other = partner(l);

    if (other == MPI_PROC_NULL)
        return;
    if (l->rank % 2 == 0) {
        peal_send(l->me, l->out, (size_t)l->bytes, other);
        peal_recv(l->me, l->in, (size_t)l->bytes, other);
    } else {
        peal_recv(l->me, l->in, (size_t)l->bytes, other);
        peal_send(l->me, l->out, (size_t)l->bytes, other);
    }
}

static void
posted_mpi(struct loop *l)
{
    MPI_Request requests[2];

    MPI_Irecv(l->in, l->bytes, MPI_BYTE, (l->rank + l->size - 1) % l->size, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(l->out, l->bytes, MPI_BYTE, (l->rank + 1) % l->size, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void
posted_peal(struct loop *l)
{
    peal_recv_async(l->me, l->in, (size_t)l->bytes, (l->rank + l->size - 1) % l->size);
    peal_send_async(l->me, l->out, (size_t)l->bytes, (l->rank + 1) % l->size);
    peal_wait_all(l->me);
}

static void
broadcast_mpi(struct loop *l)
{
    MPI_Bcast(l->out, l->bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void
broadcast_peal(struct loop *l)
{
    peal_broadcast(l->me, l->out, (size_t)l->bytes, 0);
}

static void
allreduce_mpi(struct loop *l)
{
    MPI_Allreduce(MPI_IN_PLACE, l->out, l->bytes / 8, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}

static void
allreduce_peal(struct loop *l)
{
    peal_allreduce(l->longs, PEAL_SUM_INT64, l->out, (size_t)l->bytes / 8);
}

static void
alltoall_mpi(struct loop *l)
{
    MPI_Alltoall(l->out, l->bytes, MPI_BYTE, l->in, l->bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void
alltoall_peal(struct loop *l)
{
    peal_alltoall(l->me, l->out, (size_t)l->bytes, l->in);
}

static const struct kind {
    const char *name;
    void (*calls[2])(struct loop *); /* MPI's, Peal's */
} kinds[] = {
    {"ping-pong", {pong_mpi, pong_peal}},
    {"ring shift", {shift_mpi, shift_peal}},
    {"posted ring shift", {posted_mpi, posted_peal}},
    {"barrier", {barrier_mpi, barrier_peal}},
    {"broadcast", {broadcast_mpi, broadcast_peal}},
    {"allreduce", {allreduce_mpi, allreduce_peal}},
    {"alltoall", {alltoall_mpi, alltoall_peal}},
};

/* Microseconds of the processor that the process has had. */
static double
now(void)
{
    struct timespec now;

    syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

/* Microseconds per call of a batch. */
static double
batch(struct loop *l, void (*call)(struct loop *), int calls)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now();

    for (int i = 0; i < calls; i++)
        call(l);
    MPI_Barrier(MPI_COMM_WORLD);
    return (now() - begin) / calls;
}

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double
median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static void
measure(struct loop *l, const struct kind *kind, int repetitions, double milliseconds)
{
    double ratios[MAX_REPETITIONS], us[2][MAX_REPETITIONS];
    int calls;

    batch(l, kind->calls[1], 1);
    calls = (int)(1e3 * milliseconds / (batch(l, kind->calls[0], 4) + 0.1)) + 1;
    MPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; r < repetitions; r++) {
        for (int turn = 0; turn < 2; turn++)
            us[(r + turn) % 2][r] = batch(l, kind->calls[(r + turn) % 2], calls);
        ratios[r] = us[0][r] / us[1][r];
    }
    if (l->rank != 0)
        return;
    double ratio = median(ratios, repetitions);

    printf("{\"work\": \"layer\", \"loop\": \"%s\", \"unit\": \"\", \"median\": %.6g, \"least\": %.6g, "
           "\"greatest\": %.6g, \"repetitions\": %d, \"nodes\": %d, \"bytes\": %d, \"calls\": %d, "
           "\"mpi_us\": %.6g, \"peal_us\": %.6g}\n",
           kind->name, ratio, ratios[0], ratios[repetitions - 1], repetitions, l->size, l->bytes, calls,
           median(us[0], repetitions), median(us[1], repetitions));
}

int
main(int argc, char **argv)
{
    struct loop l;
    int repetitions = argc == 4 ? atoi(argv[2]) : 0;

    MPI_Init(&argc, &argv);
    l.bytes = repetitions ? atoi(argv[1]) : 0;
    if (repetitions < 1 || repetitions > MAX_REPETITIONS || l.bytes < 8 || l.bytes % 8) {
        fprintf(stderr, "mpi_calls BYTES REPETITIONS MILLISECONDS: a multiple of 8, 1 to %d\n", MAX_REPETITIONS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &l.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &l.size);
    l.me = peal_self();
    l.longs = peal_view(l.me, 8);
    l.in = calloc((size_t)l.size, (size_t)l.bytes);
    l.out = calloc((size_t)l.size, (size_t)l.bytes);
    if (!l.in || !l.out)
        MPI_Abort(MPI_COMM_WORLD, 4);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        measure(&l, &kinds[i], repetitions, atof(argv[3]));
    free(l.in);
    free(l.out);
    peal_view_end(l.longs);
    MPI_Finalize();
    return 0;
}
