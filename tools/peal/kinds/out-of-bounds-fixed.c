/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    double *x = peal_alloc(me, 4);

    for (int i = 0; i < 4; i++)
        x[i] = i;
    peal_broadcast(me, x, 4, 0);
    (void)argc, (void)argv;
}
