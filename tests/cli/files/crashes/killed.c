/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <signal.h>
#include <unistd.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    kill(getpid(), SIGKILL);
    peal_barrier(me);
}
