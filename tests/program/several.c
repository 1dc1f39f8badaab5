/* SPDX-License-Identifier: MIT */
/* The first of several files: the others keep a sum a node and a list a node. */
#include <peal/peal.h>
#include <stdio.h>

int add(int more);          /* several_more.c */
long random(void);          /* its own, too */
int remember(int number);   /* several_list.cpp */
const char *try_odd(int n); /* it throws */

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    int rank = peal_rank(me), sum = 0, count = 0;

    for (int i = 0; i < 3; i++) {
        sum = add(rank);
        count = remember(rank + i);
        peal_next_round(me);
    }
    if (sum != 3 * rank || count != 3 || random() != 4)
        peal_abort(me, "somebody else's sum, list or numbers");
    if (rank < 2)
        printf("%d: sum %d, %d in the list, %s\n", rank, sum, count, try_odd(rank));
    (void)argc, (void)argv;
}
