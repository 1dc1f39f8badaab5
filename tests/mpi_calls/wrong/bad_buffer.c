/* nodes: 2 */
/* exit: 1 */
/* error: crash: node 0 crashed: segmentation fault at address 0x10, in the buffer of its receive (NAME.c:LINE) */
/* also: -- lent => 1 crash: node 1 crashed: segmentation fault at address 0x10, in the buffer of its send (bad_buffer.c:30) */
/* also: -- pieces => 1 in the buffer of its send (bad_buffer.c:34) */
/* also: -- buffered => 1 crash: node 1 crashed: segmentation fault at address 0x10 (bad_buffer.c:37) */
/* also: -- sum => 1 crash: node 0 crashed: segmentation fault at address 0x10 (bad_buffer.c:39) */
/* also: --strict -- request => 1 crash: node 1 crashed: segmentation fault at address 0x10 (bad_buffer.c:41) */
/* Buffers that are not memory of the program: the line is that of the call, wherever they are read or written. */
#include <mpi.h>
#include <string.h>

static int rank, x[32];

static void *
nowhere(void)
{
    return (char *)NULL + 16;
}

static void
run(const char *which)
{
    static char room[1000];
    void *bad = rank == 1 ? nowhere() : x;
    MPI_Datatype far;
    MPI_Request request;

    if (strcmp(which, "lent") == 0) {
        MPI_Send(bad, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    } else if (strcmp(which, "pieces") == 0) {
        MPI_Type_vector(2, 128, 256, MPI_CHAR, &far);
        MPI_Type_commit(&far);
        MPI_Send(rank == 1 ? bad : room, 1, far, 1 - rank, 0, MPI_COMM_WORLD);
    } else if (strcmp(which, "buffered") == 0) {
        MPI_Buffer_attach(room, sizeof room);
        MPI_Bsend(bad, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    } else if (strcmp(which, "sum") == 0) {
        MPI_Allreduce(x, nowhere(), 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    } else if (strcmp(which, "request") == 0) {
        MPI_Isend(bad, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Recv(x, 32, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1)
        run(argv[1]);
    else if (rank == 1)
        MPI_Send(x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(nowhere(), 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE */
    MPI_Finalize();
    return 0;
}
