/* SPDX-License-Identifier: MIT */
/* Print the node's own next number; with an argument, draw from rand before. */
#include <inttypes.h>
#include <peal/peal.h>
#include <stdio.h>
#include <stdlib.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argv;
    if (argc > 1 && rand() < 0)
        return;
    printf("%" PRIu64 "\n", peal_random(me));
}
