/* SPDX-License-Identifier: MIT */
/* The smallest program of which every node needs a copy. */
#include <peal/peal.h>
#include <stdio.h>

static int counter = 10;

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    counter += peal_rank(me);
    peal_next_round(me);
    if (counter != 10 + peal_rank(me))
        peal_abort(me, "somebody else counted");
    printf("%d\n", counter);
}
