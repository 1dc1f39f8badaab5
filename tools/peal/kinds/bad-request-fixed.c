/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    double x = 1;

    if (peal_rank(me) == 0) {
        struct peal_handle sent = peal_send_async(me, &x, 1, 1);

        peal_wait(me, sent);
    } else {
        peal_recv(me, &x, 1, 0);
    }
    (void)argc, (void)argv;
}
