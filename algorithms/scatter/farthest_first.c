/* SPDX-License-Identifier: MIT */
/* Scatter, farthest-first: a pipeline along the ranks; the root sends single blocks, the farthest node's first.
 *
 *   before       the root has P blocks of m words
 *   after        node i has block i
 *   rounds       P-1; with two ports the longer of the two arms
 *   cost         (P-1)(α + βm), any P; under store-forward too on a line or ring
 *   space        two blocks
 *   derivation   the root's P-1 blocks take a round each, and the last one goes one hop (arms.c).  No messages are
 *                combined, and no block goes more than a rank a round: optimal without combining, under store-forward
 *   source       P. Tvrdík's course, one-to-all scatter without combining, farthest first
 *
 *   P = 6, line, root 2
 *     round 1    2 -> 3 {5}
 *     round 2    2 -> 3 {4}    3 -> 4 {5}
 *     round 3    2 -> 1 {0}    3 -> 4 {4}    4 -> 5 {5}
 *     round 4    2 -> 3 {3}    1 -> 0 {0}
 *     round 5    2 -> 1 {1}                                                                                 */
#include "../patterns/arms.h"

/* The root: the longer arm alone until both are as long, then alternately, or both at once if it has the ports. */
static void
send_all(struct peal_node *me, const struct arms *arms, const void *in, const struct peal_blocks *blocks)
{
    int up = arms->up, down = arms->down;

    while (up > 0 || down > 0) {
        bool both = up == down;

        if (up > down || both) {
            post_send(me, block_of(me, in, blocks, arms_rank(arms, 1, up)), arms_rank(arms, 1, 1));
            up--;
        }
        if (down > up) {                                 /* so it is, too, where both were as long */
            post_send(me, block_of(me, in, blocks, arms_rank(arms, -1, down)), arms_rank(arms, -1, 1));
            down--;
        }
        peal_wait_all(me);
    }
}

/* The others: pass on the blocks of those farther out as they come; the last is their own. */
static void
pass_on(struct peal_node *me, const struct arms *arms, const struct peal_blocks *blocks, void *out)
{
    int inner = arms_rank(arms, arms->direction, arms->away - 1),
        outer = arms_rank(arms, arms->direction, arms->away + 1);
    void *room[2] = {NULL, NULL};
    struct peal_piece x, y;

    for (int i = 0; i < 2 && arms->away < arms->length; i++)
        room[i] = peal_scratch(me, blocks_longest(me, blocks));
    for (int away = arms->length; away >= arms->away; away--, x = y) {
        y = block_of(me, NULL, blocks, arms_rank(arms, arms->direction, away));
        y.data = away > arms->away ? room[away % 2] : out;
        if (away == arms->length)
            peal_recv(me, y.data, y.words, inner);
        else
            exchange(me, x, outer, y, inner);
    }
}

static void
scatter_farthest_first_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    struct arms arms = arms_of(peal_node_network(me), peal_size(me), root, peal_rank(me));

    peal_packet(me, blocks_longest(me, blocks));
    if (arms.away > 0) {
        pass_on(me, &arms, blocks, out);
        return;
    }
    send_all(me, &arms, in, blocks);
    block_copy(me, out, block_of(me, in, blocks, root).data, peal_blocks_words(blocks, root));
}

const struct peal_algorithm scatter_farthest_first = {
    .collective   = PEAL_SCATTER,
    .name         = "farthest-first",
    .summary      = "single blocks along the ranks, the farthest node's first",
    .run.scatter  = scatter_farthest_first_run,
    .asks_network = true,
    .cost         = arms_closed,
    .texts        = arms_texts,
    .optimal      = "all, without combining, on a store-forward line",
    .lists        = 1,
    .source       = "Tvrdík, PDP course, one-to-all scatter without combining",
};
