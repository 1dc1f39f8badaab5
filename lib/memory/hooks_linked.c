/* SPDX-License-Identifier: MIT */
/* The calls before accesses that pealcc --watch links into a program: they return at once where the shadow of the word
 * passes the access (shadow_passes), and ask watched_linked.c otherwise. */
#include "lib/memory/shadow.h"
#include "lib/program/instrument.h"

void peal_wrap_look(const void *address, size_t bytes, bool write, const void *pc, uint64_t *mark);
void peal_wrap_watched(struct shadow_copy *copy, bool more);

#define HIDDEN __attribute__((visibility("hidden")))
#define HOOK(type, name, ...)                                                                                          \
    HIDDEN type __tsan_##name(__VA_ARGS__);                                                                            \
    type __tsan_##name(__VA_ARGS__)

static struct shadow_copy copy = {NULL, ~UINT64_C(0)}; /* each node has its own, as of all variables */

static inline __attribute__((always_inline)) void
look(const void *address, size_t bytes, bool write, void *pc)
{
    if (__builtin_expect(copy.chunks && !shadow_passes(copy.chunks, (uintptr_t)address, bytes, write, copy.mark), 0))
        peal_wrap_look(address, bytes, write, pc, &copy.mark);
}

#define LOOK_RANGE(address, bytes, write, pc) peal_wrap_look(address, bytes, write, pc, &copy.mark)
#include "lib/memory/watch_hooks.h"

/* Called by the constructor of each file of the program: the copy counts once. */
static bool counted;

HOOK(void, init, void)
{
    if (!counted)
        peal_wrap_watched(&copy, true);
    counted = true;
}

__attribute__((destructor)) static void
leave(void)
{
    if (counted)
        peal_wrap_watched(&copy, false);
    counted = false;
}

HOOK(void, func_entry, void *caller)
{
    (void)caller;
}

HOOK(void, func_exit, void)
{
}

/* C++: the pointer of an object to its virtual functions. */
HOOK(void, vptr_update, void **place, void *value)
{
    (void)value;
    look(place, sizeof *place, true, HERE);
}

HOOK(void, vptr_read, void **place)
{
    look(place, sizeof *place, false, HERE);
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
