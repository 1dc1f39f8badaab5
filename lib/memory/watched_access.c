/* SPDX-License-Identifier: MIT */
/* The call before each access of an instrumented program (lib/program/instrument.h).
 *
 * The usual access is one of up to 8 bytes within one word of the node's own: decided by one load of its shadow and one
 * comparison.  watch.c checks all others. */
#include "lib/memory/shadow.h"
#include "lib/memory/watch.h"
#include "lib/program/instrument.h"

/* Begin the definition of the call that replaces `name`, declared and exported. */
#define HOOK(type, name, ...)                                                                                          \
    PEAL_API type peal_wrap___tsan_##name(__VA_ARGS__);                                                                \
    type peal_wrap___tsan_##name(__VA_ARGS__)

/* A word that is the node's in this run, valid in all its bytes and held by no receive (for a write, by no request) is
 * decided by comparing the upper bits of its shadow with the node's mark, which the first access of a run sets. */
static inline __attribute__((always_inline)) void
look(const void *address, size_t bytes, bool write, void *pc)
{
    uintptr_t at = (uintptr_t)address;
    const struct node *node = self;

    if (__builtin_expect(bytes <= 8 && (at >> ADDRESS_BITS | (at & (bytes - 1))) == 0 && node, 1)) {
        uint64_t *chunk = shadow_chunks[at >> CHUNK_SHIFT];

        if (__builtin_expect(chunk != NULL, 1)) {
            uint64_t *shadow = &chunk[at >> 3 & (CHUNK_WORDS - 1)];

            if (__builtin_expect((*shadow ^ node->mark) >> (write ? SHADOW_SENDS : SHADOW_RECEIVES) == 0, 1)) {
                if (write)
                    *shadow |= ((UINT64_C(1) << bytes) - 1) << at % 8;
                return;
            }
        }
    }
    watch_access(address, bytes, write, pc);
}

#define LOOK_RANGE watch_range
#include "lib/memory/watch_hooks.h"

/* ------------------------------------------------------------------ functions */

HOOK(void, init, void)
{
}

/* A function is entered: the memory between the caller's frame and the place of this call is its own. */
HOOK(void, func_entry, void *caller)
{
    void *const *frame = __builtin_frame_address(0); /* this call's: the function's frame pointer, the return address */
#if defined __aarch64__ && !defined __clang__
    uintptr_t end = (uintptr_t)__builtin_dwarf_cfa(); /* gcc's frame pointer is the low end of a frame there */
#else
    uintptr_t end = (uintptr_t)frame + 16;
#endif

    (void)caller;
    if (watch_node() && end < (uintptr_t)frame[0])
        shadow_frame(end, (uintptr_t)frame[0]);
}

HOOK(void, func_exit, void)
{
}
