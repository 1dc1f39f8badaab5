/* SPDX-License-Identifier: MIT */
/* A block from malloc is sent as it came. */
#include <peal/peal.h>
#include <stdlib.h>

void
my_broadcast(struct peal_node *me, void *a, size_t n, int root)
{
    uint64_t *message = malloc((n + 1) * sizeof *message);

    if (peal_rank(me) != root)
        peal_recv(me, a, n, root);
    for (int i = 0; peal_rank(me) == root && i < peal_size(me); i++)
        if (i != root)
            peal_send(me, message, n, i); /* here */
    free(message);
}
