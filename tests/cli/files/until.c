/* SPDX-License-Identifier: MIT */
/* Repeats a loop until the file that the argument names exists; reports halfway if asked to. */
#include <peal/peal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    int64_t on = 1;

    for (int round = 0; on; round++) {
        if (peal_rank(me) == 0) {
            on = access(argv[1], F_OK) != 0;
            usleep(1000);
            if (argc > 2 && round == 900)
                printf("%s\n", argv[2]);
        }
        peal_broadcast(me, &on, 1, 0);
    }
}
