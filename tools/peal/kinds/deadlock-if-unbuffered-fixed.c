/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    int partner = 1 - peal_rank(me);
    double mine = peal_rank(me), theirs;

    if (peal_rank(me) == 0) {
        peal_send(me, &mine, 1, partner);
        peal_recv(me, &theirs, 1, partner);
    } else {
        peal_recv(me, &theirs, 1, partner);
        peal_send(me, &mine, 1, partner);
    }
    (void)argc, (void)argv;
}
