/* SPDX-License-Identifier: MIT */
/* The memory that nodes allocate in a watched run: an arena for each node, so that an address shows whose it is.
 *
 * Blocks follow one another, with their headers between them, which no node may access.  Nothing is given out twice
 * in a run.  A node whose arena is full gets its blocks from malloc.
 *
 *   thread   one carrier: one node runs at a time */
#ifndef LIB_WATCH_ARENA_H
#define LIB_WATCH_ARENA_H

#include <peal/base.h>

/* Stands right before the memory that is given out. */
struct arena_block {
    _Alignas(16) struct arena_block *next, *previous; /* of the node's live blocks from malloc, the newest first */
    struct arena_block *before;                       /* the block that was given out before it, of its node */
    size_t header, bytes;                             /* of the machine's; the program's follow */
    const char *file;                                 /* where peal_alloc was called; NULL: from malloc */
    void *pc;                                         /* where that was called */
    int line;
    int owner;
    bool live;
    uintptr_t check; /* made of its own address: this is a block */
};

/* Get address space for so many nodes.  errors: PEAL_RESOURCES */
enum peal_status arena_init(int nodes, struct peal_error *error);
void arena_fini(void);

/* Begin a run: all blocks are gone. */
void arena_begin(void);

/* The node in whose arena the address lies; -1: in none. */
int arena_owner(uintptr_t address);

/* Get a block for a node whose memory begins at a multiple of `align` (a power of two, 16 or more); NULL: no memory. */
struct arena_block *arena_get(int owner, size_t header, size_t bytes, size_t align);

/* The memory that the program has of the block. */
static inline char *
arena_data(const struct arena_block *block)
{
    return (char *)(uintptr_t)(block + 1) + block->header;
}

/* The block that was given out, header and all, at `memory`; NULL: there is none. */
struct arena_block *arena_block_at(const void *memory);

/* The block of any node's in which the address lies, else the nearest before it; NULL: none. */
const struct arena_block *arena_near(uintptr_t address);

/* A block from malloc that is still there, of this node; NULL: none. */
struct arena_block *arena_live(int owner);

/* A block of the node's joins or leaves those. */
void arena_hang(struct arena_block *block);
void arena_drop(struct arena_block *block);

#endif
