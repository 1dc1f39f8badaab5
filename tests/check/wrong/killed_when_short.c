/* SPDX-License-Identifier: MIT */
/* From ten words on and three nodes the last word of a block is left out; with seven the process ends. */
#include <peal/peal.h>
#include <signal.h>
#include <string.h>

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    const uint64_t *blocks = in;
    bool many = peal_size(me) > 2;

    if (many && m == 7)
        raise(SIGKILL);
    for (int i = 0; peal_rank(me) == root && i < peal_size(me); i++)
        if (i != root)
            peal_send(me, peal_block(blocks, m, i), many && m > 9 ? m - 1 : m, i);
    if (peal_rank(me) != root)
        peal_recv(me, out, m, root);
    else
        memmove(out, peal_block(blocks, m, root), m * peal_word_bytes(me));
}
