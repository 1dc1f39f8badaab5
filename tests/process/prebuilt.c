/* SPDX-License-Identifier: MIT */
/* A program in C for another MPI: an error's handler, a structure, a generalized request.  With a word it is wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point {
    char name;
    double at[2];
};

static int handled, completed;

static void
handle(MPI_Comm *comm, int *code, ...)
{
    int class;

    MPI_Error_class(*code, &class);
    handled = *comm == MPI_COMM_WORLD ? class : -1;
}

static int
query(void *extra, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, *(int *)extra);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int
forget(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int
cancel(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

static void
ask_general(void)
{
    MPI_Request request;
    MPI_Status status;
    int number = 3;

    MPI_Grequest_start(query, forget, cancel, &number, &request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &completed);
}

int
main(int argc, char **argv)
{
    int lengths[2] = {1, 2}, me, size;
    MPI_Aint places[2] = {0, offsetof(struct point, at)};
    MPI_Datatype types[2] = {MPI_CHAR, MPI_DOUBLE}, made, type;
    struct point point;
    MPI_Errhandler handler;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    MPI_Send(NULL, 0, MPI_INT, size, 0, MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    ask_general();

    MPI_Type_create_struct(2, lengths, places, types, &made);
    MPI_Type_create_resized(made, 0, sizeof point, &type);
    MPI_Type_free(&made);
    MPI_Type_commit(&type);
    memset(&point, me == 0 ? 1 : 7, sizeof point);
    MPI_Bcast(&point, 1, type, 0, MPI_COMM_WORLD);
    int gap = *((char *)&point + 1), first = point.name;

    MPI_Type_free(&type);
    printf("node %d: error class %s, %d elements, first byte %d, gap %d\n", me,
           handled == MPI_ERR_RANK ? "MPI_ERR_RANK" : "?", completed, first, gap);
    if (argc > 1 && strcmp(argv[1], "abort") == 0 && me == size - 1)
        abort();
    if (argc > 1 && strcmp(argv[1], "leave") == 0 && me == size - 1)
        exit(0);
    if (argc > 1 && strcmp(argv[1], "differ") == 0)
        MPI_Bcast(&point, me == 0 ? 4 : 8, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
