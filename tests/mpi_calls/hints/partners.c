/* SPDX-License-Identifier: MIT */
/* Partners out of range, computed in many ways. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, P;
static MPI_Comm world = MPI_COMM_WORLD;

static int
buddy(int r, int m)
{
    return r ^ m;
}
static const int *
neighbours(int r)
{
    static int list[2];
    list[0] = r - 1;
    list[1] = r + 1;
    return list;
}

#define EXCHANGE(with) MPI_Sendrecv(&x, 1, MPI_INT, with, 0, &y, 1, MPI_INT, with, 0, world, MPI_STATUS_IGNORE)

int
main(int argc, char **argv)
{
    int x = 1, y = 0;
    const char *want = argc > 1 ? argv[1] : "";
    MPI_Request r[4];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &me);
    MPI_Comm_size(world, &P);
    int rank = me, size = P;
#define CASE(name) if (strcmp(want, #name) == 0)
    CASE(xor1) for (int mask = 1; mask < size; mask <<= 1)
    {
        int partner = rank ^ mask;
        EXCHANGE(partner);
    }
    CASE(xor2) for (int d = 1; d < P; d *= 2)
    {
        EXCHANGE(buddy(me, d));
    }
    CASE(xor3)
    {
        int k = 0;
        do {
            EXCHANGE((me & 1 << k) ? me - (1 << k) : me + (1 << k));
            k++;
        } while (1 << k < P);
    }
    CASE(xor4) for (int bit = 0; (1u << bit) < (unsigned)P; bit++)
    {
        int to = rank % (2 << bit) < (1 << bit) ? rank + (1 << bit) : rank - (1 << bit);
        MPI_Isend(&x, 1, MPI_INT, to, 0, world, r);
        MPI_Irecv(&y, 1, MPI_INT, to, 0, world, r + 1);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    CASE(xor5) for (int step = 1; step < P; step++)
    {
        int other = me ^ step;
        if (me < other) {
            MPI_Send(&x, 1, MPI_INT, other, 0, world);
            MPI_Recv(&y, 1, MPI_INT, other, 0, world, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&y, 1, MPI_INT, other, 0, world, MPI_STATUS_IGNORE);
            MPI_Send(&x, 1, MPI_INT, other, 0, world);
        }
    }
    CASE(doubling) for (int d = 1; d < P; d *= 2)
    {
        MPI_Isend(&x, 1, MPI_INT, me + d, 0, world, r);
        if (me >= d)
            MPI_Recv(&y, 1, MPI_INT, me - d, 0, world, MPI_STATUS_IGNORE);
        MPI_Wait(r, MPI_STATUS_IGNORE);
    }
    CASE(xordown) for (int mask = 4; mask > 0; mask >>= 1) EXCHANGE(me ^ mask);
    CASE(pairs)
    {
        int p = me % 2 ? me - 1 : me + 1;
        EXCHANGE(p);
    }
    CASE(ring1)
    {
        MPI_Sendrecv(&x, 1, MPI_INT, rank + 1, 0, &y, 1, MPI_INT, (rank - 1 + size) % size, 0, world,
                     MPI_STATUS_IGNORE);
    }
    CASE(ring2)
    {
        MPI_Isend(&x, 1, MPI_INT, rank + 1, 0, world, r);
        MPI_Recv(&y, 1, MPI_INT, rank ? rank - 1 : size - 1, 0, world, MPI_STATUS_IGNORE);
        MPI_Wait(r, MPI_STATUS_IGNORE);
    }
    CASE(left1)
    {
        MPI_Sendrecv(&x, 1, MPI_INT, (rank + 1) % size, 0, &y, 1, MPI_INT, (rank - 1) % size, 0, world,
                     MPI_STATUS_IGNORE);
    }
    CASE(left2)
    {
        MPI_Irecv(&y, 1, MPI_INT, neighbours(me)[0], 0, world, r);
        MPI_Isend(&x, 1, MPI_INT, (me + 1) % P, 0, world, r + 1);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    CASE(shift3)
    {
        MPI_Sendrecv(&x, 1, MPI_INT, rank + 3, 0, &y, 1, MPI_INT, (rank + size - 3) % size, 0, world,
                     MPI_STATUS_IGNORE);
    }
    CASE(up)
    {
        int cols = 3;
        MPI_Irecv(&y, 1, MPI_INT, rank - cols, 0, world, r);
        if (rank + cols < size)
            MPI_Send(&x, 1, MPI_INT, rank + cols, 0, world);
        MPI_Wait(r, MPI_STATUS_IGNORE);
    }
    CASE(chain)
    {
        if (rank > 0)
            MPI_Recv(&y, 1, MPI_INT, rank - 1, 0, world, MPI_STATUS_IGNORE);
        if (rank < size)
            MPI_Send(&x, 1, MPI_INT, rank + 1, 0, world);
    }
    CASE(tree)
    {
        if (rank > 0)
            MPI_Recv(&y, 1, MPI_INT, (rank - 1) / 2, 0, world, MPI_STATUS_IGNORE);
        for (int c = 2 * rank + 1; c <= 2 * rank + 2; c++)
            MPI_Send(&x, 1, MPI_INT, c, 0, world);
    }
    CASE(binomial)
    {
        int mask = 1;
        while (mask < P) {
            if (me & mask) {
                MPI_Recv(&x, 1, MPI_INT, me - mask, 0, world, MPI_STATUS_IGNORE);
                break;
            }
            mask <<= 1;
        }
        for (mask >>= 1; mask > 0; mask >>= 1)
            MPI_Send(&x, 1, MPI_INT, me + mask, 0, world);
    }
    CASE(root)
    {
        if (rank == 0)
            for (int i = 1; i <= size; i++)
                MPI_Send(&x, 1, MPI_INT, i, 0, world);
        else
            MPI_Recv(&x, 1, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
    }
    CASE(mirror)
    {
        MPI_Sendrecv(&x, 1, MPI_INT, P - me, 0, &y, 1, MPI_INT, P - me, 0, world, MPI_STATUS_IGNORE);
    }
    CASE(constant)
    {
        MPI_Send(&x, 1, MPI_INT, 7, 0, world);
    }
    CASE(constant0)
    {
        if (me == 0)
            MPI_Send(&x, 1, MPI_INT, 3, 0, world);
    }
    CASE(any)
    {
        if (me == 0)
            MPI_Send(&x, 1, MPI_INT, 1, 0, world);
        else if (me == 1)
            MPI_Recv(&x, 1, MPI_INT, -1, 0, world, MPI_STATUS_IGNORE);
    }
    CASE(garbage)
    {
        int to = 32767;
        if (me == 0)
            MPI_Send(&x, 1, MPI_INT, to, 0, world);
    }
    CASE(row)
    {
        MPI_Comm half;
        MPI_Comm_split(world, me % 2, me, &half);
        int q;
        MPI_Comm_rank(half, &q);
        MPI_Sendrecv(&x, 1, MPI_INT, q ^ 1, 0, &y, 1, MPI_INT, q ^ 1, 0, half, MPI_STATUS_IGNORE);
    }
    CASE(row2)
    {
        MPI_Comm half;
        MPI_Comm_split(world, me % 2, me, &half);
        if (me == 2)
            MPI_Send(&x, 1, MPI_INT, me + 2, 0, half);
    }
    CASE(target)
    {
        MPI_Win w;

        MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, world, &w);
        MPI_Win_fence(0, w);
        MPI_Put(&y, 1, MPI_INT, me + 1, 0, 1, MPI_INT, w);
        MPI_Win_fence(0, w);
    }
    CASE(bad_root) MPI_Bcast(&x, 1, MPI_INT, P, world);
    CASE(unset) MPI_Send(&x, 1, MPI_INT, -1431655766, 0, world);
    MPI_Finalize();
    return 0;
}
