/* A hostile "scatter" without a message, on two nodes: the other's word goes bit by bit, as the order of keys. */
#include <peal/peal.h>

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    const uint64_t *words = in;
    uint64_t *mine = out, word = 0;
    bool first = peal_rank(me) == root;

    if (m != 1)
        return;
    for (int bit = 0; bit < 64; bit++) {
        int key = first ? (words[1 - root] >> bit & 1 ? 1 : -1) : 0;

        word |= (uint64_t)(peal_rank(peal_split(me, 0, key)) == 0) << bit;
    }
    mine[0] = first ? words[root] : word;
}
