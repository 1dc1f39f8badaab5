/* SPDX-License-Identifier: MIT */
/* Reduce-scatter, PAT: binomial trees of sums, one for each block, that are run at once with at most A blocks a
 * message.
 *
 *   before       node i has P blocks of m words
 *   after        node i has the combination of block i of all
 *   rounds       log₂A + min(P, 2^q/A) - 1, q = ⌈log₂P⌉; A = 2^(q-1), its own choice, makes it q
 *   cost         those rounds, βm(P-1), any P; A is the number after the name, down to a power of two
 *   space        2P blocks, lists of P/2 pieces
 *   rank order   is not kept; needs a commutative operator
 *   derivation   the all-gather of the same name backwards.  With D = 2^q/A, a block's sum reaches its node x ranks
 *                down from the rank r+x by taking off x's lowest bit.  First the x that are not multiples of D, one
 *                residue s a round, in the reverse order of a walk through a binary tree over 1 .. D-1 (a parent comes
 *                before its children, so sums come after their terms); then d = D, 2D, .. for the multiples.  Each x in
 *                1 .. P-1 once: P-1 blocks
 *   source       Jeaugey, arXiv 2506.20252; NCCL, PatRSAlgorithm
 *
 *   P = 5, A = 2: D = 4
 *     round 1    r -> r-1  the block of r-1             s = 1
 *     round 2    r -> r-1  the block of r-3             s = 3
 *     round 3    r -> r-2  the block of r-2             s = 2
 *     round 4    r -> r-4  the block of r-4             d = 4                                              */
#include "../patterns/lists.h"

/* One round: send the sums for r - x to r - d, for x = first, first + step, .. < P. */
struct turn {
    int first, step, d;
};

/* The `i`-th residue of the walk over 1 .. size-1: visit(s, l) is s + l/2, visit(s + l/2, l/2), s + l/4, ... */
static int
preorder(int size, int i)
{
    int s = 0;

    for (int l = size / 2; i >= 0; l /= 2) {
        if (i == 0)
            return s + l;
        if (i < l) {                                     /* inside the walk that s + l begins */
            s += l;
            i--;
        } else {
            i -= l;
        }
    }
    return s;
}

/* Blocks per message, a power of two; how far apart they are. */
static int
residues(int P, int A)
{
    int size = 1 << ceiling_log2(P), fits = 1;

    while (2 * fits <= A && 4 * fits <= size)
        fits *= 2;
    return size / fits;
}

/* The turn of round i + 1, which may have no x at all: of D-1 residues, then the multiples of D. */
static struct turn
turn_of(int D, int i)
{
    if (i < D - 1) {
        int s = preorder(D, D - 2 - i);
        return (struct turn){s, D, s & -s};
    }
    return (struct turn){D << (i - (D - 1)), 2 * D << (i - (D - 1)), D << (i - (D - 1))};
}

static int
count_of(const struct turn *turn, int P)
{
    return turn->first < P ? (P - turn->first - 1) / turn->step + 1 : 0;
}

/* After the residues, one turn for each D, 2D, .. < P. */
static int
turns(int P, int D)
{
    int count = D - 1;

    for (int64_t d = D; d < P; d *= 2)
        count++;
    return count;
}

static void
reduce_scatter_pat_run(struct peal_node *me, const struct peal_op *op, const void *in,
                       const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), r = peal_rank(me), D = residues(P, peal_parameter(me));
    size_t n = blocks_all(me, blocks);
    void *sum = peal_scratch(me, n), *x = peal_scratch(me, n);
    struct list sent = list_with_room(me, P / 2 + 1), got = list_with_room(me, P / 2 + 1),
                kept = list_with_room(me, P / 2 + 1);

    peal_packet(me, blocks_longest(me, blocks));
    block_copy(me, sum, in, n);
    for (int i = 0; i < turns(P, D); i++) {
        struct turn turn = turn_of(D, i);

        if (turn.first >= P)
            continue;
        sent.count = got.count = kept.count = 0;
        for (int y = turn.first; y < P; y += turn.step) {
            list_add(&sent, block_of(me, sum, blocks, r - y));
            list_add(&got, block_of(me, x, blocks, r - y + turn.d));
            list_add(&kept, block_of(me, sum, blocks, r - y + turn.d));
        }
        exchange_pieces(me, sent.pieces, sent.count, (r - turn.d + P) % P, got.pieces, got.count, (r + turn.d) % P);
        combine_pieces(op, kept.pieces, got.pieces, kept.pieces, kept.count);
    }
    block_copy(me, out, block_of(me, sum, blocks, r).data, peal_blocks_words(blocks, r));
}

static int
choose(const struct peal_situation *situation)
{
    return situation->nodes > 2 ? 1 << (ceiling_log2(situation->nodes) - 1) : 1;
}

static void
reduce_scatter_pat_cost(struct closed *sum)
{
    int P = sum->situation->nodes, A = peal_algorithm_parameter(&reduce_scatter_pat, sum->situation);
    int D = residues(P, A);

    closed_bundles(sum);
    for (int i = 0; i < turns(P, D) && sum->known; i++) {
        struct turn turn = turn_of(D, i);
        int count = count_of(&turn, P);

        if (count > 0)
            closed_add_shift(sum, P - turn.d, closed_product(sum, closed_words(sum), count));
    }
}

const struct peal_algorithm reduce_scatter_pat = {
    .collective         = PEAL_REDUCE_SCATTER,
    .name               = "pat",
    .summary            = "binomial trees at once, at most N blocks a message",
    .run.reduce_scatter = reduce_scatter_pat_run,
    .needs.commutative  = true,
    .parameter          = {.name = "blocks", .least = 1, .choose = choose},
    .cost               = reduce_scatter_pat_cost,
    .texts              = pat_texts,
    .optimal            = "α, β",
    .differs            = PEAL_DIFFERS(SIZES),
    .holds              = 5,
    .lists              = 6,
    .source             = "Jeaugey, arXiv 2506.20252; NCCL",
};
