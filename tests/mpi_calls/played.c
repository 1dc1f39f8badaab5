/* SPDX-License-Identifier: MIT */
/* A random mix, by the seed given, of collectives, messages, splits, accesses to windows, and nodes that are late; each
 * call has its buffers elsewhere, also on stacks: played.py. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 700, PHRASES = 12, REPEATS = 6, NEAR = 64 };

static int rank, size;
static double first[MOST * 24], second[MOST * 24], *in, *out, sum, window;
static MPI_Op own_sum;
static MPI_Win win;

static unsigned
next(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return *state >> 8 & 0xffff;
}

/* A user's operator, which does not commute. */
static void
add(void *left, void *right, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((double *)right)[i] = ((double *)left)[i] + .5 * ((double *)right)[i];
}

/* Their bits: they may be sums of longs. */
static void
note(const double *words, int count)
{
    for (int i = 0; i < count; i++)
        sum = sum * .999 + (double)(((const unsigned long *)words)[i] % 65537) * (1 + i % 7);
}

static void
fill(int count, int turn)
{
    for (int i = 0; i < count; i++) {
        in[i] = rank * .1 + i * .37 + turn;
        out[i] = rank + turn * 2;
    }
}

/* A collective: the same choice on every node. */
static void
collective(unsigned choice, int count, int root, int turn, MPI_Comm comm)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_PROD, MPI_MIN, own_sum};
    MPI_Op op = ops[choice / 16 % 5];
    const MPI_Datatype types[] = {MPI_DOUBLE, MPI_LONG, MPI_FLOAT}; /* of 8 bytes at most */
    MPI_Datatype type = types[op == own_sum ? 0 : choice / 80 % 3];
    int all = count, nodes, where = (rank + turn) % 3;
    double near[2][NEAR];
    MPI_Request request;

    MPI_Comm_size(comm, &nodes);
    in = where == 0 && count * nodes <= NEAR ? near[0] : where == 1 ? first : second;
    out = in == near[0] ? near[1] : in == first ? second : first;
    fill(count * nodes, turn);
    switch (choice % 16) {
    case 0:
    case 1:
        MPI_Barrier(comm);
        break;
    case 2:
    case 3:
        MPI_Bcast(in, count, MPI_DOUBLE, root % nodes, comm);
        note(in, count);
        return;
    case 4:
        MPI_Allreduce(in, out, count, type, op, comm);
        break;
    case 5:
        MPI_Allreduce(MPI_IN_PLACE, out, count, type, op, comm);
        break;
    case 6: /* 8 bytes of another type, of the same name of the operator */
        for (int i = 0; i < count; i++)
            ((long *)in)[i] = rank + i, ((long *)out)[i] = 0;
        MPI_Allreduce(in, out, count, MPI_LONG, MPI_SUM, comm);
        for (int i = 0; i < count; i++)
            out[i] = (double)((long *)out)[i];
        break;
    case 7:
        MPI_Allgather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, comm);
        all = count * nodes;
        break;
    case 8:
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DOUBLE, out, count, MPI_DOUBLE, comm);
        all = count * nodes;
        break;
    case 9:
        MPI_Alltoall(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, comm);
        all = count * nodes;
        break;
    case 10:
        MPI_Reduce_scatter_block(in, out, count, type, op, comm);
        break;
    case 11:
        MPI_Scan(in, out, count, type, op, comm);
        break;
    case 12:
        MPI_Exscan(in, out, count, type, op, comm);
        break;
    case 13:
        MPI_Scatter(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, root % nodes, comm);
        break;
    case 14:
        MPI_Reduce(in, out, count, MPI_DOUBLE, op, root % nodes, comm);
        break;
    default:
        MPI_Iallreduce(in, out, count, MPI_DOUBLE, op, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    note(out, all);
}

/* What comes between collectives. */
static void
between(unsigned choice, int turn, MPI_Comm half, unsigned *own)
{
    double word = rank + turn, other = 0;
    int right = (rank + 1) % size, left = (rank + size - 1) % size, flag;
    MPI_Request requests[2];

    switch (choice % 13) {
    case 0:
        MPI_Sendrecv(&word, 1, MPI_DOUBLE, right, 3, &other, 1, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case 1: /* a chain */
        if (rank > 0)
            MPI_Recv(&other, 1, MPI_DOUBLE, rank - 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank + 1 < size)
            MPI_Send(&word, 1, MPI_DOUBLE, rank + 1, 4, MPI_COMM_WORLD);
        break;
    case 2: /* open over the next collective */
        MPI_Irecv(&other, 1, MPI_DOUBLE, left, 5, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&word, 1, MPI_DOUBLE, right, 5, MPI_COMM_WORLD, &requests[1]);
        collective(choice >> 4, 3, 0, turn, MPI_COMM_WORLD);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        break;
    case 3:
        collective(choice >> 4, 5, 1, turn, half);
        break;
    case 4: /* some are late, each for itself */
        for (unsigned i = 0; i < next(own) % 4; i++)
            MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        break;
    case 5:
        if (rank % 3 == turn % 3)
            printf("%d at %d: %.17g\n", rank, turn, sum);
        break;
    case 6:
        MPI_Win_fence(0, win);
        MPI_Put(&word, 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win);
        MPI_Win_fence(0, win);
        note(&window, 1);
        break;
    case 7: /* open over the next collective */
        MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
        MPI_Get(&other, 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win);
        collective(choice >> 4, 3, 0, turn, MPI_COMM_WORLD);
        MPI_Win_unlock(right, win);
        break;
    default:
        break;
    }
    note(&other, 1);
}

int
main(int argc, char **argv)
{
    unsigned shared = argc > 1 ? (unsigned)atoi(argv[1]) : 1, own;
    MPI_Comm half;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    own = shared + (unsigned)rank * 7919;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Win_create(&window, sizeof window, sizeof window, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Op_create(add, 0, &own_sum);
    for (int phrase = 0, turn = 0; phrase < PHRASES; phrase++) {
        unsigned calls[3], gaps[3], counts[3], roots[3];

        for (int i = 0; i < 3; i++) {
            calls[i] = next(&shared);
            gaps[i] = next(&shared);
            counts[i] = next(&shared) % 3 == 0 ? next(&shared) % MOST : next(&shared) % 9;
            roots[i] = next(&shared) % 2 * (next(&shared) % (unsigned)size);
        }
        for (int repeat = 0; repeat < REPEATS; repeat++)
            for (int i = 0; i < 3; i++, turn++) {
                between(gaps[i], turn, half, &own);
                collective(calls[i], (int)counts[i], (int)roots[i], turn, MPI_COMM_WORLD);
            }
    }
    printf("%d: %.17g %.17g\n", rank, sum, MPI_Wtime());
    MPI_Comm_free(&half);
    MPI_Win_free(&win);
    MPI_Op_free(&own_sum);
    MPI_Finalize();
    return 0;
}
