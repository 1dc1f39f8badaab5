/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <unistd.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    ualarm(100000, 0);
    for (;;)
        ;
    peal_barrier(me);
}
