/* SPDX-License-Identifier: MIT */
/* An all-to-all through intermediate nodes: blocks in slots, by the distance left. */
#pragma once

#include "../catalog.h"

/* Slot x holds the block that travels the distance x, in the digits of x to base `radix`: round the ranks (r + x), or,
 * with `flips`, to r ^ x.  Each step covers one digit, so a block moves as often as x has digits that are not 0.
 *
 * Long blocks are sent from and received into their places, as lists of pieces.  A list takes the machine longer than
 * the words of a short block: short blocks are stored by slot, packed for a message, and unpacked. */
struct slot_blocks {
    int nodes, rank, radix;
    bool flips;
    const void *in;                       /* a block's place at first, and */
    void *between, *out;                  /* then by turns, ending in out */
    const struct peal_blocks *blocks;
    struct peal_piece *sent, *got;        /* room for lists; NULL if short blocks are packed */
    char *slot, *packed, *came;           /* of short blocks: by slot; sent messages, and received ones */
    size_t block_bytes;
    int w, d, end;                        /* posted and not waited for: the digits d .. end-1 of weight w, */
    size_t used;                          /* this many bytes of each */
};

/* Blocks of one length, in and out.  owner: the node, until it leaves */
struct slot_blocks slots_init(struct peal_node *me, const void *in, const struct peal_blocks *blocks, void *out,
                              int radix, bool flips);

/* Post to dest all slots whose digit of weight w is d, and receive the same slots from source.  Of one weight several
 * digits may be posted, in order, before slots_wait waits for all. */
void slots_post(struct peal_node *me, struct slot_blocks *slots, int w, int d, int dest, int source);
void slots_wait(struct peal_node *me, struct slot_blocks *slots);

/* After the last step: move all blocks to out. */
void slots_finish(const struct slot_blocks *slots);

/* The number of slots, of P, with this digit. */
int64_t slots_count(int nodes, int radix, int w, int d);
