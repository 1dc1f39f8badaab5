/* SPDX-License-Identifier: MIT */
/* The state of each word of memory that a node program may access, in one word beside it.
 *
 * A word is 8 bytes that lie on a multiple of 8.  Its shadow records its owner, its region, which of its bytes may be
 * accessed and which were ever written, and how many posted sends and receives hold it.  A shadow is valid for one run:
 * those of earlier runs are void, so that beginning a run takes no time.  A word without a shadow of this run is looked
 * up once in the known ranges (stacks, globals, arenas), and is not watched if it lies in none: constants, the C
 * library's memory, the arguments of the run.
 *
 *   thread   any number of carriers: only its owner writes to the shadow of a word, except for words that are anyone's,
 *            whose counts change under a lock (watched_linked.c) */
#pragma once

#include <peal/check.h>
#include <stdatomic.h>

/* The region of a word. */
enum region {
    REGION_NONE, /* of the machine's own memory at a node's `me`: no byte is valid, and all count as written */
    REGION_STACK,
    REGION_FRAME,  /* of the stack, and not written since its function was entered */
    REGION_GLOBAL, /* of a node's copy of the program */
    REGION_BLOCK,  /* from malloc or peal_alloc */
    REGION_ARRAY,  /* handed to the collective */
    REGION_BEYOND, /* beside such an array, or between blocks */
    REGION_FREED,  /* a block that was freed */
};

/* Where in the shadow: bits from here on.  The fields that a read compares lie above those that only a write compares,
 * and these above the rest: so each access needs one shift and one comparison (watched_access.c). */
enum {
    SHADOW_WRITTEN = 0,   /* 8: one bit per byte */
    SHADOW_REGION = 8,    /* 3 */
    SHADOW_SENDS = 11,    /* 8: how many posted sends hold it */
    SHADOW_RECEIVES = 19, /* 6: how many receives */
    SHADOW_EXPOSED = 25,  /* 6: how many windows of linked programs expose it */
    SHADOW_VALID = 31,    /* 8: one bit per byte */
    SHADOW_OWNER = 39,    /* 11 */
    SHADOW_RUN = 50,      /* 14 */
};
enum { SHADOW_OWNERS = 1 << (SHADOW_RUN - SHADOW_OWNER) }; /* nodes at most */
enum { SHADOW_ANYONE = SHADOW_OWNERS - 1 };                /* of linked programs: memory that belongs to no node */
#define SHADOW_FIELD(from, bits) (((UINT64_C(1) << (bits)) - 1) << (from))
#define SHADOW_HELD_RECEIVES SHADOW_FIELD(SHADOW_RECEIVES, 6)
#define SHADOW_HELD_SENDS SHADOW_FIELD(SHADOW_SENDS, 8)
#define SHADOW_ALL_EXPOSED SHADOW_FIELD(SHADOW_EXPOSED, 6)
#define SHADOW_WHOSE SHADOW_FIELD(SHADOW_OWNER, 25) /* the owner and the run */
#define SHADOW_ALL_VALID SHADOW_FIELD(SHADOW_VALID, 8)
#define SHADOW_ALL_WRITTEN SHADOW_FIELD(SHADOW_WRITTEN, 8)

/* A chunk is the shadow of CHUNK_BYTES bytes of memory; shadow_chunks[address / CHUNK_BYTES], NULL: all of it is 0.  In
 * the browser a chunk takes memory as soon as it is made. */
#if defined __EMSCRIPTEN__
enum { ADDRESS_BITS = 31, CHUNK_SHIFT = 16 };
#elif defined __x86_64__
enum { ADDRESS_BITS = 47, CHUNK_SHIFT = 22 };
#else
enum { ADDRESS_BITS = 48, CHUNK_SHIFT = 22 };
#endif
enum { CHUNK_WORDS = 1 << (CHUNK_SHIFT - 3) };
extern __attribute__((visibility("hidden"))) uint64_t **shadow_chunks;

/* Decide the usual access: one of up to 8 bytes within one word of the node's own, valid in all its bytes and held by
 * no receive (for a write, by no request).  One comparison of the upper bits of its shadow with the node's mark
 * decides.  False: it must be looked at. */
static inline __attribute__((always_inline)) bool
shadow_passes(uint64_t *const *chunks, uintptr_t at, size_t bytes, bool write, uint64_t mark)
{
    if (__builtin_expect(bytes > 8 || (at & (~(uintptr_t)0 << ADDRESS_BITS | (bytes - 1))) != 0, 0))
        return false;
    uint64_t *chunk = chunks[at >> CHUNK_SHIFT];

    if (__builtin_expect(chunk == NULL, 0))
        return false;
    uint64_t *shadow = &chunk[at >> 3 & (CHUNK_WORDS - 1)];

    if (__builtin_expect((*shadow ^ mark) >> (write ? SHADOW_SENDS : SHADOW_RECEIVES) != 0, 0))
        return false;
    if (write)
        *shadow |= bytes == 8 ? SHADOW_ALL_WRITTEN : ((UINT64_C(1) << bytes) - 1) << at % 8;
    return true;
}

extern uint64_t shadow_run; /* << SHADOW_RUN: the current run */

static inline int
shadow_owner(uint64_t word)
{
    return (int)(word >> SHADOW_OWNER & 0x7FF);
}

static inline enum region
shadow_region(uint64_t word)
{
    return (enum region)(word >> SHADOW_REGION & 7);
}

/* The shadow of a word of that owner, without its run: all its bytes are valid, or none, and all written, or none. */
static inline uint64_t
shadow_whole(enum region region, int owner, bool valid, bool written)
{
    return (uint64_t)region << SHADOW_REGION | (uint64_t)owner << SHADOW_OWNER | (valid ? SHADOW_ALL_VALID : 0) |
           (written ? SHADOW_ALL_WRITTEN : 0);
}

/* The shadow of the machine's own memory of the node: not 0, unlike that of unwatched memory. */
static inline uint64_t
shadow_of_machine(int node)
{
    return shadow_whole(REGION_NONE, node, false, true);
}

static inline bool
shadow_is_machine(uint64_t word)
{
    return shadow_region(word) == REGION_NONE;
}

/* The part of the shadow's state that each copy of a linked program has (hooks_linked.c). */
enum { LAST_LOADS = 8 };
struct shadow_copy {
    uint64_t **chunks; /* while a run is watched, else NULL: set before its nodes start, as `stored` */
    uint64_t mark;     /* the node's mark, and its stack: set by its first access */
    uintptr_t stack, stack_bytes;
    const char *stored; /* the last store to the node's stack, which may not be made yet; without one, a 0 */
    size_t stored_bytes;
    const void *stored_by;         /* the address that follows in the code; NULL: a call of a library has stored it */
    const void *loads[LAST_LOADS]; /* the last loads of values that looked unwritten: a ring */
    const void *loaded_by[LAST_LOADS]; /* the addresses that follow in the code */
    unsigned char next_load;           /* the oldest of them */
    unsigned char compared;            /* loads before this are older than the last comparison */
    bool asked;                        /* for every comparison: peal_watch_compares */
};

static inline void
shadow_keep(struct shadow_copy *copy, const void *load, const void *pc)
{
    copy->loaded_by[copy->next_load % LAST_LOADS] = pc;
    copy->loads[copy->next_load++ % LAST_LOADS] = load;
}

/* Allocate the address space of the shadows.  range_of is asked for the words that have no shadow yet: it gives the
 * shadow, without its run, or 0.  errors: PEAL_RESOURCES */
enum peal_status shadow_init(uint64_t (*range_of)(uintptr_t address), struct peal_error *error);
void shadow_fini(void);

/* Begin a run: only the ranges are known. */
void shadow_begin(void);

/* The shadow of the word at `address`, up to date; NULL if it is not watched, or there is no memory for shadows. */
uint64_t *shadow_get(uintptr_t address);

/* Held by a node, where there are several carriers, while it changes shadows. */
extern atomic_flag shadow_busy;
void shadow_lock(atomic_flag *flag);
void shadow_unlock(atomic_flag *flag);

/* Set the state of `bytes` bytes from `begin`, a multiple of 8: node `owner`'s, all of them valid, unless they are
 * BEYOND or FREED. */
void shadow_set(uintptr_t begin, size_t bytes, enum region region, int owner, bool written);

/* Words of blocks are copied, both from multiples of 8 on: unwritten ones stay unwritten. */
void shadow_carry(uintptr_t to, uintptr_t from, size_t bytes);

/* On the stack the shadow does not show what was written, since gcc sets locals to the pattern of fresh memory, partly
 * unseen, and again in each turn of a loop.  So it notes where the program itself has stored that pattern.  Whether any
 * of these bytes hold it; note that the program, or gcc, stores them; the stored bytes of the word. */
bool shadow_looks_fresh(uintptr_t begin, size_t bytes);
void shadow_store(uintptr_t begin, size_t bytes, bool by_program);
uint64_t shadow_stored(uintptr_t address);

/* Forget the state of these bytes, from a multiple of 8 on: their ranges are looked up again. */
void shadow_forget(uintptr_t begin, size_t bytes);

/* The bytes begin .. end of the word at `word`, as a mask. */
static inline uint64_t
shadow_mask(uintptr_t word, uintptr_t begin, uintptr_t end)
{
    uint64_t mask = 0xFF;

    if (begin > word)
        mask &= (uint64_t)0xFF << (begin - word);
    if (end < word + 8)
        mask &= (uint64_t)0xFF >> (word + 8 - end);
    return mask & 0xFF;
}

/* A function compiled by clang is entered: note the contents of its frame, to know later whether it was written
 * (shadow_is_old). */
void shadow_frame(uintptr_t begin, uintptr_t end);
/* Whether the word has the value it had when its frame began. */
bool shadow_is_old(uintptr_t address);
