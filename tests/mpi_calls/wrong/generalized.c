/* nodes: 2 */
/* exit: 1 */
/* output: 1 MPI_ERR_REQUEST; 2 MPI_ERR_REQUEST; 3 MPI_ERR_REQUEST; */
/* error: deadlock: MPI_Waitall of node 0: waits for a generalized request that is not complete: only this node can call MPI_Grequest_complete, and it waits (NAME.c:LINE) */
#include <mpi.h>
#include <stdio.h>

static int
query(void *extra, MPI_Status *status)
{
    (void)extra;
    (void)status;
    return MPI_SUCCESS;
}

static int
release(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int
cancel(void *extra, int complete)
{
    (void)extra;
    (void)complete;
    return MPI_SUCCESS;
}

static void
show(int number, int error)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    MPI_Error_string(error, text, &length);
    for (int i = 0; i < length; i++)
        if (text[i] == ':')
            text[i] = '\0';
    printf("%d %s; ", number, text);
}

int
main(int argc, char **argv)
{
    MPI_Request one, message, both;
    int rank, in, out = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Grequest_start(query, release, cancel, NULL, &one);
        MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &message);
        show(1, MPI_Grequest_complete(message));
        MPI_Grequest_complete(one);
        show(2, MPI_Grequest_complete(one));
        MPI_Isendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &both);
        show(3, MPI_Cancel(&both));
        puts("");
        fflush(stdout);
        MPI_Wait(&one, MPI_STATUS_IGNORE);
        MPI_Grequest_start(query, release, cancel, NULL, &one);
        MPI_Waitall(1, &one, MPI_STATUSES_IGNORE); /* HERE */
    }
    MPI_Finalize();
    return 0;
}
