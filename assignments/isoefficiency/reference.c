/* SPDX-License-Identifier: MIT */
/* What the driver prints for "sum" when my_sum is right. */
#include <peal/peal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    int64_t count = argc > 2 ? atoll(argv[2]) / peal_size(me) : 0, sum = 0;

    for (int64_t i = 0; i < count; i++) /* as the driver draws them */
        sum += (int64_t)(peal_random(me) >> 16);
    peal_reduce(me, PEAL_SUM_INT64, &sum, 1, 0);
    if (peal_rank(me) == 0)
        printf("sum=%lld\n", (long long)sum);
}
