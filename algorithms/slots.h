/* SPDX-License-Identifier: MIT */
/* An all-to-all through others: blocks in slots, by how far they have to go. */
#ifndef ALGORITHMS_SLOTS_H
#define ALGORITHMS_SLOTS_H

#include <peal/author.h>

/* Slot x holds the block that goes x further, in the digits of x to base `radix`: round the ranks (r + x), or, with `flips`,
 * to r ^ x.  One digit is gone a step, so a block moves as often as x has digits that are not 0.
 *
 * Long blocks are sent from and received into where they lie, as lists of pieces.  A list costs the machine more than a short
 * block's words: these lie by slot, are packed for a message, and unpacked. */
struct slots {
    int nodes, rank, radix;
    bool flips;
    const void *in;                       /* where a block lies at first, */
    void *between, *out;                  /* then by turns, so that it ends in out */
    const struct peal_blocks *blocks;
    struct peal_piece *sent, *got;        /* room for lists; NULL where short blocks are packed */
    char *slot, *packed, *came;           /* of short blocks: by slot; messages that go, and those that come */
    size_t block_bytes;
    int w, d, end;                        /* posted and not waited for: the digits d .. end-1 of weight w, */
    size_t used;                          /* so many bytes of each */
};

/* Blocks of one length, in and out.  owner: the node's, until it leaves */
struct slots slots_init(struct peal_node *me, const void *in, const struct peal_blocks *blocks, void *out, int radix,
                        bool flips);

/* Post to dest all slots whose digit of weight w is d, and receive the same slots from source.  Of one weight several digits
 * may be posted, in order, before slots_wait waits for all. */
void slots_post(struct peal_node *me, struct slots *slots, int w, int d, int dest, int source);
void slots_wait(struct peal_node *me, struct slots *slots);

/* All steps are done: all blocks are in out afterwards. */
void slots_finish(const struct slots *slots);

/* How many of the P slots that are. */
int64_t slots_count(int nodes, int radix, int w, int d);

#endif
