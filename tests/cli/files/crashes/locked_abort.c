/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <stdio.h>
#include <stdlib.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    flockfile(stderr);
    flockfile(stdout);
    abort();
    peal_barrier(me);
}
