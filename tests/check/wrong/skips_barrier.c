/* SPDX-License-Identifier: MIT */
/* A program in which node 1 skips a barrier, and takes the next one for it; with an argument there is no next one. */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argv;
    if (peal_rank(me) != 1)
        peal_barrier(me);
    if (argc == 1)
        peal_barrier(me);
}
