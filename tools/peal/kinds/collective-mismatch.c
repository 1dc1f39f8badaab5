/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    double x = peal_rank(me);

    peal_broadcast(me, &x, 1, peal_rank(me) == 2 ? 2 : 0); /* node 2 thinks that it is the root */
    (void)argc, (void)argv;
}
