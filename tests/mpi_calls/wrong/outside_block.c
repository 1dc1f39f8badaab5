/* nodes: 2 */
/* exit: 0 */
/* not with a sanitizer */
/* also: --strict -- right => 0 */
/* also: --strict -- receives => 1 out-of-bounds: MPI_Recv: node 1 receives 28 bytes into a block of 24 bytes, which it allocated at outside_block.c:48, one of 3 alike */
/* also: --strict -- request => 1 out-of-bounds: MPI_Irecv: node 1 receives 28 bytes into a block of 24 bytes, which it allocated at outside_block.c:48 */
/* also: --strict -- rows => 1 out-of-bounds: MPI_Scatter: node 0 sends 48 bytes from a block of 24 bytes, which it allocated at outside_block.c:48, one of 3 alike */
/* also: --strict -- bytes => 1 out-of-bounds: MPI_Gatherv: node 0 receives 16 bytes into a block of 24 bytes, which it allocated at outside_block.c:48, one of 3 alike: block 1 of the call begins at byte 256, outside it */
/* also: --strict -- vector => 1 MPI_Bcast: node 0 sends 12 bytes from a block of 24 bytes, which it allocated at outside_block.c:48, one of 3 alike; the piece of 4 bytes at its byte 24 is not all inside; byte 24 of element 0 of its datatype is the first outside it */
/* also: --strict -- variable => 1 MPI_Bcast: node 0 sends 20 bytes from numbers, a variable of 16 bytes */
/* also: --strict -- within => 1 MPI_Bcast: node 0 sends 12 bytes from numbers, a variable of 16 bytes, from its byte 8 on */
/* also: --strict -- reads => 1 out-of-bounds: node 0 reads 24 bytes from byte 0 on of a block of 20 bytes, which it allocated at outside_block.c:71 */
/* also: --strict -- writes => 1 out-of-bounds: node 1 writes 40 bytes from byte 40 on of a block of 60 bytes, which it allocated at outside_block.c:79 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 24 };

static int rank, numbers[4], others[4];

static int
chosen(char **argv, const char *what)
{
    return argv[1] && strcmp(argv[1], what) == 0;
}

static char *volatile kept;

/* Broadcast from and into memory that the caller allocates. */
static void
broadcast(void *memory, int count, MPI_Datatype type)
{
    MPI_Bcast(memory, count, type, 0, MPI_COMM_WORLD);
}

int
main(int argc, char **argv)
{
    void *blocks[3];
    int counts[] = {2, 4}, displs[] = {0, 2}, in_bytes[] = {0, 64}, four[4] = {0};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype column;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++)
        blocks[i] = calloc(1, SIZE); /* HERE */
    if (chosen(argv, "receives") || chosen(argv, "request")) {
        if (rank == 0)
            MPI_Send(four, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else if (chosen(argv, "receives"))
            MPI_Recv(blocks[0], 7, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Irecv(blocks[0], 7, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (chosen(argv, "rows")) {
        MPI_Scatter(blocks[0], 6, MPI_INT, blocks[2], 6, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (chosen(argv, "bytes")) {
        MPI_Gatherv(four, rank == 0 ? 2 : 4, MPI_INT, blocks[0], counts, in_bytes, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (chosen(argv, "vector")) {
        MPI_Type_vector(3, 1, 3, MPI_INT, &column);
        MPI_Type_commit(&column);
        broadcast(rank == 0 ? blocks[0] : memset(malloc(40), 0, 40), 1, column);
        MPI_Type_free(&column);
    } else if (chosen(argv, "variable")) {
        broadcast(numbers, 5, MPI_INT);
    } else if (chosen(argv, "within")) {
        broadcast(numbers + 2, 3, MPI_INT);
    } else if (chosen(argv, "reads")) {
        char *few = calloc(20, 1), many[24];

        kept = many;

        if (rank == 0)
            memcpy(many, few, (size_t)argc * 12);
        free(few);
    } else if (chosen(argv, "writes")) {
        char *wide = malloc(60);

        kept = wide;

        memset(kept + 40, 0, (size_t)(argc * (rank + 1) * 10));
        free(wide);
    } else {
        MPI_Gatherv(four, rank == 0 ? 2 : 4, MPI_INT, blocks[0], counts, displs, MPI_INT, 0, MPI_COMM_WORLD);
        blocks[1] = realloc(blocks[1], 4000);
        broadcast(blocks[1], 1000, MPI_INT);
        broadcast((char *)blocks[1] + 3996, 1, MPI_INT);
        broadcast(others, 4, MPI_INT);
        broadcast(numbers + 3, 1, MPI_INT);
    }
    for (int i = 0; i < 3; i++)
        free(blocks[i]);
    MPI_Finalize();
    return 0;
}
