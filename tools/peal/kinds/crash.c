/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    int *counts = NULL;

    if (peal_rank(me) == 1)
        counts[0] = 1; /* memory that it never got */
    (void)argc, (void)argv;
}
