/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <signal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    if (peal_rank(me) == 1)
        raise(SIGSYS);
    peal_barrier(me);
}
