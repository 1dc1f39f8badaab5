/* SPDX-License-Identifier: MIT */
/* Wrong: a tree to node 0 and a tree back: right for powers of two, in twice the rounds.
 *
 *   loses    rounds and words
 *   loses    any number of nodes
 *   loses    any number, rank order
 */
#include <peal/peal.h>
#include <stdint.h>
#include <string.h>

void
my_allreduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int P = peal_size(me), rank = peal_rank(me), bit = 1;
    void *got = peal_alloc(me, n);

    for (; bit < P && rank % (2 * bit) == 0; bit <<= 1) {
        peal_recv(me, got, n, rank + bit);
        op->combine(a, got, a, n);
    }
    if (bit < P) {
        peal_send(me, a, n, rank - bit);
        peal_recv(me, a, n, rank - bit);
    }
    while ((bit >>= 1) > 0)
        peal_send(me, a, n, rank + bit);
    peal_free(me, got);
}
