/* SPDX-License-Identifier: MIT */
/* Reduce, binomial: neighbours combine, then pairs of neighbours, and so on: a binomial tree whose every subtree is a
 * range of ranks, whatever the root.
 *
 *   before       node i has n words xᵢ
 *   after        the root has x₀ ⊕ x₁ ⊕ .. ⊕ x_{P-1}; the vectors of the others are unchanged
 *   rounds       ⌈log₂P⌉
 *   cost         ⌈log₂P⌉(α + βn), any P and root; on meshes and tori where the extents are powers of two
 *   space        2n words at an inner node, n at the root and at those with one child, none at a leaf
 *   keeps rank order, for any root and any associative operator
 *   derivation   in the round of mask h = 1, 2, 4, .. the ranges of h ranks from each multiple of h are joined in
 *                pairs.  A range is led by the root if that is in it, else by the leader of its pair with bit h
 *                flipped, or by its first rank if that leader does not exist.  A pair is two neighbouring ranges, so
 *                the vector of the higher one is combined on the right.  Of a pair the lower range is full, hence ready
 *                after exactly log₂h rounds, and the higher one is ready no later
 *   links        messages stay inside disjoint ranges, one in each: k = 1 on lines, rings (the last round, which may go
 *                half way round, has one message), and where flipping a bit changes one coordinate
 *   hops         the ranges 0 .. 2h-1 are full before the last round, so its farthest goes h on a line or ring,
 *                h/stride on a mesh or torus; the last goes from leader to root
 *   source       Georgia Tech CS 6220, tree-based reduce (root 0); the leaders for other roots are Peal's own
 *
 *   P = 6, root 3
 *     round 1    0 -> 1     2 -> 3     5 -> 4               x₀x₁     x₂x₃     x₄x₅
 *     round 2    1 -> 3                                     x₀x₁x₂x₃
 *     round 3    4 -> 3                                     x₀x₁x₂x₃x₄x₅                                     */
#include "../catalog.h"

/* The leader of the other range of a pair that `leader` leads, P or more when there is no other range. */
static int
other_leader(int leader, int mask, int P)
{
    int partner = leader ^ mask;

    return partner < P ? partner : (leader & -mask) + mask;
}

static void
reduce_binomial_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    int P = peal_size(me), r = peal_rank(me), leader = root, parent = -1, mask = 1 << ceiling_log2(P);
    void *sum = a, *x = NULL;

    while (leader != r) {                                /* from the whole down to the range of `mask` that I lead */
        mask >>= 1;
        if ((r ^ leader) & mask) {
            parent = leader;
            leader = other_leader(leader, mask, P);
        }
    }
    for (int h = 1; h < mask; h <<= 1) {                 /* and up again */
        int partner = other_leader(r, h, P);

        if (partner >= P)
            continue;
        if (x == NULL || x == sum)                       /* the first sum takes the place of what came */
            x = peal_scratch(me, n);
        peal_recv(me, x, n, partner);
        void *mine = sum == a && r != root ? x : sum;

        if (partner > r)
            peal_combine(op, sum, x, mine, n);
        else
            peal_combine(op, x, sum, mine, n);
        sum = mine;
    }
    if (r != root)
        peal_send(me, sum, n, parent);
}

/* The hops of the farthest message in the round of mask h, 0 where they are not derived. */
static int
hops_of_round(const struct shape *shape, int root, int h)
{
    bool last = 2 * h >= shape->nodes;
    int way = other_leader(root, h, shape->nodes) - root;

    switch (shape->kind) {
    case SHAPE_FULL:
    case SHAPE_HYPERCUBE:
        return 1;
    case SHAPE_LINE:
    case SHAPE_RING:
        return last ? shape_hops(shape, 0, 0, way < 0 ? -way : way) : h;
    case SHAPE_MESH:
    case SHAPE_TORUS:
        if (!shape_powers_of_two(shape, shape->kind == SHAPE_MESH && root == 0 ? 1 : 0))
            return 0;
        for (int d = 0; d < shape->dimensions; d++)
            if (shape->stride[d] <= h)
                return h / shape->stride[d];
        return 0;
    case SHAPE_OTHER:
        return 0;
    }
    return 0;
}

static void
reduce_binomial_cost(struct closed *sum)
{
    for (int i = 0; i < ceiling_log2(sum->situation->nodes) && sum->known; i++) {
        int hops = hops_of_round(&sum->shape, sum->situation->root, 1 << i);

        sum->known = hops > 0;
        closed_add_same(sum, 1, closed_words(sum), hops);
    }
}

/* P-1 messages of n words in all. */
static bool
at_most(const struct peal_situation *situation, struct peal_cost *cost)
{
    struct closed sum = closed_of(situation, PEAL_POSTS_ONE);

    closed_add_at_most(&sum, ceiling_log2(situation->nodes),
                       closed_product(&sum, closed_words(&sum), situation->nodes - 1));
    return closed_end(&sum, cost);
}

const struct peal_algorithm reduce_binomial = {
    .collective  = PEAL_REDUCE,
    .name        = "binomial",
    .summary     = "combine neighbouring ranges of ranks, the nearest first",
    .run.reduce  = reduce_binomial_run,
    .cost        = reduce_binomial_cost,
    .posts       = PEAL_POSTS_ONE,
    .at_most     = at_most,
    .texts       = TEXTS(
        {.on = "full hypercube", .alpha = "α⌈log₂P⌉", .beta = "βn⌈log₂P⌉", .near = true, .cited = "P = 2^q"},
        {.on = "line ring", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βn log₂P", .hop = "t_d(P−1)",
         .stored = "βn(P−1)"},
        {.on = "line", .when = "root 0", .alpha = "α⌈log₂P⌉", .beta = "βn⌈log₂P⌉", .hop = "t_d(2^⌈log₂P⌉−1)",
         .stored = "βn(2^⌈log₂P⌉−1)"},
        {.on = "line", .alpha = "α⌈log₂P⌉", .beta = "βn⌈log₂P⌉", .hop = "t_d(2h−1−r[P−h ≤ r][r < h])",
         .stored = "βn(2h−1−r[P−h ≤ r][r < h])", .names = "h = 2^(⌈log₂P⌉−1)"},
        {.on = "ring", .when = "root 0", .alpha = "α⌈log₂P⌉", .beta = "βn⌈log₂P⌉", .hop = "t_d(P−1)",
         .stored = "βn(P−1)"},
        {.on = "ring", .alpha = "α⌈log₂P⌉", .beta = "βn⌈log₂P⌉", .hop = "t_d(h−1+min(w, P−w))",
         .stored = "βn(h−1+min(w, P−w))", .names = "h = 2^(⌈log₂P⌉−1), w = h−r[P−h ≤ r][r < h]"},
        {.on = "mesh torus", .when = "zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βn log₂P", .hop = "t_dΣ(zᵢ−1)",
         .stored = "βnΣ(zᵢ−1)"},
        {.on = "mesh", .when = "root 0", .alpha = "α⌈log₂P⌉", .beta = "βn⌈log₂P⌉", .hop = "t_dΣ(2^⌈log₂zᵢ⌉−1)",
         .stored = "βnΣ(2^⌈log₂zᵢ⌉−1)"}),
    .optimal     = "α",
    .source      = "Georgia Tech CS 6220, tree-based reduce, for any root",
};
