/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <stdio.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    double x = peal_rank(me), result = 0;

    if (peal_rank(me) > 0)
        peal_send(me, &x, 1, 0);
    for (int i = 1; peal_rank(me) == 0 && i < peal_size(me); i++) {
        peal_recv(me, &x, 1, i);
        result = 2 * result + x;
    }
    if (peal_rank(me) == 0)
        printf("%g\n", result);
    (void)argc, (void)argv;
}
