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
    for (int i = 0; r == 0 && i < n; i++)
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
