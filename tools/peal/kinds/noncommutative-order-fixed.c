/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
my_reduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    int rank = peal_rank(me);
    void *sum = peal_alloc(me, n), *right = peal_alloc(me, n);

    for (size_t i = 0; i < n; i++)
        ((double *)sum)[i] = ((double *)a)[i];
    if (rank + 1 < peal_size(me)) {
        peal_recv(me, right, n, rank + 1);
        op->combine(sum, right, sum, n);
    }
    if (rank > 0)
        peal_send(me, sum, n, rank - 1);
    for (size_t i = 0; rank == root && i < n; i++)
        ((double *)a)[i] = ((double *)sum)[i];
}
