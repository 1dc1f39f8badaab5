/* nodes: 4 */
/* exit: 0 */
/* not with a sanitizer */
/* compiler: -g */
/* also: --strict -- right => 0 */
/* also: --strict -- rows => 1 node 0 sends 512 bytes from a block of 64 bytes, which it allocated at NAME.c:LINE2, one of 8 alike; element 8 of MPI_DOUBLE is the first outside it */
/* also: --strict -- addresses => 1 node 0 sends 512 bytes from a block of 64 bytes, which it allocated at NAME.c:LINE1; element 8 of MPI_DOUBLE is the first outside it */
/* also: --strict -- ampersand => 1 node 0 sends 64 bytes from table, a variable of 8 bytes; element 1 of MPI_DOUBLE is the first outside it */
/* also: --strict -- handle => 1 node 0 sends 20 bytes from a block of 80 bytes, which it allocated at NAME.c:LINE3, from its byte 80 on; element 0 of MPI_FLOAT is the first outside it */
/* also: --strict -- copy => 1 out-of-bounds: node 2 writes 40 bytes from byte 80 on of a block of 80 bytes, which it allocated at NAME.c:LINE3 */
/* also: --strict -- displacements => 1 node 0 sends 32 bytes from a block of 128 bytes, which it allocated at NAME.c:LINE4: block 1 of the call begins at byte 256, outside it */
/* also: --strict -- total => 1 node 0 receives 512 bytes into a block of 128 bytes, which it allocated at NAME.c:LINE4; element 16 of MPI_DOUBLE is the first outside it */
/* also: --strict -- each => 1 node 0 sends 1024 bytes from a block of 128 bytes, which it allocated at NAME.c:LINE4; element 16 of MPI_DOUBLE is the first outside it */
/* also: --strict -- pair => 1 node 0 sends 48 bytes from wide, a variable of 32 bytes; the piece of 12 bytes at its byte 32 is not all inside; element 2 of MPI_LONG_INT is the first outside it */
/* also: --strict -- created => 1 MPI_Win_create: node 0 exposes 64 bytes of wide, a variable of 32 bytes */
/* also: --strict -- attached => 1 MPI_Win_attach: node 0 exposes 32 bytes of wide, a variable of 32 bytes, from its byte 8 on */
/* also: --strict -- bytes => 1 node 0 sends 256 bytes from wide, a variable of 32 bytes; element 4 of MPI_LONG is the first outside it */
/* also: --strict -- pointer => 1 node 0 sends 32 bytes from a block of 8 bytes, which it allocated at NAME.c:LINE5; element 1 of MPI_LONG is the first outside it */
/* also: --strict -- reach => 1 invalid-argument: MPI_Allreduce of node 0: sendbuf and recvbuf overlap */
/* Sizes that programs often give wrong. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { N = 8, COUNT = 5 };

static const char *word = "right";
static int rank, size;

static int
chosen(const char *what)
{
    return strcmp(word, what) == 0;
}

/* A matrix of rows that are allocated one by one. */
static void
rows(void)
{
    double **table = malloc(N * sizeof *table), part[N * N], *all = calloc(N * N, sizeof *all); /* HERE1 */

    memset(part, 0, sizeof part);
    for (int i = 0; i < N; i++)
        table[i] = memset(malloc(N * sizeof **table), 0, N * sizeof **table); /* HERE2 */
    MPI_Scatter(chosen("rows")        ? table[0]
                : chosen("addresses") ? (void *)table
                                      : all,
                N * N / size, MPI_DOUBLE, part, N * N / size, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(rank == 0 && chosen("ampersand") ? (void *)&table : table[0], N, MPI_DOUBLE, 0, MPI_COMM_SELF);
    for (int i = 0; i < N; i++)
        free(table[i]);
    free(table);
    free(all);
}

/* An element's size by sizeof of its handle. */
static void
elements(void)
{
    const MPI_Datatype type = MPI_FLOAT;
    volatile int bytes = chosen("handle") || chosen("copy") ? (int)sizeof type : (int)sizeof(float);
    float mine[2 * COUNT] = {0};
    char *all = calloc((size_t)size * COUNT, sizeof(float)); /* HERE3 */

    if (chosen("copy") || chosen("right"))
        memcpy(all + rank * COUNT * bytes, mine, (size_t)(COUNT * bytes));
    for (int i = 0; i < 3; i++)
        MPI_Bcast(all + (rank == 0 ? i * COUNT * bytes : 0), COUNT, MPI_FLOAT, 0, MPI_COMM_SELF);
    free(all);
}

/* Displacements in bytes; the elements of all nodes as the count of each, or so many that all together are as many as
 * the block has bytes. */
static void
gathers(void)
{
    static double sent[128], received[128];
    double part[4] = {0}, *all;
    int counts[4], displs[4];

    all = calloc(16, sizeof *all); /* HERE4 */
    for (int i = 0; i < 4; i++) {
        counts[i] = 4;
        displs[i] = 4 * i * (chosen("displacements") ? (int)sizeof *all : 1);
    }
    if (chosen("total"))
        MPI_Gather(part, 4, MPI_DOUBLE, all, 16, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else if (chosen("each"))
        MPI_Alltoall(rank == 0 ? all : sent, 32, MPI_DOUBLE, received, 32, MPI_DOUBLE, MPI_COMM_WORLD);
    else
        MPI_Scatterv(all, counts, displs, MPI_DOUBLE, part, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    free(all);
}

/* A count in bytes, a block as long as its pointer, and two buffers of which one reaches into the other. */
static void
counts(long wide[4])
{
    long *block = calloc(1, chosen("pointer") ? sizeof block : 4 * sizeof *block); /* HERE5 */

    MPI_Bcast(wide, rank == 0 && chosen("bytes") ? 4 * (int)sizeof *wide : 4, MPI_LONG, 0, MPI_COMM_SELF);
    MPI_Bcast(block, rank == 0 || !chosen("pointer") ? 4 : 1, MPI_LONG, 0, MPI_COMM_SELF);
    MPI_Allreduce(wide, wide + 1, rank == 0 && chosen("reach") ? 2 : 1, MPI_LONG, MPI_SUM, MPI_COMM_SELF);
    free(block);
}

int
main(int argc, char **argv)
{
    long wide[4] = {0};
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1)
        word = argv[1];
    rows();
    elements();
    gathers();
    counts(wide);
    MPI_Win_create(wide, (int)sizeof wide * (rank == 0 && chosen("created") ? 2 : 1), 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                   &window);
    MPI_Win_free(&window);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, wide + 1, 8 * (rank == 0 && chosen("attached") ? 4 : 3));
    MPI_Win_free(&window);
    MPI_Bcast(wide, 4, rank == 0 && chosen("pair") ? MPI_LONG_INT : MPI_LONG, 0, MPI_COMM_SELF);
    MPI_Finalize();
    return 0;
}
