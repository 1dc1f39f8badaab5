/* SPDX-License-Identifier: MIT */
/* The result is set to zero when its receive is posted already. */
#include <peal/peal.h>
#include <string.h>

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    const uint64_t *blocks = in;

    if (peal_rank(me) != root) {
        peal_recv_async(me, out, m, root);
        memset(out, 0, m * sizeof(uint64_t)); /* here */
        peal_wait_all(me);
        return;
    }
    for (int i = 0; i < peal_size(me); i++)
        if (i != root)
            peal_send(me, peal_block(blocks, m, i), m, i);
    memcpy(out, peal_block(blocks, m, root), m * peal_word_bytes(me));
}
