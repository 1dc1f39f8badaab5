/* SPDX-License-Identifier: MIT */
/* Wrong: node 0 collects, adds and gives back: right, with 2(P−1) rounds of whole vectors.
 *
 *   loses    words on a ring
 */
#include <peal/peal.h>
#include <stdint.h>
#include <string.h>

void
my_allreduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    uint64_t *got = peal_alloc(me, n);

    for (int i = 1; i < peal_size(me) && peal_rank(me) == 0; i++) {
        peal_recv(me, got, n, i);
        op->combine(a, got, a, n);
    }
    for (int i = 1; i < peal_size(me) && peal_rank(me) == 0; i++)
        peal_send(me, a, n, i);
    if (peal_rank(me) > 0) {
        peal_send(me, a, n, 0);
        peal_recv(me, a, n, 0);
    }
    peal_free(me, got);
}
