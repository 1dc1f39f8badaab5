/* SPDX-License-Identifier: MIT */
/* Folding: any P nodes made a power of two, the order of the ranks kept. */
#ifndef ALGORITHMS_FOLD_H
#define ALGORITHMS_FOLD_H

#include "closed.h"

/* The nodes that stay, as one of the P sees them. */
struct fold {
    int nodes;  /* so many stay: 2^⌊log₂P⌋, or as told */
    int rem;    /* P - nodes: of the pairs (2i, 2i+1), i < rem, the odd one stays, with number i */
    int number; /* the node's own; -1 for one that leaves */
};

struct fold fold_of(int nodes, int rank);

/* The same where `stay` of the nodes stay, at least half of them. */
struct fold fold_to(int stay, int nodes, int rank);

/* The rank that has this number; the first of the ranks it stands for (P for number `nodes`). */
int fold_rank(const struct fold *fold, int number);
int fold_begin(const struct fold *fold, int number);

/* The blocks of the ranks that the numbers l .. r-1 stand for, which are neighbours. */
struct peal_piece fold_blocks(const struct peal_node *me, const struct fold *fold, const void *x,
                              const struct peal_blocks *blocks, int l, int r);

/* The fold's round, none if P is a power of two: one that leaves hands over its n words, its mate combines them into sum.
 * Gives where the node's words now are: sum at such a mate, else in. */
const void *fold_in(struct peal_node *me, const struct fold *fold, const struct peal_op *op, const void *in, void *sum,
                    size_t n);

/* The last round, none if P is a power of two: the one that stayed sends `given` to its mate, which receives `got`. */
void fold_out(struct peal_node *me, const struct fold *fold, struct peal_piece given, struct peal_piece got);

/* The two rounds for an all-gather into out: one that leaves hands over its block; gets all others back. */
void fold_take_block(struct peal_node *me, const struct fold *fold, void *out, const struct peal_blocks *blocks);
void fold_give_blocks(struct peal_node *me, const struct fold *fold, void *out, const struct peal_blocks *blocks);

/* Add the fold's round, or the last one, with messages of so many words.  Not known on grids with odd rows. */
void fold_closed_round(struct closed *sum, int64_t words);

/* The same for any fold of some nodes. */
void fold_closed_pairs(struct closed *sum, int64_t words);

/* Add a round in which all that stay exchange `words` words with the one whose number differs in `bit`.  Not known but on
 * full networks and lines, unless P is a power of two. */
void fold_closed_exchange(struct closed *sum, int bit, int64_t words);

#endif
