/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    size_t n = (size_t)1 << 46; /* words: 512 TiB */
    double *x = peal_alloc(me, n);

    x[0] = 1;
    (void)argc, (void)argv;
}
