/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    unsigned n = 12;

    while (n > 1 && peal_rank(me) == 0)
        n /= 5;
    (void)argc, (void)argv;
}
