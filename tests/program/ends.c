/* SPDX-License-Identifier: MIT */
/* The node argv[1] ends with status argv[3] by the call argv[2]; the others return. */
#include <peal/peal.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    if (argc == 4 && peal_rank(me) == atoi(argv[1])) {
        int status = atoi(argv[3]);

        printf("exits\n");
        if (strcmp(argv[2], "exit") == 0)
            exit(status);
        if (strcmp(argv[2], "_exit") == 0)
            _exit(status);
        if (strcmp(argv[2], "_Exit") == 0)
            _Exit(status);
        if (strcmp(argv[2], "quick_exit") == 0)
            quick_exit(status);
        if (strcmp(argv[2], "pthread_exit") == 0)
            pthread_exit(NULL);
    }
    peal_next_round(me);
    printf("returns\n");
}
