/* SPDX-License-Identifier: MIT */
/* Lists of pieces: what a reduction or a bundle is made of when its blocks are no neighbours. */
#ifndef ALGORITHMS_LISTS_H
#define ALGORITHMS_LISTS_H

#include <peal/collective.h>

/* Room for `count` pieces.  owner: the node's, until it leaves */
struct peal_piece *pieces_room(struct peal_node *me, int count);

/* Room for `count` whole numbers.  owner: the node's, until it leaves */
int *ints_room(struct peal_node *me, size_t count);

/* result[i] = left[i] ⊕ right[i], for lists whose pieces have the same lengths. */
void combine_pieces(const struct peal_op *op, const struct peal_piece *left, const struct peal_piece *right,
                    const struct peal_piece *result, int count);

#endif
