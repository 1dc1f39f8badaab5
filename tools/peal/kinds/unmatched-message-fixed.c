/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    double x = 1;

    if (peal_rank(me) == 0) {
        peal_send(me, &x, 1, 1);
    } else {
        peal_recv(me, &x, 1, 0);
    }
    (void)argc, (void)argv;
}
