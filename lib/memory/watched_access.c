/* SPDX-License-Identifier: MIT */
/* The call before each access of an instrumented program (lib/program/instrument.h).  watch.c checks those that are not
 * decided at once (shadow_passes). */
#include "lib/machine/nodes.h"
#include "lib/memory/shadow.h"
#include "lib/memory/watch.h"

/* Begin the definition of the call that replaces `name`, declared and exported. */
#define HOOK(type, name, ...)                                                                                          \
    PEAL_API type peal_wrap___tsan_##name(__VA_ARGS__);                                                                \
    type peal_wrap___tsan_##name(__VA_ARGS__)

#ifdef __EMSCRIPTEN__ /* linked programs make these calls, too, and a word that was not looked at yet has no mark */
#define watch_access watch_range
#define MARKED(node) ((node) && (node)->mark)
#else
#define MARKED(node) (node)
#endif

static inline __attribute__((always_inline)) bool
access_passes(const void *address, size_t bytes, bool write)
{
    const struct node *node = self;

    return __builtin_expect(MARKED(node) && shadow_passes(shadow_chunks, (uintptr_t)address, bytes, write, node->mark),
                            1);
}

/* A macro: in the browser finding `pc` takes long. */
#define look(address, bytes, write, pc)                                                                                \
    do {                                                                                                               \
        if (!access_passes(address, bytes, write))                                                                     \
            watch_access(address, bytes, write, pc);                                                                   \
    } while (0)

#define LOOK_RANGE watch_range
#include "lib/memory/watch_hooks.h"

/* ------------------------------------------------------------------ functions */

HOOK(void, init, void)
{
}

#ifdef __EMSCRIPTEN__
/* A function has taken `bytes` bytes of its node's stack for its frame (tools/web/page/compile.js). */
PEAL_API void peal_wrap___tsan_frame(uintptr_t begin, size_t bytes);

void
peal_wrap___tsan_frame(uintptr_t begin, size_t bytes)
{
    if (watch_node())
        shadow_frame(begin, begin + bytes);
}
#else
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
#endif
