/* SPDX-License-Identifier: MIT */
/* A block is freed twice. */
#include <peal/peal.h>
#include <stdlib.h>
#include <string.h>

void
my_barrier(struct peal_node *me)
{
    char *text = strdup("block");

    free(text);
    peal_barrier(me);
    free(text); /* here */
}
