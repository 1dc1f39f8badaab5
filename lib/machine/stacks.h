/* SPDX-License-Identifier: MIT */
/* The nodes' stacks. */
#pragma once

#include "lib/machine/machine.h"

/* Below a stack, of no access: what compilers assume that probe large frames, more on arm64. */
#if defined __aarch64__
enum { STACK_GUARD = 64 << 10 };
#else
enum { STACK_GUARD = 16 << 10 };
#endif

/* The lowest byte of a node's stack. */
static inline char *
node_stack(const struct peal_machine *machine, int32_t rank)
{
    size_t before = machine->stacks.packed ? 0 : (size_t)rank;

    return (char *)machine->stacks.mapping + before * machine->stacks.stride + machine->stacks.guard_bytes;
}

/* How many stacks the nodes need. */
static inline size_t
stacks_count(const struct peal_machine *machine)
{
    return machine->stacks.packed ? 1 : (size_t)machine->options.nodes;
}

/* The lowest bytes of a stack without a guard: 0, unless it has overflowed. */
enum { STACK_CANARY = 64 };
/* Report the node, which is about to park, if its stack has overflowed. */
void node_look_at_canary(struct node *node);

/* Map the stacks: nodes · stride bytes and the rest of mapping_bytes, all set; in a mapping that was kept (kept) each
 * has its guard.  errors: PEAL_RESOURCES */
enum peal_status stacks_map(struct peal_machine *machine, struct peal_error *error);
/* Put a guard that takes no memory map at `first`, and at the same place of each other node; false where the kernel has
 * no such guards. */
bool stacks_guard(const struct peal_machine *machine, char *first);
/* Whether such a guard is of no access: an emulator (qemu) accepts the request and does nothing. */
bool stack_guard_holds(const void *guard);
/* Touch the first page of each if there are enough for several cores to do it faster than the nodes themselves. */
void stacks_touch(const struct peal_machine *machine);
/* No thread runs on them now. */
void stacks_give_back(struct peal_machine *machine);
/* PROT_READ and PROT_WRITE, with PROT_EXEC once a program was loaded that puts code on its stack: the trampolines of
 * nested functions and internal procedures that are passed as arguments. */
int stacks_rights(void);
extern bool stacks_execute;
/* Unmap the mapping that is kept for the next machine. */
void stacks_forget(void);
/* The size of a stack for handlers of signals. */
size_t signal_stack_bytes(void);
/* Whether this process is in the sandbox, where process_madvise would end it; set once, when it enters. */
extern bool in_sandbox;
