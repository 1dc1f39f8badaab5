/* SPDX-License-Identifier: MIT */
/* The closed form of the binomial tree.
 *
 * Relative node x (number 0 is the root) is a multiple of its lowest set bit and stands for the nodes up to the next such
 * multiple.  The round of mask h = 2^(q-1), .., 2, 1 has a message x -> x+h for every x that is a multiple of 2h with
 * x+h < P, for the nodes x+h .. min(x+2h, P)-1.  The longest is the root's own, x = 0.  Its lengths telescope to P-1 blocks.
 *
 * Links.  The messages of a round stay inside the disjoint intervals x .. x+2h-1, so on a line no link is shared; a message
 * that wraps round the end of the line (from another root than 0) is the only one to go down.
 *   ring       h < P/2 except in the first round, which has one message: each goes the direct way, inside its interval
 *   mesh       root 0, all extents but the first powers of two: x+h differs from x in one coordinate
 *   torus      root 0, all extents powers of two: likewise, at most half way round, and half way only one to a line of nodes
 *   hypercube  a round is part of a cyclic shift by h.  On a link of dimension i under e-cube, the bits above i are the
 *              sender's and those below the receiver's, so two messages on it have one sender
 *
 * Hops.  h on a line, P-h if wrapped; min(h, P-h) on a ring; h/stride on a mesh or torus.  On a hypercube with h = 2^j,
 * adding h flips bit j alone if the root has it clear; else the carry runs through the ones above it, up to all q-j bits,
 * and some sender of the round has only ones there.  (With parts of different lengths the farthest message need not be the
 * longest there; under store-forward their product is then not known, nor is that of the ring which goes on with them.) */
#include "binomial.h"
#include "blocks.h"

/* The words of a message for the relative nodes l .. r-1. */
static int64_t
words_for(struct closed *sum, enum carries carries, int l, int r)
{
    int64_t words = closed_words(sum);

    switch (carries) {
    case CARRIES_BUNDLE:
        return closed_product(sum, words, r - l);
    case CARRIES_PARTS:
        return (int64_t)(peal_block_begin((size_t)words, sum->shape.nodes, r)
                         - peal_block_begin((size_t)words, sum->shape.nodes, l));
    case CARRIES_VECTOR:
        return words;
    }
    return 0;
}

static int
min(int a, int b)
{
    return a < b ? a : b;
}

/* The round of mask h on a line: the root's message, and the one that wraps, if there is one. */
static void
add_round_on_line(struct closed *sum, enum carries carries, int h)
{
    int nodes = sum->shape.nodes, rank_0 = nodes - sum->situation->root; /* its relative number, P when it is the root */
    int x = (rank_0 - 1) / (2 * h) * (2 * h);
    bool wraps = rank_0 < nodes && rank_0 - x <= h && x + h < nodes;
    int64_t words = words_for(sum, carries, h, min(2 * h, nodes)), word_hops, wrapped;

    if (!wraps) {
        closed_add_same(sum, 1, words, h);
        return;
    }
    /* From x = 0 it is the longest and, as h <= P-h after the first round and alone in it, the farthest. */
    wrapped = closed_product(sum, words_for(sum, carries, x + h, min(x + 2 * h, nodes)), nodes - h);
    word_hops = x == 0 ? wrapped : closed_product(sum, words, h);
    closed_add(sum, 1, words, nodes - h, wrapped > word_hops ? wrapped : word_hops);
}

/* The hops of a round's farthest message on other networks, 0 where they are not derived. */
static int
hops_of_round(const struct closed *sum, int h, int j, int q)
{
    const struct shape *shape = &sum->shape;
    int root = sum->situation->root;

    switch (shape->kind) {
    case SHAPE_FULL:
        return 1;
    case SHAPE_RING:
        return min(h, shape->nodes - h);
    case SHAPE_MESH:
    case SHAPE_TORUS:
        if (root != 0 || !shape_powers_of_two(shape, shape->kind == SHAPE_MESH ? 1 : 0))
            return 0;
        for (int d = 0; d < shape->dimensions; d++)
            if (shape->stride[d] <= h)
                return h / shape->stride[d];
        return 0;
    case SHAPE_HYPERCUBE:
        return root & h ? q - j : 1;
    case SHAPE_LINE:
    case SHAPE_OTHER:
        return 0;
    }
    return 0;
}

void
binomial_closed(struct closed *sum, enum carries carries)
{
    int nodes = sum->shape.nodes, q = ceiling_log2(nodes);

    for (int j = q - 1; j >= 0 && sum->known; j--) {
        int h = 1 << j, hops;

        if (sum->shape.kind == SHAPE_LINE) {
            add_round_on_line(sum, carries, h);
            continue;
        }
        hops = hops_of_round(sum, h, j, q);
        sum->known = hops > 0;
        closed_add_same(sum, 1, words_for(sum, carries, h, min(2 * h, nodes)), hops);
    }
}
