/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <signal.h>

static void
handle(int number)
{
    (void)number;
    for (;;)
        ;
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    signal(SIGUSR1, handle);
    raise(SIGUSR1);
    peal_barrier(me);
}
