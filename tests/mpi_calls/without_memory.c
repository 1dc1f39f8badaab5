/* SPDX-License-Identifier: MIT */
/* Some calls of each kind that allocates memory: run by memory.py. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, left, right, x[40], y[40];

static void
add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void
messages(MPI_Comm comm)
{
    int length = 10000;
    char *attached = malloc((size_t)length);
    MPI_Request requests[4];
    MPI_Datatype gaps;

    MPI_Type_vector(20, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    MPI_Irecv(y, 1, gaps, left, 0, comm, &requests[0]);
    MPI_Isend(x, 1, gaps, right, 0, comm, &requests[1]);
    MPI_Ibarrier(comm, &requests[2]);
    MPI_Iallreduce(MPI_IN_PLACE, x, 3, MPI_INT, MPI_SUM, comm, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Buffer_attach(attached, length);
    MPI_Bsend(x, 5, MPI_INT, right, 1, comm);
    MPI_Recv(y, 5, MPI_INT, left, 1, comm, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&attached, &length);
    free(attached);
    MPI_Alltoall(x, 1, gaps, y, 20, MPI_INT, MPI_COMM_SELF);
    MPI_Type_free(&gaps);
}

static void
collectives(MPI_Comm comm)
{
    MPI_Comm half, grid;
    MPI_Op op;

    MPI_Comm_split(comm, rank % 2, rank, &half);
    MPI_Op_create(add, 0, &op);
    MPI_Allreduce(x, y, 40, MPI_INT, op, comm);
    MPI_Gather(x, 1, MPI_INT, y, 1, MPI_INT, 0, comm);
    MPI_Scan(x, y, 2, MPI_INT, MPI_SUM, half);
    MPI_Cart_create(comm, 1, (int[]){size}, (int[]){1}, 0, &grid);
    MPI_Neighbor_allgather(x, 1, MPI_INT, y, 1, MPI_INT, grid);
    MPI_Comm_free(&grid);
    MPI_Comm_free(&half);
    MPI_Op_free(&op);
}

static void
window(MPI_Comm comm)
{
    MPI_Info info;
    MPI_Win win;

    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    MPI_Win_create(x, sizeof x, sizeof *x, info, comm, &win);
    MPI_Win_fence(0, win);
    MPI_Put(y, 1, MPI_INT, right, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Info_free(&info);
}

int
main(int argc, char **argv)
{
    MPI_Comm copy;
    int key;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, x);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    messages(copy);
    collectives(copy);
    window(copy);
    MPI_Comm_free(&copy);
    MPI_Comm_free_keyval(&key);
    if (rank == 0)
        puts("done");
    MPI_Finalize();
    return 0;
}
