/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    size_t n = 1 << 10;
    double *x = peal_alloc(me, n);

    x[0] = 1;
    (void)argc, (void)argv;
}
