/* SPDX-License-Identifier: MIT */
/* All-reduce round a ring: complete my_allreduce. */
#include <peal/peal.h>
#include <stdint.h>

/* Combine the n words of a of all nodes, at all nodes. */
void
my_allreduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int P = peal_size(me), rank = peal_rank(me), left = (rank - 1 + P) % P, right = (rank + 1) % P;
    uint64_t *x = a;

    /* your turn: P - 1 rounds in which parts are combined, P - 1 in which they are passed on */
    (void)left, (void)right, (void)op, (void)x, (void)n;
}
