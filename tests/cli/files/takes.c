/* SPDX-License-Identifier: MIT */
/* A ring whose -D options say what it does with some numbers of nodes. */
#include <peal/peal.h>
#include <stdio.h>
#include <stdlib.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    int rank = peal_rank(me), size = peal_size(me), left = (rank + size - 1) % size;
    double mine = rank, got = 0;

#ifdef ODD
    if (size % 2 == 1) {
        ODD;
    }
#endif
#ifdef THREE
    if (size % 3 == 0) /* nobody sends first */
        peal_recv(me, &got, 1, left);
#endif
    peal_sendrecv(me, &mine, 1, (rank + 1) % size, &got, 1, left);
#ifdef LATE
    if (size == 3)
        exit(LATE);
#endif
#ifdef ANY
    for (int i = 1; i < size && rank == 0; i++)
        peal_recv(me, &got, 1, PEAL_ANY_SOURCE);
    if (rank > 0)
        peal_send(me, &mine, 1, 0);
#endif
    if (argc > 1 && rank == 0)
        printf("%s\n", argv[1]);
}
