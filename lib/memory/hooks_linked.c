/* SPDX-License-Identifier: MIT */
/* The calls before accesses that pealcc --watch links into a program: they return at once unless an operation holds
 * bytes of the word, or a window exposes them, which the table of shadows says (watched_linked.c).
 *
 * Measured with bench's program of accesses: see peal-mpi(7). */
#include "lib/memory/shadow.h"
#include "lib/program/instrument.h"

extern uint64_t **peal_wrap_chunks;
void peal_wrap_look(const void *address, size_t bytes, bool write, const void *pc);
void peal_wrap_watched(int copies);

#define HIDDEN __attribute__((visibility("hidden")))
#define HOOK(type, name, ...)                                                                                          \
    HIDDEN type __tsan_##name(__VA_ARGS__);                                                                            \
    type __tsan_##name(__VA_ARGS__)

/* Whether the word at the address is held so that the access may break its rule, or exposed. */
static inline __attribute__((always_inline)) bool
is_held(uint64_t *const *chunks, uintptr_t at, bool write)
{
    const uint64_t *chunk = chunks[at >> CHUNK_SHIFT];

    return __builtin_expect(chunk != NULL, 0) && chunk[at >> 3 & (CHUNK_WORDS - 1)] & linked_bits(write);
}

/* Of an access that may lie in several words the first and the last one are looked at: it has at most 16 bytes, and the
 * words of one between them are held by the same operation, or are looked at with their own bytes. */
static inline __attribute__((always_inline)) void
look(const void *address, size_t bytes, bool write, void *pc)
{
    uintptr_t at = (uintptr_t)address;
    uint64_t *const *chunks = peal_wrap_chunks;

    if (__builtin_expect(!chunks || at >> ADDRESS_BITS != 0, 0))
        return;
    if (__builtin_expect(is_held(chunks, at, write) || is_held(chunks, at + bytes - 1, write), 0))
        peal_wrap_look(address, bytes, write, pc);
}

#define LOOK_RANGE peal_wrap_look
#include "lib/memory/watch_hooks.h"

/* Called by the constructor of each file of the program: the copy counts once. */
static bool counted;

HOOK(void, init, void)
{
    if (!counted)
        peal_wrap_watched(1);
    counted = true;
}

__attribute__((destructor)) static void
leave(void)
{
    if (counted)
        peal_wrap_watched(-1);
    counted = false;
}

HOOK(void, func_entry, void *caller)
{
    (void)caller;
}

HOOK(void, func_exit, void)
{
}

/* clang's names of the copies. */
HIDDEN void *__tsan_memcpy(void *to, const void *from, size_t bytes);
HIDDEN void *__tsan_memmove(void *to, const void *from, size_t bytes);
HIDDEN void *__tsan_memset(void *to, int byte, size_t bytes);
void *peal_wrap___tsan_memcpy(void *to, const void *from, size_t bytes);
void *peal_wrap___tsan_memmove(void *to, const void *from, size_t bytes);
void *peal_wrap___tsan_memset(void *to, int byte, size_t bytes);

void *
__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    return peal_wrap___tsan_memcpy(to, from, bytes);
}

void *
__tsan_memmove(void *to, const void *from, size_t bytes)
{
    return peal_wrap___tsan_memmove(to, from, bytes);
}

void *
__tsan_memset(void *to, int byte, size_t bytes)
{
    return peal_wrap___tsan_memset(to, byte, bytes);
}
