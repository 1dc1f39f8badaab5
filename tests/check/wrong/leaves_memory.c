/* SPDX-License-Identifier: MIT */
/* The temporary buffer is freed on one way out of two. */
#include <peal/peal.h>
#include <stdlib.h>
#include <string.h>

void
my_broadcast(struct peal_node *me, void *a, size_t n, int root)
{
    uint64_t *message = malloc((n + 1) * sizeof *message); /* here */

    if (peal_rank(me) != root) {
        peal_recv(me, a, n, root);
        return;
    }
    memcpy(message, a, n * sizeof *message);
    for (int i = 0; i < peal_size(me); i++)
        if (i != root)
            peal_send(me, message, n, i);
    free(message);
}
