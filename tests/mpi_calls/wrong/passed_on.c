/* SPDX-License-Identifier: MIT */
/* nodes: 3 */
/* exit: 1 */
/* error: node 0 waits in MPI_Recv to receive 4 bytes from node 1 (NAME.c:LINE, through get_row at NAME.c:LINE2 and checked_recv at NAME.c:LINE3) */
/* also: -n 18 => 1 from node 1 (NAME.c:LINE, through get_row at NAME.c:LINE2 and checked_recv at NAME.c:LINE3) */
/* also: -- inlined => 1 from node 1 (NAME.c:LINE4, through get at NAME.c:LINE5) */
/* also: -- rank => 1 (NAME.c:LINE7, through put at NAME.c:LINE6) */
/* also: -- loop => 1 from node 1 (NAME.c:LINE8) */
/* also: -- partner => 1 from node 1 (NAME.c:LINE9) */
/* also: -- local => 1 from node 1 (NAME.c:LINE10) */
/* also: -- two => 1 from node 1 (NAME.c:LINE11) */
/* A function that does no more than pass a call on is not its place, inlined or not; one that does more is. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define APART __attribute__((noinline))

static int rank, size;

APART static int
checked_recv(void *buffer, int count, MPI_Datatype type, int from)
{
    MPI_Status status;
    int error = MPI_Recv(buffer, count, type, from, 0, MPI_COMM_WORLD, &status); /* HERE3 */

    if (error != MPI_SUCCESS) {
        fprintf(stderr, "no message from %d\n", from);
        MPI_Abort(MPI_COMM_WORLD, error);
    }
    return error;
}

APART static int
get_row(int *row, int from)
{
    return checked_recv(row, 1, MPI_INT, from) == MPI_SUCCESS; /* HERE2 */
}

static inline __attribute__((always_inline)) void
get(int *word, int from)
{
    MPI_Recv(word, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE5 */
}

APART static void
put(int *word, int to)
{
    int error = MPI_Send(word, 1, MPI_INT, to, 0, MPI_COMM_WORLD); /* HERE6 */

    if (error != MPI_SUCCESS)
        fprintf(stderr, "no message to %d\n", to);
}

APART static void
get_all(int *words, int count, int from)
{
    for (int i = 0; i < count; i++)
        MPI_Recv(&words[i], 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE8 */
}

APART static void
get_from_next(int *word)
{
    MPI_Recv(word, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE9 */
    *word *= 2;
}

APART static int
sum_with(int mine, int from)
{
    int theirs;

    MPI_Recv(&theirs, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE10 */
    return mine + theirs;
}

APART static void
swap(int *word, int *other, int partner)
{
    MPI_Recv(other, 1, MPI_INT, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE11 */
    MPI_Send(word, 1, MPI_INT, partner, 0, MPI_COMM_WORLD);
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int word = 0, other = 0, next;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    if (strcmp(what, "inlined") == 0)
        get(&word, next); /* HERE4 */
    else if (strcmp(what, "rank") == 0)
        put(&word, size); /* HERE7 */
    else if (strcmp(what, "loop") == 0)
        get_all(&word, 1, next);
    else if (strcmp(what, "partner") == 0)
        get_from_next(&word);
    else if (strcmp(what, "local") == 0)
        word = sum_with(word, next);
    else if (strcmp(what, "two") == 0)
        swap(&word, &other, next);
    else
        get_row(&word, next); /* HERE */
    MPI_Finalize();
    return 0;
}
