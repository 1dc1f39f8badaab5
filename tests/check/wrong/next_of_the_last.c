/* SPDX-License-Identifier: MIT */
/* At P = 5 the loop goes on to a node that does not exist. */
#include <peal/peal.h>
#include <string.h>

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    const uint64_t *blocks = in;
    int P = peal_size(me);

    if (peal_rank(me) != root) {
        peal_recv(me, out, m, root);
        return;
    }
    for (int i = 0; i < P + (P == 5); i++)
        if (i != root)
            peal_send(me, peal_block(blocks, m, i), m, i);
    memcpy(out, peal_block(blocks, m, root), m * peal_word_bytes(me));
}
