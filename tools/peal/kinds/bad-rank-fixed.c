/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    int rank = peal_rank(me), size = peal_size(me);
    double x = rank;

    if (rank > 0)
        peal_recv(me, &x, 1, rank - 1);
    if (rank + 1 < size)
        peal_send(me, &x, 1, rank + 1);
    (void)argc, (void)argv;
}
