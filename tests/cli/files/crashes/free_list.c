/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <stdlib.h>

/* What the compiler does not know to be given back. */
static char *
hide(char *memory)
{
    __asm__ volatile("" : "+r"(memory));
    return memory;
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    char *p[20];

    for (int i = 0; i < 20; i++)
        p[i] = hide(malloc(2000));
    for (int i = 0; i < 20; i += 2)
        free(p[i]);
    for (int i = 0; i < 20; i += 2)
        for (int j = 0; j < 2000; j++)
            hide(p[i])[j] = 'A';
    for (int i = 0; i < 99; i++)
        hide(malloc(600 + 100 * (size_t)i));
    peal_barrier(me);
}
