/* SPDX-License-Identifier: MIT */
#include <peal/author.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    double x[6] = {1, 2, 3, 4, 5, 6};

    peal_packet(me, 3);
    for (int i = 0; i < 6; i += 3)
        if (peal_rank(me) == 0)
            peal_send(me, x + i, 3, 1);
        else
            peal_recv(me, x + i, 3, 0);
    (void)argc, (void)argv;
}
