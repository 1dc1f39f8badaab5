/* SPDX-License-Identifier: MIT */
/* Folding: reduces any P nodes to a power of two, in rank order. */
#pragma once

#include "../catalog.h"

/* The nodes that stay, as seen by one of the P. */
struct fold {
    int nodes;  /* this many stay: 2^⌊log₂P⌋, or the number given */
    int rem;    /* P - nodes: of the pairs (2i, 2i+1), i < rem, the odd one stays, with number i */
    int number; /* the node's own; -1: it leaves */
};

struct fold fold_of(int nodes, int rank);

/* The fold in which `stay` of the nodes stay, at least half of them. */
struct fold fold_to(int stay, int nodes, int rank);

/* The rank that has this number; the first of the ranks it represents (P for number `nodes`). */
int fold_rank(const struct fold *fold, int number);
int fold_begin(const struct fold *fold, int number);

/* The blocks of the ranks that the numbers l .. r-1 represent, which are neighbours. */
struct peal_piece fold_blocks(const struct peal_node *me, const struct fold *fold, const void *x,
                              const struct peal_blocks *blocks, int l, int r);

/* The fold's round, none if P is a power of two: a node that leaves sends its n words to its mate, which combines them
 * into sum. Gives the address of the node's words now: sum at such a mate, else in. */
const void *fold_in(struct peal_node *me, const struct fold *fold, const struct peal_op *op, const void *in, void *sum,
                    size_t n);

/* The last round, none if P is a power of two: the one that stayed sends `given` to its mate, which receives `got`. */
void fold_out(struct peal_node *me, const struct fold *fold, struct peal_piece given, struct peal_piece got);

/* The two rounds for an all-gather into out: a node that leaves sends its block to its mate, and receives all
 * others. */
void fold_take_block(struct peal_node *me, const struct fold *fold, void *out, const struct peal_blocks *blocks);
void fold_give_blocks(struct peal_node *me, const struct fold *fold, void *out, const struct peal_blocks *blocks);

/* Add the fold's round, or the last one, with messages of this length.  Unknown on grids with odd rows. */
void fold_closed_round(struct closed *sum, int64_t words);

/* Begin the closed form of a reduce-scatter among the nodes that stay: fold in whole vectors; the rounds among them and
 * the last round come after.  Gives the words of a block. */
int64_t fold_closed_begin(struct closed *sum);

/* Add a round in which all nodes that stay exchange `words` words with the one whose number differs in `bit`.  Unless P
 * is a power of two, known only on full networks and lines. */
void fold_closed_exchange(struct closed *sum, int bit, int64_t words);
