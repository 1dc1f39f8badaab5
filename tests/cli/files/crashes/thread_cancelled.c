/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <pthread.h>
#include <unistd.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    if (peal_rank(me) == 1) {
        pthread_cancel(pthread_self());
        pause();
    }
    peal_barrier(me);
}
