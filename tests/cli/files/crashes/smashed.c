/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <string.h>

static void __attribute__((noinline, optimize("stack-protector-all")))
smash(size_t bytes)
{
    char text[16];

    memset(text, 0x41, bytes);
    __asm__ volatile("" ::"r"(text) : "memory");
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    smash(40);
    peal_barrier(me);
}
