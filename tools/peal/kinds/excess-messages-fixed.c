/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    int rank = peal_rank(me), P = peal_size(me);
    const double *all = in;
    double *mine = out;

    if (rank != root)
        peal_recv(me, mine, m, root);
    for (int i = 0; rank == root && i < P; i++)
        if (i != root)
            peal_send(me, peal_block(all, m, i), m, i);
    for (size_t i = 0; rank == root && i < m; i++)
        mine[i] = peal_block(all, m, rank)[i];
}
