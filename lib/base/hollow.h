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
enum { MIN_HOLLOW = 1 << 26 };

struct hollow_block {
    char *begin; /* of a page; before it, in a page of its own, are `header` bytes that are stored */
    size_t bytes;
    int owner;
    char *reserved; /* with the addresses on both sides */
    size_t reserved_bytes;
};

/* Make the pages: a process that will be in the sandbox cannot make any. */
void hollow_prepare(void);

/* From now on, or no longer, blocks are allocated here (hollow_get); the end frees all of them.  False: the system has
 * no such memory. */
bool hollow_begin(void);
void hollow_end(void);

/* Free all blocks, and go on. */
void hollow_clear(void);

/* Whether blocks are allocated here. */
bool hollow_is_on(void);

/* Whether a block of this many bytes is one of these. */
static inline bool
hollow_holds(size_t bytes)
{
    return bytes >= MIN_HOLLOW && hollow_is_on();
}

/* Allocate a block for a node; NULL without memory.  The header has at most a page. */
char *hollow_get(size_t header, size_t bytes, int owner);

/* Whether memory was short for a block since hollow_clear.  Note that it was short for a stored block of this size. */
bool hollow_lacked(void);
void hollow_lack(size_t bytes);

/* The block in which the address lies, or on whose side; NULL. */
const struct hollow_block *hollow_at(uintptr_t address);

/* Whether this many bytes there need not be written, since they are not kept. */
static inline bool
hollow_swallows(const void *to, size_t bytes)
{
    return hollow_holds(bytes) && hollow_at((uintptr_t)to);
}
