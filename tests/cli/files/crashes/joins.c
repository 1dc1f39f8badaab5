/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *
rest(void *arg)
{
    usleep(1800 * 1000);
    return arg;
}

static void *
print(void *arg)
{
    puts("printed");
    return arg;
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    pthread_t thread;

    (void)argv;
    if (peal_rank(me) == 0 && argc > 1)
        flockfile(stdout);
    if (peal_rank(me) == 0)
        peal_abort(me, "it does not wait");
    pthread_create(&thread, NULL, argc > 1 ? print : rest, NULL);
    pthread_join(thread, NULL);
    fprintf(stderr, "joined\n");
}
