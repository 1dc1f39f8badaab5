/* SPDX-License-Identifier: MIT */
/* Lists of pieces: the parts of a reduction or a bundle whose blocks are not neighbours. */
#ifndef ALGORITHMS_LISTS_H
#define ALGORITHMS_LISTS_H

#include <peal/author.h>

/* Room for `count` pieces.  owner: the node's, until it leaves */
struct peal_piece *pieces_room(struct peal_node *me, int count);

/* A message of blocks that are no neighbours: pieces in the order they were added, neighbours joined. */
struct list {
    struct peal_piece *pieces;
    int count;
    size_t word_bytes;
};

/* An empty list with room for so many pieces.  owner: the node's, until it leaves */
struct list list_with_room(struct peal_node *me, int most);
void list_add(struct list *list, struct peal_piece piece);

/* What a node of the binomial tree that gives to the nearest first has in hand: the *count blocks of relative ranks r,
 * r + *step, r + 2·step, .. as pieces.  all: where all blocks lie, at the root; NULL: elsewhere the own block is at `own`, and
 * the others get room. */
struct peal_piece *strided_blocks(struct peal_node *me, const void *all, const struct peal_blocks *blocks, int root,
                                  const void *own, int *step, int *count);

/* Room for `count` whole numbers.  owner: the node's, until it leaves */
int *ints_room(struct peal_node *me, size_t count);

/* result[i] = left[i] ⊕ right[i], for lists whose pieces have the same lengths. */
void combine_pieces(const struct peal_op *op, const struct peal_piece *left, const struct peal_piece *right,
                    const struct peal_piece *result, int count);

#endif
