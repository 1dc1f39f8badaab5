/* SPDX-License-Identifier: MIT */
/* Wrong: it asks nobody whether the partner is there.
 *
 *   loses    any number of nodes
 *   loses    any number, rank order
 */
#include <peal/peal.h>
#include <stdint.h>
#include <string.h>

void
my_allreduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int rank = peal_rank(me);
    void *got = peal_alloc(me, n);

    for (int bit = 1; bit < peal_size(me); bit <<= 1) {
        int partner = rank ^ bit;

        peal_sendrecv(me, a, n, partner, got, n, partner);
        if (rank < partner)
            op->combine(a, got, a, n);
        else
            op->combine(got, a, a, n);
    }
    peal_free(me, got);
}
