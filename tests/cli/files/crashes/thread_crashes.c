/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <pthread.h>

static void *
write_nowhere(void *nowhere)
{
    *(volatile int *)nowhere = 1;
    return NULL;
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    pthread_t thread;

    pthread_create(&thread, NULL, write_nowhere, (void *)8);
    pthread_join(thread, NULL);
    peal_barrier(me);
}
