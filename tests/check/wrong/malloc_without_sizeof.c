/* SPDX-License-Identifier: MIT */
/* The block has as many bytes as it is to have words. */
#include <peal/peal.h>
#include <stdlib.h>

void
my_barrier(struct peal_node *me)
{
    double *heard = malloc((size_t)peal_size(me));

    for (int i = 0; i < peal_size(me); i++)
        heard[i] = 0; /* here */
    free(heard);
    peal_barrier(me);
}
