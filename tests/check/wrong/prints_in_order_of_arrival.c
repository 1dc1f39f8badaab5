/* SPDX-License-Identifier: MIT */
/* Prints what node 0 receives from anybody in the order in which it comes. */
#include <peal/peal.h>
#include <stdio.h>
static int count;
void
peal_main(struct peal_node *me, int argc, char **argv)
{
    long word = peal_rank(me);
    (void)argc, (void)argv;
    count++;
    if (peal_rank(me) != 0) {
        peal_send(me, &word, 1, 0);
        return;
    }
    for (int i = 1; i < peal_size(me); i++) {
        peal_recv(me, &word, 1, PEAL_ANY_SOURCE);
        printf("%d: %ld\n", count, word);
    }
}
