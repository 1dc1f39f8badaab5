/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
my_broadcast(struct peal_node *me, void *a, size_t n, int root)
{
    int rank = peal_rank(me);

    if (rank != root)
        peal_recv(me, a, n, root);
    for (int i = 0; rank == root && i < peal_size(me); i++)
        if (i != root)
            peal_send(me, a, n, i); /* one after the other: P-1 rounds */
}
