/* nodes: 2 */
/* exit: 0 */
/* not with a sanitizer */
/* compiler: -g */
/* also: --strict => 0 */
/* also: --strict --engine fibers -- local => 1 node 0 sends 28 bytes from local, a variable of 24 bytes; element 6 of MPI_INT is the first outside it */
/* also: --strict --engine threads -- local => 1 node 0 sends 28 bytes from local, a variable of 24 bytes; element 6 of MPI_INT is the first outside it */
/* also: --strict --engine fibers --stack 16K -- local => 1 node 0 sends 28 bytes from local, a variable of 24 bytes */
/* also: --strict -- member => 1 node 0 sends 28 bytes from members, a variable of 32 bytes, from its byte 8 on; element 6 of MPI_INT is the first outside it */
/* also: --strict -- frame => 1 bytes of the stack frame of on_stack; element */
/* also: --strict -- pointer => 1 node 0 sends 12 bytes from pointer, a variable of 8 bytes; element 2 of MPI_INT is the first outside it */
/* Data that end outside a variable of a function, or outside its part of the stack. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 6 };

static const char *word = "";

/* Broadcast from and into memory of a caller's, with more elements where this kind was chosen. */
__attribute__((noinline)) static void
broadcast(const char *kind, void *memory, int more)
{
    MPI_Bcast(memory, COUNT + (strcmp(word, kind) == 0 ? more : 0), MPI_INT, 0, MPI_COMM_SELF);
}

__attribute__((noinline)) static void
on_stack(int count)
{
    int local[COUNT] = {0}, dynamic[count], *pointer = calloc(3, sizeof *pointer);
    struct {
        int first[2], rest[COUNT];
    } members = {{0}, {0}};

    memset(dynamic, 0, sizeof dynamic);
    broadcast("local", local, 1);
    broadcast("member", members.rest, 1);
    broadcast("frame", dynamic, 0);
    broadcast("frame", dynamic, word[0] == 'f' ? 100 : 0);
    if (word[0] == 'p' && count == COUNT)
        MPI_Bcast(&pointer, 3, MPI_INT, 0, MPI_COMM_SELF);
    else
        MPI_Bcast(pointer, 3, MPI_INT, 0, MPI_COMM_SELF);
}

int
main(int argc, char **argv)
{
    int block = 0, rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && rank == 0)
        word = argv[1];
    for (int i = COUNT; i < 2 * COUNT; i++) {
        int inner[COUNT] = {i};

        on_stack(i);
        broadcast("", inner, 0);
        MPI_Bcast(&block, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
