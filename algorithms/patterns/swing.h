/* SPDX-License-Identifier: MIT */
/* Swing: partners that alternate between the two directions of a ring, at distances 1, 1, 3, 5, 11, .. */
#pragma once

#include "../catalog.h"

/* ρ_s = (1 - (-2)^(s+1))/3 modulo P: an even rank's partner in step s is this many ranks on, an odd rank's this many
 * back. */
int swing_distance(int nodes, int step);
int swing_partner(int nodes, int rank, int step);

enum { SWING_STEPS = 31 };

/* The blocks that node 0 receives in an all-gather with the steps from the last down to 0, P even: joined[0] is 0, its
 * own, and step s adds joined[begin[s] .. begin[s] + count[s] - 1].  An even rank r receives the blocks r + these, an
 * odd one r - these, and its partner in the same places. */
struct swing {
    int nodes, steps;
    int begin[SWING_STEPS], count[SWING_STEPS];
    int *joined; /* P numbers */
};

/* Fill in the steps, with room for P numbers, and for P more that are not needed afterwards.  owner: borrows joined */
void swing_init(struct swing *swing, int nodes, int *joined, int *marks);

/* List the blocks of x that node `rank` receives in step s, in one order on both sides. */
void swing_blocks(const struct peal_node *me, const struct swing *swing, int rank, int step, const void *x,
                  const struct peal_blocks *blocks, struct peal_piece *pieces);

/* Add a round in which even ranks send `words` words `by` ranks on and odd ones as far back, P even.  Unknown if rows
 * are odd. */
void swing_closed_shift(struct closed *sum, int by, int64_t words);

/* Add all steps of a reduce-scatter or all-gather with blocks of m words.  Known for P = 2^q, and on full networks. */
void swing_closed_blocks(struct closed *sum, int64_t m);

/* The closed forms as text, of the algorithms that use it. */
extern const struct peal_closed_text swing_block_texts[];
