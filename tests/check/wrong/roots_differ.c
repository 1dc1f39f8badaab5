/* SPDX-License-Identifier: MIT */
/* A program in which the upper half takes itself for the root's: without a word it would print wrong numbers. */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    double a[4] = {peal_rank(me), 1, 2, 3};

    (void)argc, (void)argv;
    peal_barrier(me);
    peal_broadcast(me, a, 4, peal_rank(me) < peal_size(me) / 2 ? 0 : 1);
    peal_printf(me, "%g\n", a[0]);
}
