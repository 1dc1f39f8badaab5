/* SPDX-License-Identifier: MIT */
/* From three words on, five nodes and another root than 0 the last word of a vector, or of a block, is left out. */
#include <peal/peal.h>
#include <string.h>

void
my_broadcast(struct peal_node *me, void *a, size_t n, int root)
{
    int P = peal_size(me);

    for (int i = 0; peal_rank(me) == root && i < P; i++)
        if (i != root)
            peal_send(me, a, n > 2 && P > 4 && root > 0 ? n - 1 : n, i);
    if (peal_rank(me) != root)
        peal_recv(me, a, n, root);
}

/* Here from two words on. */
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    const uint64_t *blocks = in;

    for (int i = 0; peal_rank(me) == root && i < peal_size(me); i++)
        if (i != root)
            peal_send(me, peal_block(blocks, m, i), m > 1 ? m - 1 : m, i);
    if (peal_rank(me) != root)
        peal_recv(me, out, m, root);
    else
        memmove(out, peal_block(blocks, m, root), m * peal_word_bytes(me));
}
