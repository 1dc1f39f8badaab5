/* SPDX-License-Identifier: MIT */
/* An all-reduce on a hypercube whose second round goes to the partner of the first one again, above four nodes. */
#include <peal/peal.h>

void my_allreduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n);

void
my_allreduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    void *other = peal_alloc(me, n);
    int round = 0;

    if (peal_size(me) & (peal_size(me) - 1)) { /* not a power of two */
        peal_allreduce(me, op, a, n);
        return;
    }
    for (int bit = 1; bit < peal_size(me); bit <<= 1, round++) {
        int partner = peal_rank(me) ^ (round == 1 && peal_size(me) > 4 ? 1 : bit);

        peal_sendrecv(me, a, n, partner, other, n, partner);
        if (partner < peal_rank(me))
            op->combine(other, a, a, n);
        else
            op->combine(a, other, a, n);
    }
}
