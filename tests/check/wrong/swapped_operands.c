/* SPDX-License-Identifier: MIT */
/* The operands are the wrong way round: rank order is lost. */
#include <peal/peal.h>
#include <string.h>

void
my_reduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    int P = peal_size(me), r = peal_rank(me);
    void *sum = peal_alloc(me, n), *part = peal_alloc(me, n);

    memcpy(sum, a, n * peal_word_bytes(me));
    for (int bitmask = 1; bitmask < P; bitmask <<= 1) {
        if (r & bitmask) {
            peal_send(me, sum, n, r - bitmask);
            break;
        }
        if (r + bitmask < P) {
            peal_recv(me, part, n, r + bitmask);
            op->combine(part, sum, sum, n);
        }
    }
    if (root != 0 && r == 0)
        peal_send(me, sum, n, root);
    if (root != 0 && r == root)
        peal_recv(me, sum, n, 0);
    if (r == root)
        memcpy(a, sum, n * peal_word_bytes(me));
}
