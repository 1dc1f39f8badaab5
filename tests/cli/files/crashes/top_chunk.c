/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <stdlib.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    volatile char *a = malloc(50000);

    for (int i = 0; i < 50000 + 64; i++)
        a[i] = 'A';
    for (int i = 0; i < 99; i++) {
        char *volatile more = malloc(2000);

        (void)more;
    }
    peal_barrier(me);
}
