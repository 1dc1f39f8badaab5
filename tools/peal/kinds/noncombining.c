/* SPDX-License-Identifier: MIT */
#include <peal/author.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    double x[6] = {1, 2, 3, 4, 5, 6};

    peal_packet(me, 3);
    if (peal_rank(me) == 0)
        peal_send(me, x, 6, 1); /* two packets in one message */
    else
        peal_recv(me, x, 6, 0);
    (void)argc, (void)argv;
}
