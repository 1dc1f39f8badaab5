/* SPDX-License-Identifier: MIT */
/* Folding (recursive halving and doubling for any P).
 *
 * The node that stays represents its mate and itself, so the numbers represent intervals of ranks, in rank order: an
 * algorithm that combines neighbouring numbers combines in rank order.
 *
 *   P = 6: nodes 4, rem 2        numbers 0 1 2 3 are the ranks 1 3 4 5 and represent {0 1} {2 3} {4} {5}
 *
 * Source: Rabenseifner 2004; Thakur, Rabenseifner, Gropp 2005. */
#include "fold.h"

struct fold
fold_to(int stay, int nodes, int rank)
{
    struct fold fold = {.nodes = stay, .rem = nodes - stay};

    fold.number = rank >= 2 * fold.rem ? rank - fold.rem : rank % 2 == 1 ? rank / 2 : -1;
    return fold;
}

struct fold
fold_of(int nodes, int rank)
{
    int stay = 1;

    while (stay <= nodes / 2)
        stay *= 2;
    return fold_to(stay, nodes, rank);
}

int
fold_rank(const struct fold *fold, int number)
{
    return number < fold->rem ? 2 * number + 1 : number + fold->rem;
}

int
fold_begin(const struct fold *fold, int number)
{
    return number < fold->rem ? 2 * number : number + fold->rem;
}

struct peal_piece
fold_blocks(const struct peal_node *me, const struct fold *fold, const void *x, const struct peal_blocks *blocks, int l,
            int r)
{
    return blocks_of(me, x, blocks, fold_begin(fold, l), fold_begin(fold, r));
}

const void *
fold_in(struct peal_node *me, const struct fold *fold, const struct peal_op *op, const void *in, void *sum, size_t n)
{
    int r = peal_rank(me);

    if (fold->number < 0) {
        peal_send(me, in, n, r + 1);
    } else if (fold->number < fold->rem) {
        void *x = peal_scratch(me, n);
        peal_recv(me, x, n, r - 1);
        peal_combine(op, x, in, sum, n);
        return sum;
    } else if (fold->rem > 0) {
        peal_next_round(me);
    }
    return in;
}

void
fold_out(struct peal_node *me, const struct fold *fold, struct peal_piece given, struct peal_piece got)
{
    int r = peal_rank(me);

    if (fold->number < 0)
        peal_recv(me, got.data, got.words, r + 1);
    else if (fold->number < fold->rem)
        peal_send(me, given.data, given.words, r - 1);
    else if (fold->rem > 0)
        peal_next_round(me);
}

void
fold_take_block(struct peal_node *me, const struct fold *fold, void *out, const struct peal_blocks *blocks)
{
    int r = peal_rank(me);

    struct peal_piece leaving = block_of(me, out, blocks, fold->number < 0 ? r : r - 1);

    if (fold->number < 0)
        peal_send(me, leaving.data, leaving.words, r + 1);
    else if (fold->number < fold->rem)
        peal_recv(me, leaving.data, leaving.words, r - 1);
    else if (fold->rem > 0)
        peal_next_round(me);
}

void
fold_give_blocks(struct peal_node *me, const struct fold *fold, void *out, const struct peal_blocks *blocks)
{
    int P = peal_size(me), r = peal_rank(me), leaves = fold->number < 0 ? r : r - 1;
    struct peal_piece others[2];

    if (fold->rem == 0)
        return;
    if (fold->number >= fold->rem) {
        peal_next_round(me);
        return;
    }
    others[0] = blocks_of(me, out, blocks, 0, leaves);
    others[1] = blocks_of(me, out, blocks, leaves + 1, P);
    if (fold->number < 0)
        peal_wait(me, peal_recvv_async(me, others, 2, r + 1));
    else
        peal_wait(me, peal_sendv_async(me, others, 2, r - 1));
}

/* ------------------------------------------------------------------ closed forms */

/* As fold_closed_round, for any fold of some nodes.  Neighbours exchange, so no link is shared.  On a grid a pair lies
 * in one row where rows are even. */
static void
closed_pairs(struct closed *sum, int64_t words)
{
    const struct shape *shape = &sum->shape;
    int row = 1;

    for (int d = shape->dimensions - 1; d >= 0 && row == 1; d--)
        row = shape->extent[d];
    if (shape->dimensions > 1 && row % 2 != 0 && row != shape->nodes)
        sum->known = false;
    closed_add_same(sum, 1, words, 1);
}

void
fold_closed_round(struct closed *sum, int64_t words)
{
    if (fold_of(sum->shape.nodes, 0).rem > 0)
        closed_pairs(sum, words);
}

int64_t
fold_closed_begin(struct closed *sum)
{
    int64_t m;

    closed_bundles(sum);
    m = closed_words(sum);
    fold_closed_round(sum, closed_product(sum, m, sum->situation->nodes));
    if (fold_of(sum->situation->nodes, 0).rem > 0)
        closed_uneven(sum);
    return m;
}

/* On a line the numbers of 2·bit neighbours, whose lower half exchanges with the higher, are an interval of ranks: all
 * `bit` messages of a half cross its middle.  The nodes that have left lie between, more of them at lower numbers: 0
 * goes farthest. */
void
fold_closed_exchange(struct closed *sum, int bit, int64_t words)
{
    struct fold fold = fold_of(sum->shape.nodes, 0);

    if (fold.rem == 0) {
        closed_add_xor(sum, bit, words);
        return;
    }
    switch (sum->shape.kind) {
    case SHAPE_FULL:
        closed_add_same(sum, 1, words, 1);
        return;
    case SHAPE_LINE:
        closed_add_shared(sum, words, bit, fold_rank(&fold, bit) - fold_rank(&fold, 0), 0);
        return;
    case SHAPE_RING:
    case SHAPE_MESH:
    case SHAPE_TORUS:
    case SHAPE_HYPERCUBE:
    case SHAPE_OTHER:
        sum->known = false;
    }
}
