/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <stdlib.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    char *volatile a = malloc(40);

    free(a);
    free(a);
    peal_barrier(me);
}
