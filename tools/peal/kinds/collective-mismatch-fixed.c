/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    double x = peal_rank(me);

    peal_broadcast(me, &x, 1, 0);
    (void)argc, (void)argv;
}
