/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <stdio.h>
#include <unistd.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    if (peal_rank(me) == 1 && fork() == 0)
        return;
    peal_barrier(me);
    peal_printf(me, "node %d\n", peal_rank(me));
    peal_barrier(me);
}
