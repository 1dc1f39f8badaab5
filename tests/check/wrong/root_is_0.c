/* SPDX-License-Identifier: MIT */
/* Every node receives from node 0: wrong at root != 0. */
#include <peal/peal.h>
#include <string.h>

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    const uint64_t *blocks = in;
    int P = peal_size(me);

    if (peal_rank(me) != root) {
        peal_recv(me, out, m, 0);
        return;
    }
    for (int i = 0; i < P; i++)
        if (i != root)
            peal_send(me, peal_block(blocks, m, i), m, i);
    memcpy(out, peal_block(blocks, m, root), m * peal_word_bytes(me));
}
