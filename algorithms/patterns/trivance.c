/* SPDX-License-Identifier: MIT */
/* Trivance.
 *
 * In the all-gather node r holds the blocks of a window of w = 3^j ranks, r in the middle.  It fetches the windows of
 * the nodes r + w and r - w, which lie on either side of its own, so the next window is three times as wide.  In the
 * last step P-w <= 2w blocks are missing, one half on either side: of ⌈(P-w)/2⌉ blocks, the nearest node that has them
 * is as many ranks away.  Nothing comes twice, so two ports carry P-1 blocks in messages of ⌈(P-1)/2⌉ blocks in all.
 *   On a ring both messages of a node go w hops, one each way, so a link carries w of them.  Bruck's all-gather with
 * two ports fetches from w and 2w ahead: a link carries 3w, so the paper says a third of its congestion.  In the last
 * round of P = 3^q nodes 2w ahead is w back, the shorter way, and both carry w: the factor is 1 for P = 3, the smallest
 * case, and for P = 9 whole vectors meet 3 + 3 times there and 1 + 3 times here.
 *
 * Source: Jürß, Addanki, Schmid, arXiv 2602.17254, for P = 3^q; the last step for other P is Peal's own. */
#include "trivance.h"

int
trivance_steps(int P, struct trivance_step *steps)
{
    int count = 0;

    for (int64_t w = 1; w < P; w *= 3) {
        int missing = (int)(P - w), up = missing < 2 * w ? missing - missing / 2 : (int)w;
        int down = missing < 2 * w ? missing / 2 : (int)w;

        steps[count++] = (struct trivance_step){.reach = (int)(w - 1) / 2, .up = up, .up_by = up,
                                                .down = down, .down_by = down};
    }
    return count;
}

/* On a ring the messages of one way are a shift by at most half of P: up_by of them share a link.  None goes farther
 * than up_by, the longer way of the two. */
void
trivance_closed(struct closed *sum, int64_t m)
{
    struct trivance_step steps[TRIVANCE_STEPS];
    int count = trivance_steps(sum->shape.nodes, steps);

    for (int i = 0; i < count; i++) {
        int64_t words = closed_product(sum, m, steps[i].up);

        if (sum->shape.kind == SHAPE_RING)
            closed_add_shared(sum, words, steps[i].up_by, steps[i].up_by, (int64_t)steps[i].up_by * steps[i].up_by);
        else
            closed_add_full(sum, 1, words);
    }
}

/* ------------------------------------------------------------------ the closed forms as text
 *
 * Steps w = 1, 3, 9, .. of w blocks over w hops, w messages on a link; the last has ⌈(P-w)/2⌉ of each. */

const struct peal_closed_text trivance_texts[] = {
    {.on = "full", .alpha = "α⌈log₃P⌉", .beta = "βm⌈(P−1)/2⌉", .near = true},
    {.on = "ring", .when = "P = 3^q", .alpha = "α log₃P", .beta = "βm(P²−1)/8", .hop = "t_d(P−1)/2",
     .stored = "βm(P³−1)/26"},
    {.on = "ring", .alpha = "α⌈log₃P⌉", .beta = "βm((w²−1)/8+⌈(P−w)/2⌉²)", .hop = "t_d⌈(P−1)/2⌉",
     .stored = "βm((w³−1)/26+⌈(P−w)/2⌉³)", .names = "w = 3^(⌈log₃P⌉−1)"},
    {0},
};
