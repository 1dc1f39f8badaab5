/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <stdio.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    while (getchar() != 'x') /* one line, wherever the loop is stopped */
        ;
    peal_barrier(me);
}
