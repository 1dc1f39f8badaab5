/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <stdlib.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    double *x = malloc(4 * sizeof *x);

    for (int i = 0; i < 4; i++)
        x[i] = i;
    peal_broadcast(me, x, 4, 0);
    free(x);
    (void)argc, (void)argv;
}
