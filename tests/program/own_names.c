/* SPDX-License-Identifier: MIT */
/* A program may define a function that is called as one of the C library's. */
#include <peal/peal.h>
#include <stdio.h>

long random(void);

__attribute__((noinline)) long
random(void)
{
    return 4;
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    printf("%ld %d\n", random(), peal_rank(me));
}
