/* SPDX-License-Identifier: MIT */
/* Blocks of many bytes that are not stored: all their pages are the same few ones, so that they can be read and
 * written, and hold nothing.  On both sides so many addresses are inaccessible that an offset that overflowed an int
 * ends there.
 *
 *   thread   one at a time in a process */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Blocks of fewer bytes are stored. */
enum { MIN_UNBACKED = 1 << 26 };

struct unbacked_block {
    char *begin; /* of a page; before it, in a page of its own, are `header` bytes that are stored */
    size_t bytes;
    int owner;
    char *reserved; /* with the addresses on both sides */
    size_t reserved_bytes;
};

/* Make the pages: a process that will be in the sandbox cannot make any. */
void unbacked_prepare(void);

/* From now on, or no longer, blocks are allocated here (unbacked_get); the end frees all of them.  False: the system
 * has no such memory. */
bool unbacked_begin(void);
void unbacked_end(void);

/* Free all blocks, and go on. */
void unbacked_clear(void);

/* Whether blocks are allocated here. */
bool unbacked_is_on(void);

/* Whether a block of this many bytes is one of these. */
static inline bool
unbacked_holds(size_t bytes)
{
    return bytes >= MIN_UNBACKED && unbacked_is_on();
}

/* Allocate a block for a node; NULL without memory.  The header has at most a page. */
char *unbacked_get(size_t header, size_t bytes, int owner);

/* Whether memory was short for a block since unbacked_clear.  Note that it was short for a stored block of this
 * size. */
bool unbacked_lacked(void);
void unbacked_lack(size_t bytes);

/* The block in which the address lies, or on whose side; NULL. */
const struct unbacked_block *unbacked_at(uintptr_t address);

/* Whether this many bytes there need not be written, since they are not kept. */
static inline bool
unbacked_swallows(const void *to, size_t bytes)
{
    return unbacked_holds(bytes) && unbacked_at((uintptr_t)to);
}
