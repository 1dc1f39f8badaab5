/* SPDX-License-Identifier: MIT */
/* Watches linked programs by a shadow of the words that operations hold, on any number of carriers. */
#include "lib/memory/watched_linked.h"
#include "lib/memory/linked_blocks.h"
#include "lib/memory/shadow.h"
#include "lib/memory/watch.h"
#include "lib/program/wraps.h"
#include <malloc.h>
#include <peal/author.h>
#include <sched.h>
#include <stdatomic.h>

/* The table of chunks while a run is watched, NULL otherwise.  Set before its nodes start, then constant; the chunks in
 * it are published by shadow_get in peal_watch_hold, and seen by the calls before accesses (hooks_linked.c), on the
 * same node or after a message. */
PEAL_API uint64_t **peal_wrap_chunks;
uint64_t **peal_wrap_chunks;

static int watched; /* copies of programs that are loaded and whose accesses are calls */
static peal_touched touched;
static atomic_flag busy = ATOMIC_FLAG_INIT; /* held by a node that changes the shadow: for as long as that takes */

/* ------------------------------------------------------------------ loaded */

/* A copy is loaded, or goes: called from its constructors and destructors (hooks_linked.c). */
PEAL_API void peal_wrap_watched(int copies);

void
peal_wrap_watched(int copies)
{
    watched += copies;
}

bool
linked_watched(void)
{
    return watched > 0;
}

/* ------------------------------------------------------------------ runs */

/* No range has an owner: a held word belongs to any node. */
static uint64_t
any_word(uintptr_t address)
{
    (void)address;
    return (uint64_t)REGION_GLOBAL << SHADOW_REGION | SHADOW_ALL_VALID;
}

bool
peal_watch_begin(peal_touched what)
{
    struct peal_error error;

    if (watched <= 0 || shadow_init(any_word, &error) != PEAL_OK)
        return false;
    shadow_begin();
    touched = what;
    peal_wrap_chunks = shadow_chunks;
    return true;
}

void
peal_watch_end(void)
{
    if (!peal_wrap_chunks)
        return;
    peal_wrap_chunks = NULL;
    touched = NULL;
    shadow_fini();
}

/* Count one more, or less, in the bits `all` of the shadow of each word. */
static void
count(const void *begin, size_t bytes, uint64_t all, int shift, bool more)
{
    const uint64_t one = UINT64_C(1) << shift;
    uintptr_t end = (uintptr_t)begin + bytes;

    if (!peal_wrap_chunks)
        return;
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) /* sees the changes of others */
        sched_yield();
    for (uintptr_t word = (uintptr_t)begin / 8 * 8; word < end; word += 8) {
        uint64_t *shadow = shadow_get(word);

        if (!shadow || (*shadow & all) == all) /* as many as can be counted: it stays so until the end of the run */
            continue;
        if (more)
            *shadow += one;
        else if (*shadow & all)
            *shadow -= one;
    }
    atomic_flag_clear_explicit(&busy, memory_order_release); /* shows it to the next one */
}

void
peal_watch_hold(const void *begin, size_t bytes, bool writes, bool more)
{
    count(begin, bytes, writes ? SHADOW_HELD_RECEIVES : SHADOW_HELD_SENDS, writes ? SHADOW_RECEIVES : SHADOW_SENDS,
          more);
}

void
peal_watch_expose(const void *begin, size_t bytes, bool more)
{
    count(begin, bytes, SHADOW_ALL_EXPOSED, SHADOW_EXPOSED, more);
}

/* ------------------------------------------------------------------ accesses */

/* An access of a linked program's that the calls before accesses cannot decide. */
PEAL_API void peal_wrap_look(const void *address, size_t bytes, bool write, const void *pc);

void
peal_wrap_look(const void *address, size_t bytes, bool write, const void *pc)
{
    struct peal_node *me = touched ? peal_self() : NULL;

    if (me && bytes > 0)
        touched(me, address, bytes, write, pc);
}

/* Whether one of the words of the bytes is held or exposed. */
static bool
any_is_held(uintptr_t begin, size_t bytes, bool write)
{
    const uint64_t held = linked_bits(write);

    for (uintptr_t word = begin / 8 * 8; word < begin + bytes; word += 8) {
        const uint64_t *chunk = __atomic_load_n(&peal_wrap_chunks[word >> CHUNK_SHIFT], __ATOMIC_ACQUIRE);

        if (!chunk)
            word = (word | ((UINT64_C(1) << CHUNK_SHIFT) - 1)) - 7; /* the last word of the chunk that is not there */
        else if (__atomic_load_n(&chunk[word >> 3 & (CHUNK_WORDS - 1)], __ATOMIC_RELAXED) & held)
            return true;
    }
    return false;
}

static void
look_range(const void *address, size_t bytes, bool write, const void *pc)
{
    uintptr_t begin = (uintptr_t)address;

    if (touched && bytes > 0 && (begin | (begin + bytes)) >> ADDRESS_BITS == 0 && any_is_held(begin, bytes, write))
        peal_wrap_look(address, bytes, write, pc);
}

void
linked_range(const void *address, size_t bytes, bool write, const void *pc)
{
    blocks_look(address, bytes, write, pc);
    look_range(address, bytes, write, pc);
}

void
linked_freed(void *memory, const void *pc)
{
    if (touched && memory)
        look_range(memory, malloc_usable_size(memory), true, pc);
}
