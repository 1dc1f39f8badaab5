/* SPDX-License-Identifier: MIT */
/* A thread that aborts the process once the file "shown" is there: when all that is printed of the run has been. */
#include <peal/peal.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *
wait_and_abort(void *arg)
{
    while (access("shown", F_OK) != 0)
        usleep(1000);
    abort();
    return arg;
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    pthread_t thread;
    int64_t x = 1;

    (void)argc, (void)argv;
    if (peal_rank(me) == 0)
        pthread_create(&thread, NULL, wait_and_abort, NULL);
    for (int i = 0; i < 1000; i++) /* the document is longer than a pipe takes at once */
        peal_allreduce(me, PEAL_SUM_INT64, &x, 1);
}
