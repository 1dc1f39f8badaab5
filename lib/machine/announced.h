/* SPDX-License-Identifier: MIT */
/* Stacks as the sanitizers know them, which are notified of every switch.  Without one, nothing. */
#pragma once

#include "lib/machine/sanitize.h"
#include <stddef.h>

#if ADDRESS_SANITIZER
void __sanitizer_start_switch_fiber(void **save, const void *bottom, size_t bytes);
void __sanitizer_finish_switch_fiber(void *save, const void **bottom, size_t *bytes);
#endif
#if THREAD_SANITIZER
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
#endif

/* What they keep for a stack. */
struct announced_stack {
    void *fake; /* while another stack is in use */
    const void *bottom;
    size_t bytes;
    void *fiber;
};

/* A stack that no thread has; and its end. */
static inline struct announced_stack
announced_make(const void *bottom, size_t bytes)
{
    struct announced_stack stack = {.bottom = bottom, .bytes = bytes};

#if THREAD_SANITIZER
    stack.fiber = __tsan_create_fiber(0);
#endif
    return stack;
}

static inline void
announced_end(struct announced_stack *stack)
{
#if THREAD_SANITIZER
    if (stack->fiber)
        __tsan_destroy_fiber(stack->fiber);
#else
    (void)stack;
#endif
}

/* Before a jump.  from: NULL when nothing returns to it. */
static inline void
announced_leave(struct announced_stack *from, const struct announced_stack *to)
{
#if ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(from ? &from->fake : NULL, to->bottom, to->bytes);
#elif THREAD_SANITIZER
    if (from)
        from->fiber = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to->fiber, 0);
#else
    (void)from, (void)to;
#endif
}

/* After a jump.  to: NULL on a fresh stack.  from: a stack whose place is not known, NULL if it is. */
static inline void
announced_arrive(const struct announced_stack *to, struct announced_stack *from)
{
#if ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(to ? to->fake : NULL, from ? &from->bottom : NULL, from ? &from->bytes : NULL);
#else
    (void)to, (void)from;
#endif
}

/* Before the last jump from a stack: unmark all of it, since its frames are abandoned. */
static inline void
announced_abandon(const struct announced_stack *stack)
{
#if ADDRESS_SANITIZER
    enum { FRAME_BYTES = 1 << 10 }; /* more than the frame has that this is called in */
    const char *bottom = stack->bottom, *here = __builtin_frame_address(0);

    here -= (size_t)(here - bottom) < FRAME_BYTES ? (size_t)(here - bottom) : FRAME_BYTES; /* the part below it */
    __asan_unpoison_memory_region(here, (size_t)(bottom + stack->bytes - here));
#else
    (void)stack;
#endif
}
