/* SPDX-License-Identifier: MIT */
/* Blocks by name: what an algorithm sends and receives, so that its body has no pointer arithmetic.
 *
 * A vector is cut into P parts (part_of).  A scatter or gather moves bundles: the blocks of a span of nodes, sent from and
 * received into where they lie, never packed. */
#ifndef ALGORITHMS_BLOCKS_H
#define ALGORITHMS_BLOCKS_H

#include <peal/node.h>

/* Some nodes of a row of `extent` nodes that begins at rank `base`, counted round the row from its node `start`: those
 * numbered first .. end-1.  All ranks with a root: base 0, extent P, start root. */
struct span {
    int base, extent, start;
    int first, end;
};

/* The nodes that are numbered l .. r-1 when the root is number 0. */
struct span span_from(int root, int nodes, int l, int r);

/* What a node holds while it scatters or gathers: a block of m words for each node of a span, in their order; the block of
 * rank `own` may lie apart. */
struct bundle {
    struct span span;
    size_t m;
    void *blocks;
    int own;
    void *own_block; /* NULL: among the others */
};

/* Everything a root has: blocks by rank, in the caller's memory.  owner: borrows x */
struct bundle bundle_of_root(const struct peal_node *me, const void *x, size_t m);

/* Room for the blocks of `span`, of which the own block lies in own_block.  owner: the node's, until it leaves */
struct bundle bundle_with_room(struct peal_node *me, struct span span, size_t m, const void *own_block);

/* Post the blocks of `part` to dest, or a receive of them from source, and wait.  part must lie in the bundle's span. */
void bundle_send(struct peal_node *me, const struct bundle *bundle, struct span part, int dest);
void bundle_recv(struct peal_node *me, const struct bundle *bundle, struct span part, int source);

/* Part `block` (taken modulo P) of the vector x of n words, cut into P parts as peal_block_begin cuts it. */
struct peal_piece part_of(const struct peal_node *me, const void *x, size_t n, int block);

/* The parts l .. r-1, which are neighbours. */
struct peal_piece parts_of(const struct peal_node *me, const void *x, size_t n, int l, int r);

/* Copy m words within the node's own memory: nothing is sent, nothing is charged. */
void block_copy(const struct peal_node *me, void *to, const void *from, size_t m);

/* Rest for so many rounds (none if negative). */
void rest(struct peal_node *me, int rounds);

/* The least q with 2^q >= nodes. */
int ceiling_log2(int nodes);

#endif
