/* SPDX-License-Identifier: MIT */
/* Calls a function of the process that runs it, by the address in its argument. */
#include <peal/peal.h>
#include <stdlib.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    void (*function)(void) = (void (*)(void))strtoull(argv[argc - 1], NULL, 16);

    function();
    peal_barrier(me);
}
