/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    double x = 7;

    if (peal_rank(me) == 0) {
        peal_send(me, &x, 1, 1);
        peal_barrier(me);
    } else {
        peal_recv(me, &x, 1, 0);
        peal_barrier(me);
    }
    (void)argc, (void)argv;
}
