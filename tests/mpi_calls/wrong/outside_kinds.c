/* nodes: 2 */
/* exit: 0 */
/* not with a sanitizer */
/* also: --strict => 0 */
/* also: --strict -- aligned => 1 28 bytes from a block of 24 bytes, which it allocated at NAME.c:LINE1; element 6 of MPI_INT is the first outside it */
/* also: --strict -- posix => 1 28 bytes from a block of 24 bytes, which it allocated at NAME.c:LINE2; element 6 of MPI_INT is the first outside it */
/* also: --strict -- memalign => 1 28 bytes from a block of 24 bytes, which it allocated at NAME.c:LINE3; element 6 of MPI_INT is the first outside it */
/* also: --strict -- valloc => 1 28 bytes from a block of 24 bytes, which it allocated at NAME.c:LINE4; element 6 of MPI_INT is the first outside it */
/* also: --strict -- array => 1 28 bytes from a block of 24 bytes, which it allocated at NAME.c:LINE5; element 6 of MPI_INT is the first outside it */
/* also: --strict -- text => 1 28 bytes from a block of 24 bytes, which it allocated at NAME.c:LINE6; element 6 of MPI_INT is the first outside it */
/* also: --strict -- mapping => 1 28 bytes from a block of 4096 bytes, which it allocated at NAME.c:LINE7, from its byte 4072 on; element 6 of MPI_INT is the first outside it */
/* also: --strict -- alloc_mem => 1 28 bytes from a block of 24 bytes, which it allocated at NAME.c:LINE8; element 6 of MPI_INT is the first outside it */
/* also: --strict -- window => 1 28 bytes from a block of 24 bytes, which it allocated at NAME.c:LINE9; element 6 of MPI_INT is the first outside it */
/* also: --strict -- shared => 1 28 bytes from a block of 24 bytes, which it allocated at NAME.c:LINE10; element 6 of MPI_INT is the first outside it */
/* also: --strict -- static => 1 28 bytes from file_scope, a variable of 24 bytes; element 6 of MPI_INT is the first outside it */
/* Data that end outside memory of each kind, and right behind it. */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { COUNT = 6, BYTES = COUNT * sizeof(int), PAGE = 4096 };

static const char *word = "";
static int file_scope[COUNT];

/* Broadcast from and into memory of a caller's, one element more where this kind was chosen. */
__attribute__((noinline)) static void
broadcast(const char *kind, void *memory, int more)
{
    MPI_Bcast(memory, COUNT + (strcmp(word, kind) == 0 ? more : 0), MPI_INT, 0, MPI_COMM_SELF);
}

static void
heap(void)
{
    int *memory;
    void *aligned = NULL;

    memory = aligned_alloc(64, BYTES); /* HERE1 */
    broadcast("aligned", memset(memory, 0, BYTES), 1);
    free(memory);
    if (posix_memalign(&aligned, 32, BYTES) == 0) /* HERE2 */
        broadcast("posix", memset(aligned, 0, BYTES), 1);
    free(aligned);
    memory = memalign(128, BYTES); /* HERE3 */
    broadcast("memalign", memset(memory, 0, BYTES), 1);
    free(memory);
    memory = valloc(BYTES); /* HERE4 */
    broadcast("valloc", memset(memory, 0, BYTES), 1);
    free(memory);
    memory = reallocarray(malloc(1), COUNT, sizeof *memory); /* HERE5 */
    broadcast("array", memset(memory, 0, BYTES), 1);
    free(memory);
    memory = (int *)strdup("twenty-three letters..."); /* HERE6 */
    broadcast("text", memory, 1);
    free(memory);
    memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* HERE7 */
    broadcast("mapping", (char *)memory + PAGE - BYTES, 1);
    munmap(memory, PAGE);
}

static void
of_mpi(void)
{
    int *memory;
    MPI_Win window;

    MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &memory); /* HERE8 */
    broadcast("alloc_mem", memory, 1);
    MPI_Free_mem(memory);
    MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window); /* HERE9 */
    broadcast("window", memory, 1);
    MPI_Win_free(&window);
    MPI_Win_allocate_shared(BYTES / 2, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window); /* HERE10 */
    MPI_Win_shared_query(window, 0, &(MPI_Aint){0}, &(int){0}, &memory);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(memory, strcmp(word, "shared") == 0 ? COUNT + 1 : 1, MPI_INT, 0, MPI_COMM_SELF);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
}

int
main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && rank == 0)
        word = argv[1];
    heap();
    of_mpi();
    broadcast("static", file_scope, 1);
    MPI_Finalize();
    return 0;
}
