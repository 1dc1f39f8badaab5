/* SPDX-License-Identifier: MIT */
/* A loop goes down below a block from peal_alloc. */
#include <peal/peal.h>

void
my_barrier(struct peal_node *me)
{
    const int32_t *numbers = peal_alloc(me, 2);
    int32_t sum = 0;

    for (int i = 3; i >= -1; i--)
        sum += numbers[i]; /* here */
    peal_compute(me, sum);
    peal_barrier(me);
}
