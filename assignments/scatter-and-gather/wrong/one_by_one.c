/* SPDX-License-Identifier: MIT */
/* Wrong: the root sends each node its block, and receives each, one after the other: P−1 rounds.
 *
 *   loses    scatter: rounds
 *   loses    gather: rounds
 */
#include <peal/peal.h>
#include <stdint.h>
#include <string.h>

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    const uint64_t *blocks = in;

    for (int i = 0; i < peal_size(me) && peal_rank(me) == root; i++)
        if (i != root)
            peal_send(me, peal_block(blocks, m, i), m, i);
        else
            memcpy(out, peal_block(blocks, m, i), m * peal_word_bytes(me));
    if (peal_rank(me) != root)
        peal_recv(me, out, m, root);
}

void
my_gather(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    uint64_t *blocks = out;

    for (int i = 0; i < peal_size(me) && peal_rank(me) == root; i++)
        if (i != root)
            peal_recv(me, peal_block(blocks, m, i), m, i);
        else
            memcpy(peal_block(blocks, m, i), in, m * peal_word_bytes(me));
    if (peal_rank(me) != root)
        peal_send(me, in, m, root);
}
