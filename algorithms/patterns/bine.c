/* SPDX-License-Identifier: MIT */
/* The Bine tree.
 *
 * ρ_s = (1 - (-2)^(s+1))/3 = 1, -1, 3, -5, 11, ..: an even node's partner in step s is ρ_s on, an odd one's ρ_s back,
 * and of the other parity.  An even node reaches in the steps below s, by induction, all nodes from Σ 2^i over the odd
 * i < s below it to Σ 2^i over the even i < s above it; an odd node's are the mirror image.  (Step s puts its partner's
 * 2^s next to its own 2^s.)
 *
 * On a ring a message of step s stays among the 2^(s+1) neighbours of which its sender then has the blocks, which are
 * disjoint and, except for the first message, no more than half of the ring: no link is shared, |ρ_s| hops.
 *
 * Source: D. De Sensi et al., "Bine trees: enhancing collective operations by optimizing communication locality", 2025,
 * arXiv 2508.17311. */
#include "bine.h"

static int
modulo(int64_t a, int nodes)
{
    return (int)((a % nodes + nodes) % nodes);
}

/* |ρ_s|; the sign is that of even s. */
static int64_t
distance(int step)
{
    return ((INT64_C(1) << (step + 1)) + (step % 2 == 0 ? 1 : -1)) / 3;
}

int
bine_partner(int nodes, int node, int step)
{
    return modulo(node + ((node + step) % 2 == 0 ? distance(step) : -distance(step)), nodes);
}

/* How far the subtree extends below an even node, or above an odd one: Σ 2^i over the odd i < step. */
static int64_t
reach(int step)
{
    int64_t sum = 0;

    for (int i = 1; i < step; i += 2)
        sum += INT64_C(1) << i;
    return sum;
}

static int
first_of(int nodes, int node, int step)
{
    int64_t size = INT64_C(1) << step, below = reach(step);

    return modulo(node - (node % 2 == 0 ? below : size - 1 - below), nodes);
}

struct span
bine_subtree(int root, int nodes, int node, int step)
{
    return span_from((int)(((int64_t)first_of(nodes, node, step) + root) % nodes), nodes, 0, 1 << step);
}

int
bine_heard(int nodes, int node, int *parent)
{
    int holder = 0, step = ceiling_log2(nodes);

    *parent = -1;
    while (holder != node) {
        int next = bine_partner(nodes, holder, --step);

        *parent = holder;
        if (modulo(node - first_of(nodes, next, step), nodes) < 1 << step)
            holder = next;
    }
    return step;
}

void
bine_closed(struct closed *sum)
{
    int nodes = sum->shape.nodes;
    bool ring = sum->shape.kind == SHAPE_RING;

    if (!ring && sum->shape.kind != SHAPE_FULL)
        sum->known = false;
    for (int step = ceiling_log2(nodes) - 1; step >= 0 && sum->known; step--)
        closed_add_same(sum, 1, closed_product(sum, closed_words(sum), 1 << step),
                        ring ? shape_hops(&sum->shape, 0, 0, (int)distance(step)) : 1);
}

/* ------------------------------------------------------------------ the closed forms as text
 *
 * The hops are Σ |ρ_s| = Σ (2^(s+1) + (-1)^s)/3 = ⌊2P/3⌋, blocks times hops Σ 2^s |ρ_s|. */

const struct peal_closed_text bine_block_texts[] = {
    {.on = "full", .alpha = "α log₂P", .beta = "βm(P−1)", .near = true},
    {.on = "ring", .alpha = "α log₂P", .beta = "βm(P−1)", .hop = "t_d⌊2P/3⌋"},
    {.on = "ring", .alpha = "αq", .beta = "βm(P−1)", .stored = "βm(2P²−1−(−2)^q)/9", .names = "q = log₂P"},
    {0},
};
