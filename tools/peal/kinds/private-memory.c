/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    double x = 7, *where = &x;

    if (peal_rank(me) == 0) {
        peal_send(me, &where, 1, 1); /* the address, not the number */
        peal_barrier(me);
    } else {
        peal_recv(me, &where, 1, 0);
        x = *where;
        peal_barrier(me);
    }
    (void)argc, (void)argv;
}
