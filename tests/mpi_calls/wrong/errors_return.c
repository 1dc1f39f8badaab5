/* nodes: 2 */
/* exit: 0 */
/* output: MPI_ERR_COMM MPI_ERR_COUNT MPI_ERR_TYPE MPI_ERR_TYPE MPI_ERR_RANK MPI_ERR_TAG MPI_ERR_ROOT MPI_ERR_OP MPI_ERR_REQUEST MPI_ERR_GROUP MPI_ERR_DIMS MPI_ERR_TOPOLOGY MPI_ERR_BUFFER MPI_ERR_TRUNCATE MPI_ERR_KEYVAL MPI_ERR_INFO */
/* With MPI_ERRORS_RETURN each wrong argument gives its class, and the program goes on. */
#include <mpi.h>
#include <stdio.h>

static int rank;

static void
show(int error)
{
    int class, length;
    char text[MPI_MAX_ERROR_STRING];

    MPI_Error_class(error, &class);
    MPI_Error_string(class, text, &length);
    for (int i = 0; i < length; i++)
        if (text[i] == ':')
            text[i] = '\0';
    if (rank == 0)
        printf("%s ", text);
}

int
main(int argc, char **argv)
{
    int x[2] = {0, 0}, y[2], key = 12345, nothing[1] = {0};
    MPI_Datatype type;
    MPI_Request request = (MPI_Request)MPI_COMM_WORLD;
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    show(MPI_Send(x, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
    show(MPI_Send(x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    show(MPI_Send(x, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD));
    MPI_Type_contiguous(2, MPI_INT, &type);
    show(MPI_Send(x, 1, type, 0, 0, MPI_COMM_WORLD));
    show(MPI_Send(x, 1, MPI_INT, 2, 0, MPI_COMM_WORLD));
    show(MPI_Send(x, 1, MPI_INT, 0, -5, MPI_COMM_WORLD));
    show(MPI_Bcast(x, 1, MPI_INT, -1, MPI_COMM_WORLD));
    show(MPI_Allreduce(x, y, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD));
    show(MPI_Wait(&request, MPI_STATUS_IGNORE));
    show(MPI_Group_rank(MPI_GROUP_NULL, x));
    show(MPI_Cart_create(MPI_COMM_WORLD, 1, nothing, nothing, 0, &comm));
    show(MPI_Cart_coords(MPI_COMM_WORLD, 0, 1, x));
    show(MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    show(MPI_Sendrecv(x, 2, MPI_INT, 1 - rank, 0, y, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    show(MPI_Comm_free_keyval(&key));
    show(MPI_Info_free((MPI_Info[]){MPI_INFO_NULL}));
    if (rank == 0)
        puts("");
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
