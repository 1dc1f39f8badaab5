/* SPDX-License-Identifier: MIT */
/* The stacks of strands: mappings with a guard below, kept for the node's next strand. */
#include "lib/machine/host.h"
#include "lib/machine/stacks.h"
#include "lib/machine/strand.h"
#include <sys/mman.h>

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

enum { LAST_PAGE = 4096, MAPS_PART = 4 };

/* This header lies at the upper end of the mapping. */
struct strand_stack {
    struct strand_stack *next; /* of the node's spare ones */
    char *mapping;             /* the guard, then the stack */
    size_t bytes;              /* of the mapping */
};

/* The guards of mprotect in this process: each takes memory maps, which the system limits. */
static _Atomic long guards;

/* Put a guard below the stack.  Where the system allows no more of them there is only a gap. */
static void
guard(char *mapping)
{
    static _Atomic long most;

    if (madvise(mapping, STACK_GUARD, MADV_GUARD_INSTALL) == 0 && stack_guard_holds(mapping))
        return;
    if (atomic_load(&most) == 0)
        atomic_store(&most, maps_allowed() > 0 ? maps_allowed() / MAPS_PART / 2 : 1);
    if (atomic_fetch_add(&guards, 1) >= atomic_load(&most) || mprotect(mapping, STACK_GUARD, PROT_NONE) != 0)
        atomic_fetch_sub(&guards, 1);
}

static void
unpoison(const struct strand_stack *stack)
{
#if ADDRESS_SANITIZER
    __asan_unpoison_memory_region(stack->mapping + STACK_GUARD, stack->bytes - STACK_GUARD - sizeof *stack);
#else
    (void)stack;
#endif
}

struct strand_stack *
strand_stack_take(struct strand_stack **spare, size_t bytes)
{
    struct strand_stack *stack = *spare;

    if (stack) {
        *spare = stack->next;
        unpoison(stack);
        return stack;
    }
    bytes += STACK_GUARD;
    char *mapping = mmap(NULL, bytes, stacks_rights(), MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

    if (mapping == MAP_FAILED)
        return NULL;
    guard(mapping);
    stack = (struct strand_stack *)(void *)(mapping + bytes - sizeof *stack);
    *stack = (struct strand_stack){.mapping = mapping, .bytes = bytes};
    return stack;
}

void
strand_stack_give(struct strand_stack **spare, struct strand_stack *stack)
{
    stack->next = *spare;
    *spare = stack;
}

void
strand_stacks_free(struct strand_stack **spare)
{
    for (struct strand_stack *stack; (stack = *spare);) {
        *spare = stack->next;
        unpoison(stack);
        munmap(stack->mapping, stack->bytes);
    }
}

char *
strand_stack_bottom(struct strand_stack *stack, size_t *bytes)
{
    char *bottom = stack->mapping + STACK_GUARD;

    *bytes = (size_t)((char *)stack - bottom) / 64 * 64;
    return bottom;
}

bool
strand_stack_overflowed(const struct strand_stack *stack, const char *address)
{
    return address >= stack->mapping && address < stack->mapping + STACK_GUARD + LAST_PAGE;
}
