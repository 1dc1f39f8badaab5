/* SPDX-License-Identifier: MIT */
/* The circulant graph.
 *
 * Halving upwards takes P to 1 in q = ⌈log₂P⌉ steps: s_k is P/2^(q-k), rounded up. */
#include "circulant.h"
#include "blocks.h"

int
circulant_skips(int nodes, int skips[CIRCULANT_SKIPS])
{
    int q = ceiling_log2(nodes);

    skips[q] = nodes;
    for (int k = q - 1; k >= 0; k--)
        skips[k] = skips[k + 1] / 2 + skips[k + 1] % 2;
    return q;
}
