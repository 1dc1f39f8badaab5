/* SPDX-License-Identifier: MIT */
/* Scatter and gather: complete both. */
#include <peal/peal.h>
#include <stdint.h>
#include <string.h>

/* Give node i block i of the root's P blocks of m words. */
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    if (peal_rank(me) == root) {
        const uint64_t *blocks = in;

        memcpy(out, peal_block(blocks, m, root), m * peal_word_bytes(me));
    }
    /* your turn: the blocks of the others */
}

/* Collect the blocks of all nodes at the root. */
void
my_gather(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    if (peal_rank(me) == root) {
        uint64_t *blocks = out;

        memcpy(peal_block(blocks, m, root), in, m * peal_word_bytes(me));
    }
    /* your turn */
}
