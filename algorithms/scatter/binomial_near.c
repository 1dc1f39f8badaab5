/* SPDX-License-Identifier: MIT */
/* Scatter, binomial-near: the binomial tree upside down: the nearest node first, with every other block.
 *
 *   before       the root has P blocks of m words
 *   after        node i has block i
 *   rounds       ⌈log₂P⌉
 *   cost         α⌈log₂P⌉ + βm(P-1) on a full network or hypercube, any P; on a line from its end βm(P/2)log₂P for P =
 *                2^q
 *   space        the blocks of its subtree, and 32 bytes for each of them
 *   derivation   every round doubles the nodes that have their blocks: 0 .. h-1 send to h .. 2h-1 the blocks whose
 *                numbers agree with theirs in the bits up to h.  The root's messages are all blocks but its own: P-1.
 *                On a line h messages cross one link, where far-first none shares any (binomial.c)
 *   source       Tvrdík's course, dimension orders of the hypercube scatter; the order of MPI's naive binomial trees
 *
 *   P = 6, root 0
 *     round 1    0 -> 1 {1 3 5}
 *     round 2    0 -> 2 {2}        1 -> 3 {3}
 *     round 3    0 -> 4 {4}        1 -> 5 {5}                                                               */
#include "../patterns/binomial.h"
#include "../patterns/lists.h"

static void
scatter_binomial_near_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P; /* ranks as seen from the root */
    int step, count;
    struct peal_piece *held = strided_blocks(me, r == 0 ? in : NULL, blocks, root, out, &step, &count);
    struct list x = list_with_room(me, count);

    peal_packet(me, blocks_longest(me, blocks));
    for (int mask = 1; mask < P; mask <<= 1) {
        x.count = 0;
        if (r < mask && r + mask < P) {                  /* mine that agree with r + mask up to that bit */
            for (int i = mask / step; i < count; i += 2 * mask / step)
                list_add(&x, held[i]);
            peal_wait(me, peal_sendv_async(me, x.pieces, x.count, (r + mask + root) % P));
        } else if (r < mask) {
            peal_next_round(me);
        } else if (r < 2 * mask) {
            for (int i = 0; i < count; i++)
                list_add(&x, held[i]);
            peal_wait(me, peal_recvv_async(me, x.pieces, x.count, (r - mask + root) % P));
        }
    }
    if (r == 0)
        block_copy(me, out, held[0].data, held[0].words);
}

static void
scatter_binomial_near_cost(struct closed *sum)
{
    if (sum->situation->nodes > 3)
        closed_bundles(sum);
    binomial_near_closed(sum, CARRIES_BUNDLE);
}

const struct peal_algorithm scatter_binomial_near = {
    .collective  = PEAL_SCATTER,
    .name        = "binomial-near",
    .summary     = "the binomial tree with the nearest nodes first: every other block to the next",
    .run.scatter = scatter_binomial_near_run,
    .cost        = scatter_binomial_near_cost,
    .posts       = PEAL_POSTS_ONE,
    .texts       = binomial_near_block_texts,
    .optimal     = "α, β on a full network",
    .source      = "the binomial tree, dimensions in rising order",
};
