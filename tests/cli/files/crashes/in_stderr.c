/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <stdio.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    for (;;)
        fprintf(stderr, "x");
    peal_barrier(me);
}
