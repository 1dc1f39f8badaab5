/* SPDX-License-Identifier: MIT */
/* Lists of pieces: the parts of a reduction or a bundle whose blocks are not neighbours. */
#pragma once

#include "../catalog.h"

/* Room for `count` pieces.  owner: the node, until it leaves */
struct peal_piece *pieces_room(struct peal_node *me, int count);

/* A message of blocks that are not neighbours: pieces in the order they were added, neighbours joined. */
struct list {
    struct peal_piece *pieces;
    int count;
    size_t word_bytes;
};

/* An empty list with room for this many pieces.  owner: the node, until it leaves */
struct list list_with_room(struct peal_node *me, int most);
void list_add(struct list *list, struct peal_piece piece);

/* The blocks that a node of the near-first binomial tree holds: the *count blocks of relative ranks r, r + *step, r +
 * 2·step, .. as pieces.  all: the address of all blocks, at the root; NULL: on other nodes, whose own block is at
 * `own`; the others get room. */
struct peal_piece *strided_blocks(struct peal_node *me, const void *all, const struct peal_blocks *blocks, int root,
                                  const void *own, int *step, int *count);

/* Room for `count` integers.  owner: the node, until it leaves */
int *ints_room(struct peal_node *me, size_t count);

/* result[i] = left[i] ⊕ right[i], for lists whose pieces have the same lengths. */
void combine_pieces(const struct peal_op *op, const struct peal_piece *left, const struct peal_piece *right,
                    const struct peal_piece *result, int count);
