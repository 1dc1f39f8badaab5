/* SPDX-License-Identifier: MIT */
/* Blocks by name, as an algorithm sends and receives them, so that its body has no pointer arithmetic.
 *
 * A vector is cut into P parts (part_of).  A scatter or gather moves bundles: the blocks of a span of nodes, sent from
 * and received into where they lie, never packed. */
#pragma once

#include <peal/author.h>

/* All blocks of m words; n words in P parts, the first n mod P of which have one word more. */
struct peal_blocks blocks_equal(size_t m);
struct peal_blocks parts(const struct peal_node *me, size_t n);

/* The number of words of the longest block, and of all blocks together. */
size_t blocks_longest(const struct peal_node *me, const struct peal_blocks *blocks);
size_t blocks_all(const struct peal_node *me, const struct peal_blocks *blocks);

/* Block b (taken modulo P) of x. */
struct peal_piece block_of(const struct peal_node *me, const void *x, const struct peal_blocks *blocks, int b);

/* The blocks l .. r-1 of x, which are neighbours. */
struct peal_piece blocks_of(const struct peal_node *me, const void *x, const struct peal_blocks *blocks, int l, int r);

/* The blocks l .. l+count-1 of x, counted round the end: one piece, or two.  Gives how many pieces. */
int blocks_round(const struct peal_node *me, const void *x, const struct peal_blocks *blocks, int l, int count,
                 struct peal_piece pieces[2]);

/* Some nodes of a row of `extent` nodes that begins at rank `base`, counted round the row from its node `start`: the
 * nodes numbered first .. end-1.  All ranks with a root: base 0, extent P, start root. */
struct span {
    int base, extent, start;
    int first, end;
};

/* The nodes numbered l .. r-1 if the root is number 0. */
struct span span_from(int root, int nodes, int l, int r);

/* The blocks of the nodes of a span, in their order, that a node holds in a scatter or gather; the block of rank `own`
 * may lie apart.  A short own block travels among the others, and is copied from and to its home: a message of one
 * piece costs less. */
struct bundle {
    struct span span;
    const struct peal_blocks *cut;
    void *blocks;
    int own;
    void *own_block; /* NULL: among the others */
    void *home;      /* of a short own block that travels among the others; NULL: none */
};

/* All blocks, by rank, in the root's memory.  owner: borrows x and blocks */
struct bundle bundle_of_root(const struct peal_node *me, const void *x, const struct peal_blocks *blocks);

/* Room for the blocks of `span`, of which the own block lies in own_block.  owner: the node, until it leaves */
struct bundle bundle_with_room(struct peal_node *me, struct span span, const struct peal_blocks *blocks,
                               const void *own_block);

/* Send the blocks of `part` to dest, or receive them from source, and wait.  part must lie in the bundle's span. */
void bundle_send(struct peal_node *me, const struct bundle *bundle, struct span part, int dest);
void bundle_recv(struct peal_node *me, const struct bundle *bundle, struct span part, int source);

/* Post them without waiting: call peal_wait_all.  The node's own block is not among those received this way. */
void bundle_post_send(struct peal_node *me, const struct bundle *bundle, struct span part, int dest);
void bundle_post_recv(struct peal_node *me, const struct bundle *bundle, struct span part, int source);

/* Part `block` (taken modulo P) of the vector x of n words, cut into P parts as peal_block_begin cuts it. */
struct peal_piece part_of(const struct peal_node *me, const void *x, size_t n, int block);

/* The parts l .. r-1, which are neighbours. */
struct peal_piece parts_of(const struct peal_node *me, const void *x, size_t n, int l, int r);

/* Post a piece, or a receive of one. */
void post_send(struct peal_node *me, struct peal_piece x, int dest);
void post_recv(struct peal_node *me, struct peal_piece x, int source);

/* Send x and receive y at once, and wait for both. */
void exchange(struct peal_node *me, struct peal_piece x, int dest, struct peal_piece y, int source);

/* Exchange messages of several pieces. */
void exchange_pieces(struct peal_node *me, const struct peal_piece *x, int x_count, int dest,
                     const struct peal_piece *y, int y_count, int source);

/* Copy m words within the node's own memory, unless they are there already: nothing is sent, nothing is charged. */
void block_copy(const struct peal_node *me, void *to, const void *from, size_t m);

/* Whether blocks of one length are so short that packing many of them for a message is faster than a list of pieces,
 * each of which takes the machine some 50 ns: up to 128 bytes. */
bool blocks_are_short(const struct peal_node *me, const struct peal_blocks *blocks);

/* Copy `count` runs of `bytes` bytes each, which lie to_step and from_step bytes from each other. */
void copy_strided(char *to, size_t to_step, const char *from, size_t from_step, size_t bytes, size_t count);

/* Rest for `rounds` rounds (none if negative). */
void rest(struct peal_node *me, int rounds);

/* How many messages each way ports take in a round, at least one, or PEAL_PORTS_ALL; those of the node's machine. */
int ports_of_each_way(int ports, bool half_duplex);
int ports_each_way(const struct peal_node *me);

/* The least q with 2^q >= nodes. */
int ceiling_log2(int nodes);
