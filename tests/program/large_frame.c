/* SPDX-License-Identifier: MIT */
/* Node 2 has an array that no stack holds, and writes to its far end alone; node 1 must keep its data there. */
#include <peal/peal.h>

__attribute__((noinline)) static int
touch(int i)
{
    volatile char array[9 << 20];

    array[i] = 1;
    return array[i];
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argv;
    peal_next_round(me);
    if (peal_rank(me) == 2)
        touch(argc);
    peal_next_round(me);
}
