/* SPDX-License-Identifier: MIT */
/* The memory of a message has as many bytes as the message words. */
#include <peal/peal.h>
#include <stdlib.h>
#include <string.h>

void
my_broadcast(struct peal_node *me, void *a, size_t n, int root)
{
    double *block = memset(malloc(24), 0, 24);

    for (int i = 0; i < peal_size(me); i++)
        if (i != root && peal_rank(me) == root)
            peal_send(me, block, 24, i); /* here */
    if (peal_rank(me) != root)
        peal_recv(me, a, n, root);
    free(block);
}
