/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    const double *all = in;
    double *mine = out;

    if (peal_rank(me) != root) {
        peal_recv(me, mine, m, root);
        return;
    }
    for (int i = 0; i < peal_size(me); i++)
        if (i != root)
            peal_send(me, peal_block(all, m, i), m, i);
    for (size_t j = 0; j < m; j++)
        mine[j] = peal_block(all, m, root)[j];
}
