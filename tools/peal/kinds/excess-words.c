/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    int rank = peal_rank(me), P = peal_size(me);
    double *all = peal_alloc(me, m * (size_t)P), *mine = out;

    for (size_t i = 0; rank == root && i < m * (size_t)P; i++)
        all[i] = ((const double *)in)[i];
    peal_broadcast_by(me, "linear", all, m * (size_t)P, root); /* everybody gets all blocks */
    for (size_t i = 0; i < m; i++)
        mine[i] = all[m * (size_t)rank + i];
}
