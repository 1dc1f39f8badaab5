/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <pthread.h>
#include <signal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    sigset_t all;

    peal_barrier(me);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    for (;;)
        ;
}
