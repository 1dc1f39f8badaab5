/* SPDX-License-Identifier: MIT */
/* All-gather, pat:A: the tree of sparbit with at most A blocks a message, A = 2^a.
 *
 *   before       node i has block i of m words
 *   after        every node has all P blocks
 *   rounds       a + min(P, 2^q/A) - 1, q = ⌈log₂P⌉; a number that is not a power of two, or above 2^(q-1), counts as
 *                the next one below
 *   cost         α(a + min(P, 2^q/A) - 1) + βm(P-1), any P
 *   space        32 bytes a block of a message: the lists of blocks sent and received
 *   derivation   D = 2^q/A.  As long as d >= D, block i goes from i+x to i+x+d for the multiples x of 2d, which are at
 *                most A/2.  Below each multiple of D hangs a binomial tree of D nodes; all of them are walked at once,
 *                in preorder, so that a message has the blocks of at most A trees.  A round is a cyclic shift by d;
 *                each block comes to each node once: P-1
 *   source       S. Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter operations at scale", arXiv
 *                2506.20252
 *
 *   P = 5, A = 2: D = 4, preorder 2 3 1
 *     round 1    0 -> 4 {0}       1 -> 0 {1}      2 -> 1 {2}      3 -> 2 {3}      4 -> 3 {4}
 *     round 2    0 -> 2 {0}       1 -> 3 {1}      2 -> 4 {2}      3 -> 0 {3}      4 -> 1 {4}
 *     round 3    0 -> 1 {3}       1 -> 2 {4}      2 -> 3 {0}      3 -> 4 {1}      4 -> 0 {2}
 *     round 4    0 -> 1 {0}       1 -> 2 {1}      2 -> 3 {2}      3 -> 4 {3}      4 -> 0 {4}                  */
#include "../patterns/lists.h"

/* A round: block i goes from i+x-d to i+x for x = first, first + step, .. < P. */
struct pat_round {
    int P, D;
    int d, first, step; /* d = 0: it has ended */
};

static void
move_to(struct pat_round *walk, int first, int d)
{
    walk->first = first;
    walk->d = d;
    walk->step = d >= walk->D ? 2 * d : walk->D;
}

/* The next node of the binomial tree below 0 in preorder, greatest subtrees first. */
static void
next_below(struct pat_round *walk)
{
    int s = walk->first;

    if (walk->d == 1) {
        s -= 1;                                          /* the nearest ancestor that has a sibling to come */
        walk->d = s & -s;
        s -= walk->d;
    }
    move_to(walk, s + walk->d / 2, walk->d / 2);
}

static void
next(struct pat_round *walk)
{
    do {
        if (walk->d > walk->D)
            move_to(walk, walk->d / 2, walk->d / 2);
        else if (walk->d == walk->D)
            move_to(walk, walk->D / 2, walk->D / 2);
        else
            next_below(walk);
    } while (walk->d > 0 && walk->first >= walk->P);
}

static struct pat_round
begin(int P, int blocks)
{
    struct pat_round walk = {.P = P, .D = 1 << ceiling_log2(P)};

    for (int A = 1; A <= blocks / 2 && walk.D > 2; A *= 2)
        walk.D /= 2;
    move_to(&walk, 1 << ceiling_log2(P) >> 1, 1 << ceiling_log2(P) >> 1);
    return walk;
}

static void
allgather_pat_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), r = peal_rank(me), A = peal_parameter(me) > 0 ? peal_parameter(me) : P;
    struct peal_piece own = block_of(me, out, blocks, r);
    struct list x = list_with_room(me, A < P ? A : P), y = list_with_room(me, A < P ? A : P);

    peal_packet(me, blocks_longest(me, blocks));
    block_copy(me, own.data, in, own.words);
    for (struct pat_round walk = begin(P, A); walk.d > 0; next(&walk)) {
        x.count = y.count = 0;
        for (int i = walk.first; i < P; i += walk.step) {
            list_add(&x, block_of(me, out, blocks, r + walk.d - i));
            list_add(&y, block_of(me, out, blocks, r - i));
        }
        exchange_pieces(me, x.pieces, x.count, (r + walk.d) % P, y.pieces, y.count, (r - walk.d + P) % P);
    }
}

/* The most blocks per message; one on the noncombining machine, which refuses more. */
static int
choose(const struct peal_situation *situation)
{
    return situation->noncombining || situation->nodes < 3 ? 1 : 1 << (ceiling_log2(situation->nodes) - 1);
}

static void
allgather_pat_cost(struct closed *sum)
{
    int P = sum->situation->nodes, A = peal_algorithm_parameter(&allgather_pat, sum->situation);

    if (P > 3 && A > 1)
        closed_bundles(sum);
    for (struct pat_round walk = begin(P, A); walk.d > 0; next(&walk))
        closed_add_shift(sum, walk.d,
                         closed_product(sum, closed_words(sum), (P - 1 - walk.first) / walk.step + 1));
}

const struct peal_algorithm allgather_pat = {
    .collective    = PEAL_ALLGATHER,
    .name          = "pat",
    .summary       = "the tree of sparbit with at most A blocks a message",
    .run.allgather = allgather_pat_run,
    .parameter     = {.name = "blocks a message", .least = 1, .choose = choose},
    .cost          = allgather_pat_cost,
    .texts         = pat_texts,
    .optimal       = "β; α with the most blocks",
    .lists         = 6,
    .source        = "Jeaugey, arXiv 2506.20252",
};
