/* SPDX-License-Identifier: MIT */
/* A barrier of which node 0 counts who comes, in any order: right, in all of the (P-1)! orders. */
#include <peal/peal.h>

void
my_barrier(struct peal_node *me)
{
    int P = peal_size(me);

    if (peal_rank(me) != 0) {
        peal_send(me, NULL, 0, 0);
        peal_recv(me, NULL, 0, 0);
        return;
    }
    for (int i = 1; i < P; i++)
        peal_recv(me, NULL, 0, PEAL_ANY_SOURCE);
    for (int i = 1; i < P; i++)
        peal_send(me, NULL, 0, i);
}
