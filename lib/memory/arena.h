/* SPDX-License-Identifier: MIT */
/* The memory that nodes allocate in a watched run: an arena for each node, so that an address shows its owner.
 *
 * Blocks follow one another, with their headers between them, which no node may access.  No memory is handed out twice
 * in a run.  A node whose arena is full gets its blocks from malloc.
 *
 *   thread   one carrier: one node runs at a time */
#pragma once

#include <peal/base.h>

/* The header right before the memory that is handed out. */
struct arena_block {
    _Alignas(16) struct arena_block *next, *previous; /* of the node's live blocks from malloc, the newest first */
    struct arena_block *before;                       /* the block that was handed out before it, of its node */
    size_t header, bytes;                             /* of the machine's header; the program's follow */
    const char *file;                                 /* where peal_alloc was called; NULL: from malloc */
    void *pc;                                         /* where malloc was called */
    void *freed;                                      /* where the program freed it */
    int line;
    int owner;
    bool live, by_new; /* by C++'s new */
    bool reached;      /* heap_ended: from the node's globals */
    struct arena_block *next_reached;
    uintptr_t check; /* made from its own address: marks a block */
};

/* Allocate address space for `nodes` nodes.  errors: PEAL_RESOURCES */
enum peal_status arena_init(int nodes, struct peal_error *error);
void arena_fini(void);

/* Begin a run: all blocks are gone. */
void arena_begin(void);

/* The node in whose arena the address lies; -1: in none. */
int arena_owner(uintptr_t address);

/* Allocate a block for a node; its memory begins at a multiple of `align` (a power of two, 16 or more); NULL: no
 * memory. */
struct arena_block *arena_get(int owner, size_t header, size_t bytes, size_t align);

/* The program's memory in the block. */
static inline char *
arena_data(const struct arena_block *block)
{
    return (char *)(uintptr_t)(block + 1) + block->header;
}

/* The block that was handed out at `memory`; NULL: none. */
struct arena_block *arena_block_at(const void *memory);

/* The block of any node in which the address lies, else the nearest one; NULL: none. */
const struct arena_block *arena_near(uintptr_t address);

/* A live block from malloc of this node; NULL: none. */
struct arena_block *arena_live(int owner);

/* Add a block of the node to the live ones, or remove it. */
void arena_hang(struct arena_block *block);
void arena_drop(struct arena_block *block);
