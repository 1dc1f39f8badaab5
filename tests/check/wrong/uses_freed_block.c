/* SPDX-License-Identifier: MIT */
/* A block is read after it was freed. */
#include <peal/peal.h>
#include <stdlib.h>

void
my_barrier(struct peal_node *me)
{
    int *number = malloc(sizeof *number);

    *number = 0;
    peal_barrier(me);
    free(number);
    peal_compute(me, *number); /* here */
}
