/* nodes: 4 */
/* exit: 1 */
/* output: scan MPI_ERR_COMM; shift MPI_ERR_COMM; local MPI_ERR_COMM; world MPI_ERR_COMM; merge MPI_ERR_COMM; root MPI_ERR_ROOT; dest MPI_ERR_RANK; high MPI_ERR_ARG; both MPI_ERR_COMM; */
/* error: bad-rank: MPI_Intercomm_create of node 0: remote_leader is 4: expected another rank of peer_comm, from 0 to 3 (NAME.c:LINE) */
#include <mpi.h>
#include <stdio.h>

static int rank;

static void
show(const char *what, int error)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    MPI_Error_string(error, text, &length);
    for (int i = 0; i < length; i++)
        if (text[i] == ':')
            text[i] = '\0';
    if (rank == 0)
        printf("%s %s; ", what, text);
}

int
main(int argc, char **argv)
{
    MPI_Comm half, inter, wrong, shared[2];
    int x = 0, y = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 0, &inter);
    show("scan", MPI_Scan(&x, &y, 1, MPI_INT, MPI_SUM, inter));
    show("shift", MPI_Cart_create(inter, 0, NULL, NULL, 0, &wrong));
    show("local", MPI_Intercomm_create(inter, 0, MPI_COMM_WORLD, 1, 0, &wrong));
    show("world", MPI_Comm_remote_size(MPI_COMM_WORLD, &x));
    show("merge", MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &wrong));
    show("root", MPI_Bcast(&x, 1, MPI_INT, 2, inter));
    show("dest", MPI_Send(&x, 1, MPI_INT, 2, 0, inter));
    show("high", MPI_Intercomm_merge(inter, rank % 2, &wrong));
    MPI_Comm_free(&inter);
    /* Node 1 is on both sides. */
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, 0, &shared[0]);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1 || rank == 2 ? 0 : MPI_UNDEFINED, -rank, &shared[1]);
    if (rank == 0 || rank == 2)
        show("both", MPI_Intercomm_create(shared[rank / 2], 0, MPI_COMM_WORLD, 2 - rank, 0, &wrong));
    else if (rank == 1)
        for (int i = 0; i < 2; i++)
            MPI_Intercomm_create(shared[i], 0, MPI_COMM_NULL, 0, 0, &wrong);
    if (rank == 0)
        puts("");
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 4, 0, &wrong); /* HERE */
    MPI_Finalize();
    return 0;
}
