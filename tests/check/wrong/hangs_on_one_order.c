/* SPDX-License-Identifier: MIT */
/* Node 0 takes from anybody, then from node 2: it hangs when anybody was node 2. */
#include <peal/peal.h>
void
peal_main(struct peal_node *me, int argc, char **argv)
{
    long word = peal_rank(me);
    (void)argc, (void)argv;
    if (peal_rank(me) == 0) {
        peal_recv(me, &word, 1, PEAL_ANY_SOURCE);
        peal_recv(me, &word, 1, 2);
    } else if (peal_rank(me) < 3)
        peal_send(me, &word, 1, 0);
}
