/* nodes: 2 */
/* compiler: --watch */ /* compiler: -w */
/* exit: 0 */
/* not with a sanitizer */
/* also: --strict -- right => 0 */
/* also: -- again => 0 compares 4 bytes that nobody has written, from byte 0 on of x, a variable of 4 bytes */
/* also: -- again => 0 prints 4 bytes that nobody has written, from byte 0 on of x, a variable of 4 bytes */
/* also: -- again => 0 sends 12 bytes from odd, a variable of 12 bytes; nobody has written 12 of them */
/* also: -- again => 0 findings at 3 lines */
/* Locals to which the program itself gives the value that Peal takes for unwritten ones: by computation, a constant, a
 * copy, a message; and locals beside them to which it gives none. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 4 };

static int rank, size, count;

static unsigned
hash(unsigned seed, int turns)
{
    for (int i = 0; i < turns; i++)
        seed = seed * 2 + 2;
    return seed;
}

struct pair {
    unsigned first, second;
};

/* 0xFEFEFEFE in registers, variables, arrays, halves of structs, bytes. */
static void
computed(unsigned seed)
{
    unsigned one = hash(seed, 1), *volatile at = &one, h = 0x7F7F7F7Fu, two = h + h, words[COUNT], copy[COUNT];
    unsigned char bytes[16];
    struct pair pair = {seed, one}, other = pair, *volatile of = &other;
    double real, *volatile number = &real;

    at = rank < 0 ? &two : at;
    count += *at > 5u && hash(seed, 1) != 7u && two > 3u && of->second != 9u;
    for (int i = 0; i < COUNT; i++)
        words[i] = *at;
    for (int i = 0; i < 16; i++)
        bytes[i] = (unsigned char)*at;
    memcpy(copy, bytes, sizeof copy);
    memcpy(number, bytes, sizeof real);
    count += words[count] > 1u && copy[3] > 2u && *number < 0;
    printf("%x %x %x %g\n", one, words[1], copy[2], real);
    MPI_Bcast(words, COUNT, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
    MPI_Bcast(bytes, 16, MPI_BYTE, 0, MPI_COMM_WORLD);
    memset(words, 0xFE, sizeof words);
    MPI_Bcast(words, COUNT, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
}

static void
arrived(unsigned seed)
{
    unsigned one = hash(seed, 1), got, all[COUNT], *volatile at = all;
    MPI_Request request;

    MPI_Sendrecv(&one, 1, MPI_UNSIGNED, 1 - rank, 0, &got, 1, MPI_UNSIGNED, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    count += got > 4u;
    MPI_Allgather(&one, 1, MPI_UNSIGNED, all, 1, MPI_UNSIGNED, MPI_COMM_WORLD);
    printf("%x\n", at[1]);
    MPI_Irecv(&all[2], 2, MPI_UNSIGNED, 1 - rank, 1, MPI_COMM_WORLD, &request);
    MPI_Send(all, 2, MPI_UNSIGNED, 1 - rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    count += at[3] > 4u;
    MPI_Bcast(all, COUNT, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
}

/* It has a value in the first turn only. */
static void
again(void)
{
    for (int i = 0; i < 3; i++) {
        int x, *volatile at = &x;

        if (i == 0)
            *at = 5;
        count += *at > 3;
    }
    for (int i = 0; i < 2; i++) {
        int x;

        if (i == 0)
            MPI_Sendrecv(&rank, 1, MPI_INT, rank, 0, &x, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            printf("%d\n", x);
    }
    int odd[3];

    MPI_Bcast(odd, 3, MPI_INT, 0, MPI_COMM_WORLD);
}

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1 && strcmp(argv[1], "right") != 0)
        again();
    computed(0x7F7F7F7Eu - (unsigned)size + 2);
    arrived(0x7F7F7F7Eu - (unsigned)size + 2);
    MPI_Finalize();
    return count < 0;
}
