/* SPDX-License-Identifier: MIT */
/* The stacks of a machine's nodes: one mapping, with a guard below each stack, and above it. */
#include "lib/machine/stacks.h"
#include "lib/machine/hooks.h"
#include "lib/machine/host.h"
#include <errno.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* A mapping is reused from machine to machine.  The last one freed is kept, trimmed to what a node of a small program
 * uses, until a machine comes that it does not fit or the process ends: a run of some rounds takes less time than
 * mapping its stacks.  No thread owns it and it holds no lock, so a child of fork may use its copy.  Stacks without
 * guards are not kept: a gap shows that nothing was written to it only as long as it is 0.
 *
 * Many guards at once, and the first pages of many stacks, take time in the kernel.  One call of process_madvise puts
 * many guards; pages are touched on several cores at once. */

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

enum {
    BATCH = 128,             /* ranges a call */
    KEPT_BYTES = 16 << 20,   /* of memory, at most, in the stacks that are kept */
    KEPT_STACK = 16 << 10,   /* of each, where all of them together could be more */
    HELPER_STACKS = 1 << 12, /* a separate thread touches at least this many */
    MAX_HELPERS = 7,
};

static const size_t kept_addresses = (size_t)1 << 30; /* at most, touched or not: a process may have a limit on these */

bool in_sandbox, stacks_execute;

int
stacks_rights(void)
{
    return PROT_READ | PROT_WRITE | (stacks_execute ? PROT_EXEC : 0);
}

/* Stacks, a stride apart, and the engine's memory after them. */
struct mapping {
    void *memory;
    size_t bytes, count, stride, guard;
};

enum { NONE, TAKEN, HELD };

static struct mapping kept; /* owned by the thread that changed `kept_state` to TAKEN; published by its store of HELD */
static _Atomic int kept_state;

/* ------------------------------------------------------------------ keeping */

static bool
take_kept(struct mapping *mapping)
{
    int held = HELD;

    if (!atomic_compare_exchange_strong(&kept_state, &held, TAKEN))
        return false;
    *mapping = kept;
    atomic_store(&kept_state, NONE);
    return true;
}

static bool
stacks_keep(const struct mapping *mapping)
{
    int none = NONE;

    if (!atomic_compare_exchange_strong(&kept_state, &none, TAKEN))
        return false;
    kept = *mapping;
    atomic_store(&kept_state, HELD);
    return true;
}

void
stacks_forget(void)
{
    struct mapping mapping;

    if (take_kept(&mapping))
        munmap(mapping.memory, mapping.bytes);
}

static bool
stacks_fit(const struct mapping *mapping, const struct peal_machine *machine)
{
    size_t nodes = stacks_count(machine), behind = machine->stacks.mapping_bytes - nodes * machine->stacks.stride;

    return mapping->stride == machine->stacks.stride && mapping->guard == machine->stacks.guard_bytes &&
           mapping->count >= nodes && mapping->bytes - mapping->count * mapping->stride >= behind;
}

/* ------------------------------------------------------------------ many ranges */

/* The ranges of `bytes` at `first`, a stride apart. */
struct ranges {
    char *first;
    size_t stride, bytes, count;
};

#ifdef SYS_pidfd_open
/* Advise as many of them as one call takes; 0 where the system lacks the call or refuses the advice. */
static size_t
advise_batch(int process, const struct ranges *ranges, size_t done, int advice)
{
#ifdef SYS_process_madvise
    struct iovec batch[BATCH];
    size_t count = 0;

    for (; count < BATCH && done + count < ranges->count; count++)
        batch[count] = (struct iovec){ranges->first + (done + count) * ranges->stride, ranges->bytes};
    long advised = syscall(SYS_process_madvise, process, batch, count, advice, 0);

    return advised > 0 ? (size_t)advised / ranges->bytes : 0;
#else
    (void)process, (void)ranges, (void)done, (void)advice;
    return 0;
#endif
}
#endif

/* Give all of them the advice.  False when one was refused. */
static bool
stacks_advise(const struct ranges *ranges, int advice)
{
    size_t done = 0;

    if (ranges->count > 0 && madvise(ranges->first, ranges->bytes, advice) != 0)
        return false;
#ifdef SYS_pidfd_open
    int process = in_sandbox || ranges->count < 4 ? -1 : (int)syscall(SYS_pidfd_open, getpid(), 0);

    if (process >= 0) {
        size_t more = 1;

        for (done = 1; done < ranges->count && more > 0; done += more)
            more = advise_batch(process, ranges, done, advice);
        close(process);
    }
#endif
    for (; done < ranges->count; done++)
        if (madvise(ranges->first + done * ranges->stride, ranges->bytes, advice) != 0)
            return false;
    return true;
}

bool
stack_guard_holds(const void *guard)
{
    /* The system reads the memory before it sees that there is no such way to change signals. */
    return syscall(SYS_rt_sigprocmask, -1, guard, NULL, sizeof(uint64_t)) != 0 && errno == EFAULT;
}

bool
stacks_guard(const struct peal_machine *machine, char *first)
{
    if (machine->stacks.kept)
        return true;
    struct ranges guards = {first, machine->stacks.stride, machine->stacks.guard_bytes, stacks_count(machine)};

    return stacks_advise(&guards, MADV_GUARD_INSTALL) && stack_guard_holds(first);
}

bool
peal_frame_ended(const struct peal_node *me, const void *address, const void *frame)
{
    const struct peal_machine *machine = me->node->machine;
    uintptr_t at = (uintptr_t)address;

    return machine->stacks.mapping && at < (uintptr_t)frame && at >= (uintptr_t)node_stack(machine, me->node->rank);
}

void
machine_stacks_apart(struct peal_machine *machine, bool apart)
{
    machine->stacks.apart = apart;
}

size_t
signal_stack_bytes(void)
{
    size_t least = getauxval(AT_MINSIGSTKSZ);

    return (least > 4096 ? least : 4096) + 32768; /* the unwinder's frames lie on it */
}

/* ------------------------------------------------------------------ touching */

/* One thread's part of the stacks. */
struct stacks_part {
    pthread_t thread;
    const struct peal_machine *machine;
    int begin, end;
};

static void *
stacks_touch_part(void *arg)
{
    const struct stacks_part *part = arg;
    size_t top = part->machine->stacks.stack_bytes - sizeof(uint64_t);

    for (int rank = part->begin; rank < part->end; rank++)
        *(volatile uint64_t *)(void *)(node_stack(part->machine, rank) + top) = 0;
    return NULL;
}

void
stacks_touch(const struct peal_machine *machine)
{
    struct stacks_part parts[MAX_HELPERS + 1];
    int nodes = machine->options.nodes, count = machine->phase.core_count, started = 1;

    if (count > MAX_HELPERS + 1)
        count = MAX_HELPERS + 1;
    if (count > nodes / HELPER_STACKS)
        count = nodes / HELPER_STACKS;
    if (machine->stacks.kept || machine->stacks.packed || count < 2)
        return;
    for (int i = 0; i < count; i++)
        parts[i] = (struct stacks_part){.machine = machine,
                                        .begin = (int)((int64_t)nodes * i / count),
                                        .end = (int)((int64_t)nodes * (i + 1) / count)};
    while (started < count && pthread_create(&parts[started].thread, NULL, stacks_touch_part, &parts[started]) == 0)
        started++;
    stacks_touch_part(&parts[0]);
    for (int i = 1; i < started; i++)
        pthread_join(parts[i].thread, NULL);
}

/* ------------------------------------------------------------------ mapping and freeing */

enum peal_status
stacks_map(struct peal_machine *machine, struct peal_error *error)
{
    struct mapping mapping;

    machine->stacks.kept = false;
    if (take_kept(&mapping)) {
        if (stacks_fit(&mapping, machine)) {
            machine->stacks.mapping = mapping.memory;
            machine->stacks.mapping_bytes = mapping.bytes;
            machine->stacks.count = mapping.count;
            machine->stacks.kept = true;
            return PEAL_OK;
        }
        munmap(mapping.memory, mapping.bytes);
    }
    machine->stacks.mapping = mmap(NULL, machine->stacks.mapping_bytes, stacks_rights(),
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (machine->stacks.mapping == MAP_FAILED) {
        machine->stacks.mapping = NULL;
        return peal_refuse(error, PEAL_RESOURCES, "no address space for %zu stacks of %zu KiB: use a smaller --stack",
                           stacks_count(machine), machine->stacks.stack_bytes / 1024);
    }
    machine->stacks.count = stacks_count(machine);
    return PEAL_OK;
}

/* Free the deep part of the stacks where all of them could hold more than is kept.  False: it is still too much. */
static bool
stacks_trim(const struct mapping *mapping, const struct peal_machine *machine)
{
    size_t count = mapping->count, stack = machine->stacks.stack_bytes;
    struct ranges deep = {node_stack(machine, 0), mapping->stride, stack - KEPT_STACK, count};

    if (mapping->bytes > kept_addresses)
        return false;
    if (stack <= KEPT_BYTES / count)
        return true;
    return stack > KEPT_STACK && count <= KEPT_BYTES / KEPT_STACK && stacks_advise(&deep, MADV_DONTNEED);
}

void
stacks_give_back(struct peal_machine *machine)
{
    struct mapping mapping = {machine->stacks.mapping, machine->stacks.mapping_bytes, machine->stacks.count,
                              machine->stacks.stride, machine->stacks.guard_bytes};

    if (machine->stacks.mapping &&
        !(machine->stacks.guarded && stacks_trim(&mapping, machine) && stacks_keep(&mapping)))
        munmap(machine->stacks.mapping, machine->stacks.mapping_bytes);
    machine->stacks.mapping = NULL;
    machine->stacks.guarded = false;
}

void
node_look_at_canary(struct node *node)
{
    const volatile uint64_t *low = (const volatile uint64_t *)(const void *)node_stack(node->machine, node->rank);
    uint64_t written = 0;

    for (size_t i = 0; i < STACK_CANARY / sizeof *low; i++) /* a frame may leave out a word or two */
        written |= low[i];
    if (written)
        crash_hooks->overflowed(node);
}
