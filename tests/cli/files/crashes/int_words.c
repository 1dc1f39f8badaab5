/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <stdlib.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    for (int i = 0; i < 1000; i++) { /* no block of this size is free: what follows is at the end of the heap */
        char *volatile more = malloc(4 * sizeof(int));

        (void)more;
    }
    int *a = malloc(4 * sizeof(int)), *b = malloc(4 * sizeof(int));
    int rank = peal_rank(me), nodes = peal_size(me);

    for (int i = 0; i < 4; i++)
        a[i] = rank;
    peal_sendrecv(me, a, 4, (rank + 1) % nodes, b, 4, (rank + nodes - 1) % nodes);
    for (int i = 0; i < 2000; i++) {
        char *volatile more = malloc(1000);

        (void)more;
    }
    peal_barrier(me);
}
