/* SPDX-License-Identifier: MIT */
/* A barrier with an array on its stack that a thread of peal run has room for. */
#include <peal/peal.h>

void
my_barrier(struct peal_node *me)
{
    volatile char array[1 << 20];

    array[0] = 1;
    peal_barrier(me);
    array[0]++;
}
