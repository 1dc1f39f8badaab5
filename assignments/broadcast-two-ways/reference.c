/* SPDX-License-Identifier: MIT */
/* What the driver prints when my_broadcast is right. */
#include <peal/peal.h>
#include <stdio.h>
#include <stdlib.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    size_t n = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 0;
    uint64_t *a = peal_alloc(me, n);

    for (size_t i = 0; i < n && peal_rank(me) == 0; i++) /* as the driver draws them */
        a[i] = peal_random(me);
    peal_broadcast(me, a, n, 0);
    for (size_t i = 0; i < n; i++)
        printf("%llx\n", (unsigned long long)a[i]);
}
