/* SPDX-License-Identifier: MIT */
/* The closed forms of binomial trees.  First, the far-first tree.
 *
 * Relative node x (number 0 is the root) is a multiple of its lowest set bit and represents the nodes up to the next
 * such multiple.  The round of mask h = 2^(q-1), .., 2, 1 has a message x -> x+h for every x that is a multiple of 2h
 * with x+h < P, for the nodes x+h .. min(x+2h, P)-1.  The longest is the root's own, x = 0.  Its lengths telescope to
 * P-1 blocks.
 *
 * Links.  The messages of a round stay inside the disjoint intervals x .. x+2h-1, so on a line no link is shared; a
 * message that wraps round the end of the line (from another root than 0) is the only one to go down.
 *   ring       h < P/2 except in the first round, which has one message: each takes the direct way, inside its interval
 *   mesh       root 0, all extents but the first powers of two: x+h differs from x in one coordinate
 *   torus      root 0, all extents powers of two: likewise, at most half way round, and half way only one to a line of
 *              nodes
 *   hypercube  a round is part of a cyclic shift by h.  On a link of dimension i under e-cube, the bits above i are the
 *              sender's and those below the receiver's, so two messages on it have one sender
 *
 * Hops.  h on a line, P-h if wrapped; min(h, P-h) on a ring; h/stride on a mesh or torus.  On a hypercube with h = 2^j,
 * adding h flips bit j alone if the root has it clear; else the carry runs through the ones above it, up to all q-j
 * bits, and some sender of the round has only ones there.  (With parts of different lengths the farthest message need
 * not be the longest there; under store-forward their product is then not known, nor is that of the ring which goes on
 * with them.) */
#include "binomial.h"

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
    int nodes = sum->shape.nodes, rank_0 = nodes - sum->situation->root; /* its relative number, P if it is the root */
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

/* The hops of a round's farthest message on other networks, 0: not derived. */
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

/* ------------------------------------------------------------------ nearest first
 *
 * The round of h = 1, 2, 4, .. has a message x -> x+h for every x < h with x+h < P, for the nodes x+h, x+3h, x+5h, ..:
 * in all rounds P-1 blocks at the root, whose message is the longest.
 *
 * Links.  On a line all messages cross the link before h.  On a ring they go the short way together: likewise.  On
 * meshes and tori x+h differs from x in one coordinate, that of stride s: in a line of nodes h/s send, over its link
 * before h/s; the root's line has the longest of them.  A hypercube's round is part of a cyclic shift, which shares no
 * link, but the carry runs through ones of the sender's: those of the root, or of the root and 1. */

/* The words of the root's message in the round of h. */
static int64_t
near_words(struct closed *sum, enum carries carries, int h)
{
    if (carries == CARRIES_VECTOR)
        return closed_words(sum);
    return closed_product(sum, closed_words(sum), (sum->shape.nodes - 1 - h) / (2 * h) + 1);
}

/* Lines of z nodes, each of which represents P/z: the first a nodes of a line, if there is a node a ahead of them, send
 * over one link, the root the longest.  In all that is a block for every node that has bit a. */
static void
add_crowd(struct closed *sum, enum carries carries, int h, int z, int a)
{
    const struct peal_situation *situation = sum->situation;
    int64_t longest = near_words(sum, carries, h), words = longest;
    int senders = min(a, z - a), over = z % (2 * a) > a ? z % (2 * a) - a : 0;
    int hops = sum->shape.kind == SHAPE_RING ? senders : a;

    if (situation->switching == PEAL_STORE_FORWARD && carries != CARRIES_VECTOR && z % (2 * a) != 0 && senders > 1
        && longest > 0)
        sum->known = false;                              /* which message's route adds up to the most is not derived */
    if (situation->switching != PEAL_STORE_FORWARD &&
        (situation->congestion == PEAL_COUNT || carries == CARRIES_VECTOR))
        words = closed_product(sum, longest, senders);
    else if (situation->switching != PEAL_STORE_FORWARD)
        words = closed_product(sum, closed_words(sum), z / (2 * a) * a + over);
    closed_add(sum, 1, words, hops, closed_product(sum, longest, closed_round_load(senders, hops)));
}

/* How many bits of `rank` change, of its q - j from bit j on, when 2^j is added. */
static int
bits_changed(int rank, int j, int q)
{
    int bits = 1;

    while (bits < q - j && (rank >> (j + bits - 1) & 1) != 0)
        bits++;
    return bits;
}

static void
add_near_round(struct closed *sum, enum carries carries, int h, int j, int q)
{
    const struct shape *shape = &sum->shape;
    int root = sum->situation->root, nodes = shape->nodes, hops;

    switch (shape->kind) {
    case SHAPE_FULL:
        closed_add_same(sum, 1, near_words(sum, carries, h), 1);
        return;
    case SHAPE_LINE:
        sum->known = sum->known && root == 0;
        add_crowd(sum, carries, h, nodes, h);
        return;
    case SHAPE_RING:
        add_crowd(sum, carries, h, nodes, h);
        return;
    case SHAPE_MESH:
    case SHAPE_TORUS:
        if (root != 0 || !shape_powers_of_two(shape, shape->kind == SHAPE_MESH ? 1 : 0))
            sum->known = false;
        for (int d = 0; d < shape->dimensions && sum->known; d++)
            if (shape->stride[d] <= h) {
                add_crowd(sum, carries, h, nodes / shape->stride[d], h / shape->stride[d]);
                return;
            }
        return;
    case SHAPE_HYPERCUBE:
        hops = bits_changed(root, j, q);
        if (root % h != 0 && bits_changed(root + h, j, q) > hops) /* senders root .. root+h-1 */
            hops = bits_changed(root + h, j, q);
        closed_add_same(sum, 1, near_words(sum, carries, h), hops);
        return;
    case SHAPE_OTHER:
        sum->known = false;
    }
}

void
binomial_near_closed(struct closed *sum, enum carries carries)
{
    int nodes = sum->shape.nodes, q = ceiling_log2(nodes);

    for (int j = 0; j < q && sum->known; j++)
        add_near_round(sum, carries, 1 << j, j, q);
}

/* ------------------------------------------------------------------ K-1 children a level
 *
 * Relative node x represents the w nodes from its own on, w its lowest digit's place in base K.  The round of place w
 * and digit d has a message x -> x+dw for every x that is a multiple of Kw with x+dw < P, for the w nodes from there
 * on; the root's
 * is the longest, and its messages are all blocks but its own: P-1.
 *
 * Links.  As with K = 2: messages stay in the intervals x .. x+Kw-1, which are disjoint.  On a ring they go the short
 * way, and only the root's goes more than half way, alone.  On a grid of powers of K a message changes one coordinate,
 * and goes more than half way round only where it is alone in its line.  On a hypercube x+dw is x ^ dw, in a cube of
 * its own. */

static int
knomial_hops(const struct shape *shape, int K, int w, int d)
{
    switch (shape->kind) {
    case SHAPE_FULL:
        return 1;
    case SHAPE_RING:
    case SHAPE_LINE:
        return shape_hops(shape, 0, 0, d * w);
    case SHAPE_MESH:
    case SHAPE_TORUS:
        for (int i = shape->kind == SHAPE_MESH ? 1 : 0; i < shape->dimensions; i++) {
            int extent = shape->extent[i];

            while (extent % K == 0)
                extent /= K;
            if (extent != 1)
                return 0;
        }
        for (int i = 0; i < shape->dimensions; i++)
            if (shape->stride[i] <= w)
                return shape_hops(shape, i, 0, d * (w / shape->stride[i]));
        return 0;
    case SHAPE_HYPERCUBE:
        return (K & (K - 1)) == 0 ? __builtin_popcount((unsigned)d) : 0;
    case SHAPE_OTHER:
        return 0;
    }
    return 0;
}

void
knomial_closed(struct closed *sum, enum carries carries, int K)
{
    const struct shape *shape = &sum->shape;
    int nodes = shape->nodes, w = 1, hops;

    if (K == 2) {
        binomial_closed(sum, carries);
        return;
    }
    if (sum->situation->root != 0 && shape->kind != SHAPE_FULL && shape->kind != SHAPE_RING)
        sum->known = false;
    while (w <= (nodes - 1) / K)
        w *= K;
    for (; w >= 1; w /= K)
        for (int d = 1; d < K && d <= (nodes - 1) / w && sum->known; d++) {
            hops = knomial_hops(shape, K, w, d);
            sum->known = hops > 0;
            closed_add_same(sum, 1, words_for(sum, carries, d * w, d * w + min(w, nodes - d * w)), hops);
        }
}

/* ------------------------------------------------------------------ the closed forms as text
 *
 * Far first, h = 2^(q-1), .., 2, 1: the hops Σ h = 2^q - 1; blocks times hops Σ h² = (4^q - 1)/3, but h(P-h) in the
 * first round, and (P-h)² there on a ring, which is P-h round the end. In several dimensions the same in each, of
 * nodes that stand for sᵢ. Of 2^q nodes in a line a message of mask h wraps, and goes P-h, if the root has bit h: in
 * all P-1-2r + P popcount(r). On a hypercube a carry runs on from bit j of the root, q-j hops.
 *   Nearest first: h messages of P/(2h) blocks share a link, P/2 a round; under store-forward 3h/4 times that, and
 * once for h = 1 (closed_round_load).
 *   K-nomial: the messages of a place w go w, 2w, .., (K-1)w, in all w K(K-1)/2, and w blocks each; on a ring those
 * of the first place go the short way, ⌊K²/4⌋w.
 *   There and back: a tree of bundles and one of whole vectors of P blocks. */

#define BINOMIAL_ROUTES                                                                                                \
    {.on = "hypercube", .when = "root 0", .alpha = "α log₂P", .beta = "βm(P−1)", .near = true, .cited = ""},           \
    {.on = "hypercube", .alpha = "α log₂P", .beta = "βm(P−1)", .hop = "t_d(q+Σ_{j=0..q−1}(q−1−j)(⌊r/2^j⌋ mod 2))",     \
     .stored = "βm(P−1+Σ_{j=0..q−1}2^j(q−1−j)(⌊r/2^j⌋ mod 2))", .names = "q = log₂P", .cited = ""},                    \
    {.on = "line", .when = "root 0, P = 2^q", .alpha = "α log₂P", .beta = "βm(P−1)", .hop = "t_d(P−1)",                \
     .stored = "βm(P²−1)/3", .cited = ""},                                                                             \
    {.on = "line", .when = "root 0", .alpha = "α⌈log₂P⌉", .beta = "βm(P−1)", .hop = "t_d(2^⌈log₂P⌉−1)"},               \
    {.on = "line", .when = "root 0", .alpha = "α⌈log₂P⌉", .beta = "βm(P−1)", .stored = "βm(h(P−h)+(h²−1)/3)",          \
     .names = "h = 2^(⌈log₂P⌉−1)"},                                                                                    \
    {.on = "line", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βm(P−1)", .hop = "t_d(P−1−2r+P popcount(r))",       \
     .cited = ""},                                                                                                     \
    {.on = "line", .when = "P = 2^q", .alpha = "αq", .beta = "βm(P−1)",                                                \
     .stored = "βm((P²−1)/3+Pr−2Σ_{j=0..q−1}4^j(⌊r/2^j⌋ mod 2))", .names = "q = log₂P"},                               \
    {.on = "line", .alpha = "α⌈log₂P⌉", .beta = "βm(P−1)"},                                                            \
    {.on = "ring", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βm(P−1)", .hop = "t_d(P−1)",                        \
     .stored = "βm(P²−1)/3"},                                                                                          \
    {.on = "ring", .alpha = "α⌈log₂P⌉", .beta = "βm(P−1)", .hop = "t_d(P−1)"},                                         \
    {.on = "ring", .alpha = "α⌈log₂P⌉", .beta = "βm(P−1)", .stored = "βm((P−h)²+(h²−1)/3)",                            \
     .names = "h = 2^(⌈log₂P⌉−1)"},                                                                                    \
    {.on = "mesh torus", .when = "root 0, zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βm(P−1)", .hop = "t_dΣ(zᵢ−1)",      \
     .stored = "βmΣsᵢ(zᵢ²−1)/3"},                                                                                      \
    {.on = "mesh", .when = "root 0", .alpha = "α⌈log₂P⌉", .beta = "βm(P−1)", .hop = "t_dΣ(2^⌈log₂zᵢ⌉−1)"},             \
    {.on = "mesh", .when = "root 0", .alpha = "α⌈log₂P⌉", .beta = "βm(P−1)", .stored = "βmΣsᵢ(hᵢ(zᵢ−hᵢ)+(hᵢ²−1)/3)",   \
     .names = "hᵢ = 2^(⌈log₂zᵢ⌉−1)"},

const struct peal_closed_text binomial_block_texts[] = {
    {.on = "full", .alpha = "α⌈log₂P⌉", .beta = "βm(P−1)", .near = true, .cited = "P = 2^q"},
    BINOMIAL_ROUTES
    {0},
};

const struct peal_closed_text k_port_texts[] = {
    {.on = "full", .alpha = "α⌈log_{K+1}P⌉", .beta = "βm⌈(P−1)/K⌉", .near = true, .names = "K = parameter",
     .cited = ""},
    BINOMIAL_ROUTES
    {0},
};

const struct peal_closed_text there_and_back_texts[] = {
    {.on = "full hypercube", .alpha = "2α⌈log₂P⌉", .beta = "βm(P−1+P⌈log₂P⌉)", .near = true},
    {.on = "line ring", .when = "P = 2^q", .alpha = "2α log₂P", .beta = "βm(P−1+P log₂P)", .hop = "2t_d(P−1)",
     .stored = "βm((P²−1)/3+P(P−1))"},
    {.on = "line", .alpha = "2α⌈log₂P⌉", .beta = "βm(P−1+P⌈log₂P⌉)", .hop = "2t_d(2^⌈log₂P⌉−1)"},
    {.on = "line", .alpha = "2α⌈log₂P⌉", .beta = "βm(P−1+P⌈log₂P⌉)", .stored = "βm(h(P−h)+(h²−1)/3+P(2h−1))",
     .names = "h = 2^(⌈log₂P⌉−1)"},
    {.on = "ring", .alpha = "2α⌈log₂P⌉", .beta = "βm(P−1+P⌈log₂P⌉)", .hop = "2t_d(P−1)"},
    {.on = "ring", .alpha = "2α⌈log₂P⌉", .beta = "βm(P−1+P⌈log₂P⌉)", .stored = "βm((P−h)²+(h²−1)/3+P(P−1))",
     .names = "h = 2^(⌈log₂P⌉−1)"},
    {.on = "mesh torus", .when = "zᵢ = 2^qᵢ", .alpha = "2α log₂P", .beta = "βm(P−1+P log₂P)", .hop = "2t_dΣ(zᵢ−1)",
     .stored = "βmΣ(sᵢ(zᵢ²−1)/3+P(zᵢ−1))"},
    {.on = "mesh", .alpha = "2α⌈log₂P⌉", .beta = "βm(P−1+P⌈log₂P⌉)", .hop = "2t_dΣ(2^⌈log₂zᵢ⌉−1)"},
    {.on = "mesh", .alpha = "2α⌈log₂P⌉", .beta = "βm(P−1+P⌈log₂P⌉)",
     .stored = "βmΣ(sᵢ(hᵢ(zᵢ−hᵢ)+(hᵢ²−1)/3)+P(2hᵢ−1))", .names = "hᵢ = 2^(⌈log₂zᵢ⌉−1)"},
    {0},
};

const struct peal_closed_text k_nomial_block_texts[] = {
    {.on = "full", .when = "P = K^j", .alpha = "α(K−1)log_K P", .beta = "βm(P−1)", .near = true,
     .names = "K = parameter"},
    {.on = "full", .alpha = "α((K−1)(J−1)+⌈P/K^(J−1)⌉−1)", .beta = "βm(P−1)", .near = true,
     .names = "K = parameter, J = ⌈log_K P⌉"},
    {.on = "line", .when = "root 0, P = K^j", .alpha = "α(K−1)log_K P", .beta = "βm(P−1)", .hop = "t_dK(P−1)/2",
     .stored = "βmK(P²−1)/(2(K+1))", .names = "K = parameter"},
    {.on = "line", .when = "root 0", .alpha = "α((K−1)(J−1)+D)", .beta = "βm(P−1)", .hop = "t_d(K(w−1)+wD(D+1))/2",
     .names = "K = parameter, J = ⌈log_K P⌉, w = K^(J−1), D = ⌈P/w⌉−1"},
    {.on = "ring", .when = "P = K^j", .alpha = "α(K−1)log_K P", .beta = "βm(P−1)", .hop = "t_d(⌊K²/4⌋P/K+(P−K)/2)",
     .stored = "βm(⌊K²/4⌋(P/K)²+(P²/K−K)/(2(K+1)))", .names = "K = parameter"},
    {.on = "ring", .alpha = "α((K−1)(J−1)+D)", .beta = "βm(P−1)",
     .names = "K = parameter, J = ⌈log_K P⌉, w = K^(J−1), D = ⌈P/w⌉−1"},
    {.on = "mesh", .when = "root 0, zᵢ = K^jᵢ", .alpha = "α(K−1)log_K P", .beta = "βm(P−1)", .hop = "t_dΣK(zᵢ−1)/2",
     .stored = "βmΣsᵢK(zᵢ²−1)/(2(K+1))", .names = "K = parameter"},
    {.on = "torus", .when = "root 0, zᵢ = K^jᵢ", .alpha = "α(K−1)log_K P", .beta = "βm(P−1)",
     .hop = "t_dΣ(⌊K²/4⌋zᵢ/K+(zᵢ−K)/2)", .stored = "βmΣsᵢ(⌊K²/4⌋(zᵢ/K)²+(zᵢ²/K−K)/(2(K+1)))",
     .names = "K = parameter"},
    {.on = "hypercube", .when = "root 0, P = K^j", .alpha = "α(K−1)log_K P", .beta = "βm(P−1)",
     .hop = "t_d(K/2)log₂P", .stored = "βm(P−1)(K/2)(log₂K)/(K−1)", .names = "K = parameter"},
    {.on = "line", .when = "K = 2, P = 2^q", .alpha = "α log₂P", .beta = "βm(P−1)",
     .hop = "t_d(P−1−2r+P popcount(r))"},
    {.on = "hypercube", .when = "K = 2", .alpha = "αq", .beta = "βm(P−1)",
     .hop = "t_d(q+Σ_{j=0..q−1}(q−1−j)(⌊r/2^j⌋ mod 2))", .stored = "βm(P−1+Σ_{j=0..q−1}2^j(q−1−j)(⌊r/2^j⌋ mod 2))",
     .names = "q = log₂P"},
    {0},
};

const struct peal_closed_text k_nomial_vector_texts[] = {
    {.on = "full", .when = "P = K^j", .alpha = "α(K−1)log_K P", .beta = "βn(K−1)log_K P", .near = true,
     .names = "K = parameter"},
    {.on = "full", .alpha = "α((K−1)(J−1)+⌈P/K^(J−1)⌉−1)", .beta = "βn((K−1)(J−1)+⌈P/K^(J−1)⌉−1)", .near = true,
     .names = "K = parameter, J = ⌈log_K P⌉"},
    {.on = "line", .when = "root 0, P = K^j", .alpha = "α(K−1)log_K P", .beta = "βn(K−1)log_K P",
     .hop = "t_dK(P−1)/2", .stored = "βnK(P−1)/2", .names = "K = parameter"},
    {.on = "line", .when = "root 0", .alpha = "α((K−1)(J−1)+D)", .beta = "βn((K−1)(J−1)+D)",
     .hop = "t_d(K(w−1)+wD(D+1))/2", .stored = "βn(K(w−1)+wD(D+1))/2",
     .names = "K = parameter, J = ⌈log_K P⌉, w = K^(J−1), D = ⌈P/w⌉−1"},
    {.on = "ring", .when = "P = K^j", .alpha = "α(K−1)log_K P", .beta = "βn(K−1)log_K P",
     .hop = "t_d(⌊K²/4⌋P/K+(P−K)/2)", .stored = "βn(⌊K²/4⌋P/K+(P−K)/2)", .names = "K = parameter"},
    {.on = "ring", .alpha = "α((K−1)(J−1)+D)", .beta = "βn((K−1)(J−1)+D)",
     .names = "K = parameter, J = ⌈log_K P⌉, w = K^(J−1), D = ⌈P/w⌉−1"},
    {.on = "mesh", .when = "root 0, zᵢ = K^jᵢ", .alpha = "α(K−1)log_K P", .beta = "βn(K−1)log_K P",
     .hop = "t_dΣK(zᵢ−1)/2", .stored = "βnΣK(zᵢ−1)/2", .names = "K = parameter"},
    {.on = "torus", .when = "root 0, zᵢ = K^jᵢ", .alpha = "α(K−1)log_K P", .beta = "βn(K−1)log_K P",
     .hop = "t_dΣ(⌊K²/4⌋zᵢ/K+(zᵢ−K)/2)", .stored = "βnΣ(⌊K²/4⌋zᵢ/K+(zᵢ−K)/2)", .names = "K = parameter"},
    {.on = "hypercube", .when = "root 0, P = K^j", .alpha = "α(K−1)log_K P", .beta = "βn(K−1)log_K P",
     .hop = "t_d(K/2)log₂P", .stored = "βn(K/2)log₂P", .names = "K = parameter"},
    {.on = "line", .when = "K = 2, P = 2^q", .alpha = "α log₂P", .beta = "βn log₂P",
     .hop = "t_d(P−1−2r+P popcount(r))", .stored = "βn(P−1−2r+P popcount(r))"},
    {.on = "hypercube", .when = "K = 2", .alpha = "αq", .beta = "βnq",
     .hop = "t_d(q+Σ_{j=0..q−1}(q−1−j)(⌊r/2^j⌋ mod 2))", .stored = "βn(q+Σ_{j=0..q−1}(q−1−j)(⌊r/2^j⌋ mod 2))",
     .names = "q = log₂P"},
    {0},
};

const struct peal_closed_text binomial_near_block_texts[] = {
    {.on = "full", .alpha = "α⌈log₂P⌉", .beta = "βm(P−1)", .near = true},
    {.on = "hypercube", .when = "root 0", .alpha = "α log₂P", .beta = "βm(P−1)", .near = true},
    {.on = "hypercube", .alpha = "α log₂P", .beta = "βm(P−1)"},
    {.on = "line ring", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βm(P/2)log₂P", .hop = "t_d(P−1)",
     .stored = "βmP(3P−2)/8"},
    {.on = "line", .when = "congestion count", .alpha = "αq",
     .beta = "βmΣ_{j=0..q−1}⌈(P−2^j)/2^(j+1)⌉min(2^j, P−2^j)", .hop = "t_d(2^q−1)", .names = "q = ⌈log₂P⌉"},
    {.on = "ring", .when = "congestion count", .alpha = "αq",
     .beta = "βmΣ_{j=0..q−1}⌈(P−2^j)/2^(j+1)⌉min(2^j, P−2^j)", .hop = "t_d(P−1)", .names = "q = ⌈log₂P⌉"},
    {.on = "mesh torus", .when = "zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βm(P/2)Σ(log₂zᵢ)/sᵢ", .hop = "t_dΣ(zᵢ−1)",
     .stored = "βmPΣ(3zᵢ−2)/(8sᵢ)"},
    {0},
};
