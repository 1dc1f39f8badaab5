/* SPDX-License-Identifier: MIT */
/* The calls before accesses that pealcc --watch links into a program: they return at once where the shadow of the word
 * passes the access (shadow_passes), and ask watched_linked.c otherwise. */
#include "lib/memory/heap.h"
#include "lib/memory/shadow.h"
#include "lib/program/instrument.h"

void peal_wrap_look(const void *address, size_t bytes, bool write, const void *pc, struct shadow_copy *copy);
void peal_wrap_stored(struct shadow_copy *copy);
void peal_wrap_watched(struct shadow_copy *copy, bool more);
void peal_wrap_compared(struct shadow_copy *copy, uint64_t left, uint64_t right, size_t bytes, const void *pc);

#define HIDDEN __attribute__((visibility("hidden")))
#define HOOK(type, name, ...)                                                                                          \
    HIDDEN type __tsan_##name(__VA_ARGS__);                                                                            \
    type __tsan_##name(__VA_ARGS__)

static struct shadow_copy copy = {.mark = ~UINT64_C(0)}; /* each node has its own, as of all variables */

/* A store is about to be made.  A store to the stack is remembered, and the library is called if the last one there has
 * made a local look unwritten. */
static inline __attribute__((always_inline)) void
hook_store(const void *address, size_t bytes, const void *pc)
{
    if ((uintptr_t)address - copy.stack >= copy.stack_bytes)
        return;
    const uint64_t word = *(const volatile uint64_t *)((uintptr_t)copy.stored / 8 * 8) ^ FRESH_WORD;

    if (__builtin_expect((uint32_t)word == 0 || word >> 32 == 0 || copy.stored_bytes > 8, 0))
        peal_wrap_stored(&copy);
    copy.stored = address;
    copy.stored_bytes = bytes;
    copy.stored_by = pc;
}

/* Whether the access needs no look.  A load of a value that looks unwritten is remembered. */
static inline __attribute__((always_inline)) bool
hook_passes(const void *address, size_t bytes, bool write, const void *pc)
{
    uint32_t value = (uint32_t)FRESH_WORD;

    if (!copy.chunks)
        return true;
    if (write)
        hook_store(address, bytes, pc);
    if (!shadow_passes(copy.chunks, (uintptr_t)address, bytes, write, copy.mark))
        return false;
    if (!write)
        memcpy(&value, address, bytes < sizeof value ? bytes : sizeof value);
    if (__builtin_expect(!write && value == (uint32_t)FRESH_WORD, 0))
        shadow_keep(&copy, address, pc);
    return true;
}

#define look(address, bytes, write, pc)                                                                                \
    do {                                                                                                               \
        if (__builtin_expect(!hook_passes(address, bytes, write, pc), 0))                                              \
            peal_wrap_look(address, bytes, write, pc, &copy);                                                          \
    } while (0)
#define LOOK_RANGE(address, bytes, write, pc)                                                                          \
    do {                                                                                                               \
        if (write && copy.chunks)                                                                                      \
            hook_store(address, bytes, pc);                                                                            \
        peal_wrap_look(address, bytes, write, pc, &copy);                                                              \
    } while (0)
#include "lib/memory/watch_hooks.h"

/* The constructor of each file of the program calls this: the copy counts once. */
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

/* ------------------------------------------------------------------ comparisons; clang's has no floats */

/* clang calls for comparisons only if it also calls where functions begin. */
HIDDEN void __sanitizer_cov_trace_pc(void);
void
__sanitizer_cov_trace_pc(void)
{
}

/* Call the library if one of the values looks unwritten, or if it asks for all comparisons. */
static inline __attribute__((always_inline)) void
hook_compare(uint64_t left, uint64_t right, size_t bytes, void *pc)
{
    const uint64_t fresh = FRESH_WORD >> (64 - 8 * bytes);

    if (__builtin_expect((left == fresh || right == fresh || copy.asked) && copy.chunks, 0))
        peal_wrap_compared(&copy, left, right, bytes, pc);
    else
        copy.compared = copy.next_load;
}

#define COMPARISON(bytes, type)                                                                                        \
    HIDDEN void __sanitizer_cov_trace_cmp##bytes(type left, type right);                                               \
    HIDDEN void __sanitizer_cov_trace_const_cmp##bytes(type constant, type value);                                     \
    void __sanitizer_cov_trace_cmp##bytes(type left, type right)                                                       \
    {                                                                                                                  \
        hook_compare(left, right, bytes, HERE);                                                                        \
    }                                                                                                                  \
    void __sanitizer_cov_trace_const_cmp##bytes(type constant, type value)                                             \
    {                                                                                                                  \
        (void)constant;                                                                                                \
        hook_compare(value, value, bytes, HERE);                                                                       \
    }
/* clang-format off */
COMPARISON(1, uint8_t) COMPARISON(2, uint16_t) COMPARISON(4, uint32_t) COMPARISON(8, uint64_t)
/* clang-format on */

#define REAL_COMPARISON(name, real, type)                                                                              \
    HIDDEN void name(real left, real right);                                                                           \
    void name(real left, real right)                                                                                   \
    {                                                                                                                  \
        type a, b;                                                                                                     \
                                                                                                                       \
        memcpy(&a, &left, sizeof a);                                                                                   \
        memcpy(&b, &right, sizeof b);                                                                                  \
        hook_compare(a, b, sizeof a, HERE);                                                                            \
    }
    /* clang-format off */
REAL_COMPARISON(__sanitizer_cov_trace_cmpf, float, uint32_t)
REAL_COMPARISON(__sanitizer_cov_trace_cmpd, double, uint64_t)
    /* clang-format on */

    HIDDEN void __sanitizer_cov_trace_switch(uint64_t value, const uint64_t *cases);

/* cases: their number, the bits of the value, then each. */
void
__sanitizer_cov_trace_switch(uint64_t value, const uint64_t *cases)
{
    size_t bytes = cases[1] / 8;

    if (bytes > 0 && bytes <= 8)
        hook_compare(value & ~UINT64_C(0) >> (64 - 8 * bytes), 0, bytes, HERE);
}

/* ------------------------------------------------------------------ clang's names of the copies */

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
