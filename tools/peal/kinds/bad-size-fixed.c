/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    double x[2] = {1, 2};
    size_t n = 2;

    peal_broadcast(me, x, n, 0);
    (void)argc, (void)argv;
}
