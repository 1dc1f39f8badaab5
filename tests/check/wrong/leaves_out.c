/* SPDX-License-Identifier: MIT */
/* A reduce along a chain that begins at the node before the last one. */
#include <peal/peal.h>

void my_reduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root);

void
my_reduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    int P = peal_size(me), last = P > 3 ? P - 2 : P - 1, at = (peal_rank(me) - root + P) % P;
    void *sum = peal_alloc(me, n), *other = peal_alloc(me, n);

    if (at > last)
        return;
    if (at == last && at > 0)
        peal_send(me, a, n, (root + at - 1) % P);
    if (at == last)
        return;
    peal_recv(me, other, n, (root + at + 1) % P);
    if (at == 0)
        op->combine(a, other, a, n);
    else
        op->combine(a, other, sum, n);
    if (at > 0)
        peal_send(me, sum, n, (root + at - 1) % P);
}
