/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    int *counts = peal_alloc(me, 1);

    if (peal_rank(me) == 1)
        counts[0] = 1;
    (void)argc, (void)argv;
}
