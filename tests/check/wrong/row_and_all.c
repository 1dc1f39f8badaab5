/* SPDX-License-Identifier: MIT */
/* A program in which nodes of a row add up their words, but node 3 does not know how many, and node 2 asks all. */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    struct peal_node *row = peal_split(me, peal_rank(me) / 2, 0);
    double a[4] = {0};

    (void)argv;
    if (argc == 1)
        peal_allreduce(row, PEAL_SUM_DOUBLE, a, peal_rank(me) == 3 ? 3 : 4);
    else
        peal_barrier(peal_rank(me) == 2 ? me : row);
}
