/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    int rank = peal_rank(me), P = peal_size(me);
    const double *all = in;
    double *mine = out;

    for (size_t i = 0; i < m; i++)
        for (int k = 0; k < P; k++)
            if (rank == root && k != root)
                peal_send(me, peal_block(all, m, k) + i, 1, k);
            else if (rank == k && rank != root)
                peal_recv(me, &mine[i], 1, root);
            else if (rank == k)
                mine[i] = peal_block(all, m, rank)[i];
}
