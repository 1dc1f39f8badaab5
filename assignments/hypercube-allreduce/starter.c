/* SPDX-License-Identifier: MIT */
/* All-reduce on a hypercube: complete my_allreduce. */
#include <peal/peal.h>
#include <stdint.h>

/* Combine the n words of a of all nodes, at all nodes. */
void
my_allreduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    for (int bit = 1; bit < peal_size(me); bit <<= 1) {
        /* your turn: exchange with the node that differs in this bit */
    }
    (void)op, (void)a, (void)n;
}
