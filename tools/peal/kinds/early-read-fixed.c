/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    double x = 0, sum = 1;

    if (peal_rank(me) == 0) {
        struct peal_handle coming = peal_recv_async(me, &x, 1, 1);

        peal_wait(me, coming);
        sum += x;
    } else {
        peal_send(me, &sum, 1, 0);
    }
    (void)argc, (void)argv;
}
