/* SPDX-License-Identifier: MIT */
/* Sums what node 0 receives from anybody: the same in every order. */
#include <peal/peal.h>
#include <stdio.h>
static long sum;
void
peal_main(struct peal_node *me, int argc, char **argv)
{
    long word = peal_rank(me);
    (void)argv;
    if (peal_rank(me) != 0) {
        peal_send(me, &word, 1, 0);
        return;
    }
    for (int i = 1; i < peal_size(me); i++) {
        peal_recv(me, &word, 1, PEAL_ANY_SOURCE);
        sum += word;
    }
    printf("%ld %d\n", sum, argc);
}
