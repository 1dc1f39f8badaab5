/* SPDX-License-Identifier: MIT */
/* Node 2 is sent a second message, which is not received or waited for. */
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
    for (int i = 0; i < P; i++)
        if (i != root)
            peal_send(me, peal_block(blocks, m, i), m, i),
                i == 2 ? peal_send_async(me, blocks, 0, i) : (struct peal_handle){0};
    memcpy(out, peal_block(blocks, m, root), m * peal_word_bytes(me));
}
