/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

__attribute__((constructor)) static void
begin(void)
{
    for (;;)
        ;
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    peal_barrier(me);
}
