/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    double x = 1;

    if (peal_rank(me) == 0)
        peal_recv_async(me, &x, 1, 1); /* and who waits for it? */
    (void)argc, (void)argv;
}
