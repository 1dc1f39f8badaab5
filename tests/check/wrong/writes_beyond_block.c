/* SPDX-License-Identifier: MIT */
/* A block from malloc is one word too short. */
#include <peal/peal.h>
#include <stdlib.h>

void
my_broadcast(struct peal_node *me, void *a, size_t n, int root)
{
    uint64_t *words = a, *message = malloc(n * sizeof *message);

    if (peal_rank(me) != root)
        peal_recv(me, a, n, root);
    for (size_t j = 0; j <= n; j++)
        message[j] = j < n ? words[j] : 0; /* here */
    for (int i = 0; peal_rank(me) == root && i < peal_size(me); i++)
        if (i != root)
            peal_send(me, message, n, i);
    free(message);
}
