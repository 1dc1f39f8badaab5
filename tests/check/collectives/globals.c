/* SPDX-License-Identifier: MIT */
/* Messages that go past the end of a global, into the next one. */
#include "own.h"

static long few[8], many[64];

/* check broadcast from_few --arguments 'buffer, count, comm' --root 0: out-of-bounds P=2 n=9 said=`few`
 * check broadcast from_few --arguments 'buffer, count, comm' --root 0 --only 'n <= 8': proved */
void
from_few(long *a, int n, MPI_Comm comm)
{
    const int P = size_of(comm), r = rank_in(comm);

    many[0] = n;
    for (int i = 0; r == 0 && i < n && i < 8; i++)
        few[i] = a[i];
    for (int i = 1; r == 0 && i < P; i++)
        MPI_Send(few, n, MPI_LONG, i, 0, comm);
    if (r > 0)
        MPI_Recv(a, n, MPI_LONG, 0, 0, comm, MPI_STATUS_IGNORE);
}

/* check broadcast into_few --arguments 'buffer, count, comm' --root 0: out-of-bounds P=2 n=9 said=`few`
 * check broadcast into_few --arguments 'buffer, count, comm' --root 0 --only 'n <= 8': proved */
void
into_few(long *a, int n, MPI_Comm comm)
{
    const int P = size_of(comm), r = rank_in(comm);

    many[0] = n;
    for (int i = 1; r == 0 && i < P; i++)
        MPI_Send(a, n, MPI_LONG, i, 0, comm);
    if (r > 0)
        MPI_Recv(few, n, MPI_LONG, 0, 0, comm, MPI_STATUS_IGNORE);
    for (int i = 0; r > 0 && i < n; i++)
        a[i] = few[i];
}

static long table[4] = {1, 2, 3, 4}, behind[5];
static char text[5];

/* check bcast to_the_end --mpi: proved */
int
to_the_end(void *b, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    static int calls[3];

    memset(text, 0, sizeof text);
    for (int i = 0; i < 5; i++)
        behind[i] = table[i % 4]++ + calls[i % 3]++;
    return MPI_Bcast(b, n, type, root, comm);
}

/* check bcast past_the_end --mpi: out-of-bounds line=PAST said=byte_32_of_its_`table`,_which_has_32_bytes */
int
past_the_end(void *b, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    for (int i = 0; i <= 4; i++)
        table[i] = i; /* PAST */
    return MPI_Bcast(b, n, type, root, comm);
}

/* check bcast reads_past --mpi: out-of-bounds line=READS n=1 said=byte_44_of_its_`behind` */
int
reads_past(void *b, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    const volatile int *halves = (const volatile int *)(const void *)behind;

    return n == 1 && halves[11] ? MPI_ERR_OTHER : MPI_Bcast(b, n, type, root, comm); /* READS */
}

/* check bcast of_text --mpi: out-of-bounds line=TEXT said=byte_5_of_its_`text` */
int
of_text(void *b, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    strcpy(text, "12345"); /* TEXT */
    return MPI_Bcast(b, n, type, root, comm);
}

/* check bcast of_a_static --mpi: out-of-bounds line=STATIC P=2|3 said=of_its_`counts` */
int
of_a_static(void *b, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    static int counts[2], rank;

    MPI_Comm_rank(comm, &rank);
    counts[rank + 1]++; /* STATIC */
    return MPI_Bcast(b, n, type, root, comm);
}
