/* SPDX-License-Identifier: MIT */
/* Gather, nearest-first: a pipeline along the ranks; all send single blocks towards the root, their own first.
 *
 *   before       node i has block i of m words
 *   after        the root has all P blocks
 *   rounds       P-1; with two ports the longer of the two arms
 *   cost         (P-1)(α + βm), any P; under store-forward too on a line or ring
 *   space        two blocks
 *   derivation   scatter/farthest-first backwards: the root receives a block a round, for there is always one at hand
 *                on either arm until that has ended
 *   source       P. Tvrdík's course, one-to-all scatter without combining, reversed
 *
 *   P = 6, line, root 2
 *     round 1    1 -> 2 {1}    0 -> 1 {0}    4 -> 3 {4}    5 -> 4 {5}
 *     round 2    3 -> 2 {3}
 *     round 3    1 -> 2 {0}    4 -> 3 {5}
 *     round 4    3 -> 2 {4}
 *     round 5    3 -> 2 {5}                                                                                 */
#include "../patterns/arms.h"

/* The root: from both arms at once if it has the ports, else alternately. */
static void
recv_all(struct peal_node *me, const struct arms *arms, void *out, const struct peal_blocks *blocks)
{
    for (int away = 1; away <= arms->up || away <= arms->down; away++) {
        if (away <= arms->up)
            post_recv(me, block_of(me, out, blocks, arms_rank(arms, 1, away)), arms_rank(arms, 1, 1));
        if (away <= arms->down)
            post_recv(me, block_of(me, out, blocks, arms_rank(arms, -1, away)), arms_rank(arms, -1, 1));
        peal_wait_all(me);
    }
}

/* The others: send their own block, and then those from farther out as they come. */
static void
pass_on(struct peal_node *me, const struct arms *arms, const struct peal_blocks *blocks, const void *in)
{
    int inner = arms_rank(arms, arms->direction, arms->away - 1),
        outer = arms_rank(arms, arms->direction, arms->away + 1);
    struct peal_piece x = {(void *)in, peal_blocks_words(blocks, peal_rank(me))}, y;
    void *room[2] = {NULL, NULL};

    for (int i = 0; i < 2 && arms->away < arms->length; i++)
        room[i] = peal_scratch(me, blocks_longest(me, blocks));
    for (int away = arms->away + 1; away <= arms->length; away++, x = y) {
        y = block_of(me, NULL, blocks, arms_rank(arms, arms->direction, away));
        y.data = room[away % 2];
        exchange(me, x, inner, y, outer);
    }
    peal_send(me, x.data, x.words, inner);
}

static void
gather_nearest_first_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    struct arms arms = arms_of(peal_node_network(me), peal_size(me), root, peal_rank(me));

    peal_packet(me, blocks_longest(me, blocks));
    if (arms.away > 0) {
        pass_on(me, &arms, blocks, in);
        return;
    }
    block_copy(me, block_of(me, out, blocks, root).data, in, peal_blocks_words(blocks, root));
    recv_all(me, &arms, out, blocks);
}

const struct peal_algorithm gather_nearest_first = {
    .collective   = PEAL_GATHER,
    .name         = "nearest-first",
    .summary      = "single blocks along the ranks, the own first",
    .run.gather   = gather_nearest_first_run,
    .asks_network = true,
    .costs_as     = &scatter_farthest_first,
    .texts        = arms_texts,
    .optimal      = "all, without combining, on a store-forward line",
    .lists        = 1,
    .source       = "Tvrdík, PDP course, one-to-all scatter without combining, reversed",
};
