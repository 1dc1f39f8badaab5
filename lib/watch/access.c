/* SPDX-License-Identifier: MIT */
/* The call before each access of an instrumented program (lib/program/instrument.h).
 *
 * The usual access is one of up to 8 bytes within one word of the node's own: decided by one load of its shadow and one
 * comparison.  watch.c checks all others. */
#include "lib/program/instrument.h"
#include "lib/watch/shadow.h"
#include "lib/watch/watch.h"

#define HERE __builtin_return_address(0)

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

#define ACCESS(bytes)                                                                                                  \
    HOOK(void, read##bytes, const void *address)                                                                       \
    {                                                                                                                  \
        look(address, bytes, false, HERE);                                                                             \
    }                                                                                                                  \
    HOOK(void, write##bytes, void *address)                                                                            \
    {                                                                                                                  \
        look(address, bytes, true, HERE);                                                                              \
    }                                                                                                                  \
    HOOK(void, volatile_read##bytes, const void *address)                                                              \
    {                                                                                                                  \
        look(address, bytes, false, HERE);                                                                             \
    }                                                                                                                  \
    HOOK(void, volatile_write##bytes, void *address)                                                                   \
    {                                                                                                                  \
        look(address, bytes, true, HERE);                                                                              \
    }                                                                                                                  \
    HOOK(void, read##bytes##_pc, const void *address, void *pc)                                                        \
    {                                                                                                                  \
        look(address, bytes, false, pc);                                                                               \
    }                                                                                                                  \
    HOOK(void, write##bytes##_pc, void *address, void *pc)                                                             \
    {                                                                                                                  \
        look(address, bytes, true, pc);                                                                                \
    }
INSTRUMENT_SIZES(ACCESS)

#define UNALIGNED(bytes)                                                                                               \
    HOOK(void, unaligned_read##bytes, const void *address)                                                             \
    {                                                                                                                  \
        look(address, bytes, false, HERE);                                                                             \
    }                                                                                                                  \
    HOOK(void, unaligned_write##bytes, void *address)                                                                  \
    {                                                                                                                  \
        look(address, bytes, true, HERE);                                                                              \
    }                                                                                                                  \
    HOOK(void, unaligned_volatile_read##bytes, const void *address)                                                    \
    {                                                                                                                  \
        look(address, bytes, false, HERE);                                                                             \
    }                                                                                                                  \
    HOOK(void, unaligned_volatile_write##bytes, void *address)                                                         \
    {                                                                                                                  \
        look(address, bytes, true, HERE);                                                                              \
    }
INSTRUMENT_UNALIGNED(UNALIGNED)

HOOK(void, read_range, const void *address, size_t bytes)
{
    watch_range(address, bytes, false, HERE);
}

HOOK(void, write_range, void *address, size_t bytes)
{
    watch_range(address, bytes, true, HERE);
}

/* ------------------------------------------------------------------ functions */

HOOK(void, init, void)
{
}

/* A function is entered: the memory between the caller's frame and the place of this call is its own. */
HOOK(void, func_entry, void *caller)
{
#if defined __x86_64__
    void *const *frame = __builtin_frame_address(0); /* ours: the function's frame pointer, where we return to */

    (void)caller;
    if (watch_node())
        shadow_frame((uintptr_t)frame + 16, (uintptr_t)frame[0]);
#else
    (void)caller;
#endif
}

HOOK(void, func_exit, void)
{
}

/* ------------------------------------------------------------------ atomic accesses: one node runs at a time */

#define WORD(bits) uint##bits##_t
#define FETCH(bits, name)                                                                                              \
    HOOK(WORD(bits), atomic##bits##_fetch_##name, volatile WORD(bits) * address, WORD(bits) value, int order)          \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        look((void *)(uintptr_t)address, sizeof *address, true, HERE);                                                 \
        return __atomic_fetch_##name(address, value, __ATOMIC_SEQ_CST);                                                \
    }
#define EXCHANGE(bits, strength, weak)                                                                                 \
    HOOK(int, atomic##bits##_compare_exchange_##strength, volatile WORD(bits) * address, WORD(bits) * expected,        \
         WORD(bits) value, int order, int otherwise)                                                                   \
    {                                                                                                                  \
        (void)order, (void)otherwise;                                                                                  \
        look((void *)(uintptr_t)address, sizeof *address, true, HERE);                                                 \
        look(expected, sizeof *expected, true, HERE);                                                                  \
        return __atomic_compare_exchange_n(address, expected, value, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);        \
    }
#define ATOMIC(bits)                                                                                                   \
    HOOK(WORD(bits), atomic##bits##_load, const volatile WORD(bits) * address, int order)                              \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        look((void *)(uintptr_t)address, sizeof *address, false, HERE);                                                \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                             \
    }                                                                                                                  \
    HOOK(void, atomic##bits##_store, volatile WORD(bits) * address, WORD(bits) value, int order)                       \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        look((void *)(uintptr_t)address, sizeof *address, true, HERE);                                                 \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                            \
    }                                                                                                                  \
    HOOK(WORD(bits), atomic##bits##_exchange, volatile WORD(bits) * address, WORD(bits) value, int order)              \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        look((void *)(uintptr_t)address, sizeof *address, true, HERE);                                                 \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                                  \
    }                                                                                                                  \
    HOOK(WORD(bits), atomic##bits##_compare_exchange_val, volatile WORD(bits) * address, WORD(bits) expected,          \
         WORD(bits) value, int order, int otherwise)                                                                   \
    {                                                                                                                  \
        (void)order, (void)otherwise;                                                                                  \
        look((void *)(uintptr_t)address, sizeof *address, true, HERE);                                                 \
        __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);             \
        return expected;                                                                                               \
    }                                                                                                                  \
    EXCHANGE(bits, strong, false)                                                                                      \
    EXCHANGE(bits, weak, true)                                                                                         \
    INSTRUMENT_FETCHES(FETCH, bits)
INSTRUMENT_ATOMICS(ATOMIC)

HOOK(void, atomic_thread_fence, int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

HOOK(void, atomic_signal_fence, int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
