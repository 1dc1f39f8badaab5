/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <stdlib.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    if (peal_rank(me) == peal_size(me) - 1)
        abort();
    peal_barrier(me);
}
