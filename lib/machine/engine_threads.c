/* SPDX-License-Identifier: MIT */
/* The threads engine: every node is a POSIX thread, and its carrier's baton goes from thread to thread. */
#include "lib/base/clock.h"
#include "lib/machine/carrier.h"
#include "lib/machine/engine.h"
#include "lib/machine/futex.h"
#include "lib/machine/hooks.h"
#include "lib/machine/host.h"
#include "lib/machine/stacks.h"
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>

/* node->wake is ASLEEP while its thread sleeps or is about to, SIGNALLED once it may run, IDLE otherwise.  A thread
 * passes the baton on by signalling the next one's word (release: all it wrote) and then sleeps on its own (acquire:
 * all that the giver wrote).  The threads of a carrier are pinned to its core: there a hand-over takes 1 µs, across
 * cores 20 to 50. */

enum { IDLE, SIGNALLED, ASLEEP };

enum {
    SPIN_NANOSECONDS = 50 * 1000, /* the most that waking an idle core may cost */
    STACK_BYTES = 8 << 20,        /* address space; pages come as they are touched */
    GUARD_BYTES = 1 << 16,        /* below each stack, and above it, of no access */
    CALLER_BYTES = 1 << 16,       /* for the frames above, besides the thread-locals */
};

struct thread {
    pthread_t id;
    int core;           /* the core it is pinned to; -1: free */
    _Atomic pid_t task; /* the kernel's number; 0: it has not begun */
};

/* ------------------------------------------------------------------ the baton */

static void
move_to(struct node *node, int core)
{
    struct thread *thread = node->context;
    cpu_set_t set;

    if (thread->core == core)
        return;
    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    pthread_setaffinity_np(thread->id, sizeof set, &set); /* if refused, it runs where it can */
    thread->core = core;
}

static void
signal_node(struct node *node)
{
    if (node->carrier->core >= 0)
        move_to(node, node->carrier->core);
    if (atomic_exchange(&node->wake, SIGNALLED) == ASLEEP)
        futex_wake(&node->wake, 1);
}

/* Keep the core awake while the other carriers are still at work. */
static void
threads_spin(struct node *node)
{
    int64_t until = nanoseconds_now() + SPIN_NANOSECONDS;
    uint64_t phase = atomic_load_explicit(&node->machine->phase.number, memory_order_relaxed);

    while (atomic_load_explicit(&node->wake, memory_order_relaxed) != SIGNALLED &&
           atomic_load_explicit(&node->machine->phase.number, memory_order_relaxed) == phase &&
           nanoseconds_now() < until)
        sched_yield();
}

static void
sleep_until_signalled(struct node *node)
{
    uint32_t seen = IDLE;

    if (atomic_compare_exchange_strong(&node->wake, &seen, ASLEEP))
        while (atomic_load(&node->wake) == ASLEEP)
            futex_wait(&node->wake, ASLEEP, 0);
    atomic_store(&node->wake, IDLE);
}

static void
threads_start(struct carrier *carrier, struct node *node)
{
    (void)carrier;
    signal_node(node);
}

static void
threads_yield(struct node *node, struct node *next)
{
    if (next)
        signal_node(next);
    else if (node->machine->phase.core_count > 1 && !node->machine->options.wake_all)
        threads_spin(node);
    sleep_until_signalled(node);
}

static void
threads_leave(struct node *node, struct node *next)
{
    (void)node;
    if (next)
        signal_node(next);
}

/* ------------------------------------------------------------------ threads and their stacks */

/* Where the node's stack ends, and the guard above it begins. */
static char *
stack_end(const struct peal_machine *machine, int rank)
{
    return node_stack(machine, rank) + machine->stacks.stack_bytes;
}

static size_t
threads_whole_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (bytes + page - 1) / page * page;
}

static int
add_locals(struct dl_phdr_info *module, size_t bytes, void *arg)
{
    (void)bytes;
    for (int i = 0; i < module->dlpi_phnum; i++)
        if (module->dlpi_phdr[i].p_type == PT_TLS)
            *(size_t *)arg += module->dlpi_phdr[i].p_memsz + module->dlpi_phdr[i].p_align;
    return 0;
}

/* What a thread has above the guard: its thread-locals, at most those of all modules, and the frames up to
 * node_main. */
static size_t
caller_bytes(void)
{
    static size_t bytes; /* the same for all machines: mappings are reused */

    if (bytes == 0) {
        size_t locals = 0;

        dl_iterate_phdr(add_locals, &locals);
        bytes = threads_whole_pages(locals + CALLER_BYTES);
    }
    return bytes;
}

/* Run the program below the guard.  What is allocated here is not touched: it moves the stack pointer. */
static __attribute__((noinline)) void
call_program(struct node *node)
{
    char *here = __builtin_frame_address(0);
    void *moved = __builtin_alloca((size_t)(here - stack_end(node->machine, node->rank)));

    __asm__ volatile("" ::"r"(moved) : "memory");
    node->machine->program(&node->world, node->machine->arg);
    __asm__ volatile("" ::"r"(moved) : "memory");
}

static void *
thread_main(void *arg)
{
    struct node *node = arg;
    size_t bytes = signal_stack_bytes();
    stack_t stack = {.ss_sp = stack_end(node->machine, node->rank) + GUARD_BYTES + caller_bytes(), .ss_size = bytes};

    self = node;
    atomic_store(&((struct thread *)node->context)->task, gettid());
    sigaltstack(&stack, NULL);
    sleep_until_signalled(node);
    if (node->state != NODE_FAILED) /* otherwise the machine could not be made */
        node_main(node);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, NULL);
    atomic_store(&((struct thread *)node->context)->task, 0);
    return NULL; /* still the node's thread: the C library may find the heap damaged */
}

/* Name the nearest limit on threads, and the remedy. */
static enum peal_status
say_limit(const struct peal_machine *machine, int started, struct peal_error *error)
{
    const char *name;
    long least = peal_threads_allowed(&name);

    return peal_refuse(
        error, PEAL_RESOURCES,
        "the system allowed %d of %d threads; the nearest limit is %s (%ld): raise it, use fewer nodes, or the "
        "engine fibers",
        started, machine->options.nodes, name, least);
}

/* Put guards above the stacks, as far as the system allows them: the machine also runs without. */
static void
guard_ends(const struct peal_machine *machine)
{
    enum { MAPS_PART = 8 };
    long maps = maps_allowed();

    if (stacks_guard(machine, stack_end(machine, 0)) || (maps > 0 && machine->options.nodes > maps / MAPS_PART))
        return;
    for (int rank = 0; rank < machine->options.nodes; rank++)
        mprotect(stack_end(machine, rank), GUARD_BYTES, PROT_NONE);
}

/* One mapping holds, for each node: guard, stack, guard, what its thread has above it, alternate stack. */
static enum peal_status
threads_map_stacks(struct peal_machine *machine, struct peal_error *error)
{
    size_t nodes = (size_t)machine->options.nodes;
    size_t stack = machine->options.stack_bytes ? machine->options.stack_bytes : STACK_BYTES;

    if (stack < 64 * 1024)
        stack = 64 * 1024;
    machine->stacks.stack_bytes = threads_whole_pages(stack);
    machine->stacks.guard_bytes = GUARD_BYTES;
    machine->stacks.stride =
        2 * GUARD_BYTES + machine->stacks.stack_bytes + caller_bytes() + threads_whole_pages(signal_stack_bytes());
    if (__builtin_mul_overflow(machine->stacks.stride, nodes, &machine->stacks.mapping_bytes))
        machine->stacks.mapping_bytes = SIZE_MAX;
    enum peal_status status = stacks_map(machine, error);

    if (status != PEAL_OK)
        return status;
    for (size_t rank = 0; rank < nodes && !machine->stacks.kept; rank++)
        if (mprotect((char *)machine->stacks.mapping + rank * machine->stacks.stride, GUARD_BYTES, PROT_NONE) != 0)
            return peal_refuse(
                error, PEAL_RESOURCES,
                "the system allowed guard pages for %zu of %zu stacks; the limit is vm.max_map_count (%ld): "
                "raise it, use fewer nodes, or the engine fibers",
                rank, nodes, maps_allowed());
    guard_ends(machine);
    machine->stacks.guarded = true;
    return PEAL_OK;
}

/* Whether the thread ends within a second. */
static bool
thread_try_join(pthread_t thread)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    return pthread_timedjoin_np(thread, NULL, &until) != ETIMEDOUT;
}

/* Wait for a thread that has nothing left to do.  The C library then frees what it keeps of the heap for the thread,
 * and may do so for ever where the program has damaged the heap.  Time in which other processes have the processors
 * does not count. */
static void
thread_join(struct peal_machine *machine, int rank, pthread_t thread)
{
    const int64_t second = 1000000000;

    if (thread_try_join(thread))
        return;
    struct time_spent spent = peal_spent_begin(0);

    while (!thread_try_join(thread))
        if (peal_spent_look(&spent, second, false) >= 10 * second)
            crash_hooks->lose(&machine->nodes[rank], NODE_STAYS);
}

static void
threads_destroy(struct peal_machine *machine)
{
    struct thread *threads = machine->engine_data;

    for (int i = 0; i < machine->contexts_made; i++)
        thread_join(machine, i, threads[i].id);
    machine->contexts_made = 0;
    stacks_give_back(machine);
    free(threads);
    machine->engine_data = NULL;
}

/* Let the threads that were made end without having run. */
static void
send_home(struct peal_machine *machine)
{
    for (int i = 0; i < machine->contexts_made; i++) {
        struct node *node = &machine->nodes[i];

        node->state = NODE_FAILED;
        if (atomic_exchange(&node->wake, SIGNALLED) == ASLEEP)
            futex_wake(&node->wake, 1);
    }
}

/* Let the threads that the caller makes begin on this core, where they are pinned: a thread inherits its cores from its
 * maker, and pinning each one separately takes longer than making it.  False: the caller stays where it is, and `own`
 * (otherwise its cores) holds nothing to restore. */
static bool
go_to_core(int core, cpu_set_t *own)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    if (core < 0 || sched_getaffinity(0, sizeof *own, own) != 0)
        return false;
    CPU_SET((size_t)core, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

static enum peal_status
threads_create(struct peal_machine *machine, struct peal_error *error)
{
    pthread_attr_t attributes;
    enum peal_status status = threads_map_stacks(machine, error);
    struct thread *threads = calloc((size_t)machine->options.nodes, sizeof *threads);

    machine->engine_data = threads;
    if (status == PEAL_OK && !threads)
        status = peal_refuse(error, PEAL_RESOURCES, "no memory for %d threads", machine->options.nodes);
    if (status != PEAL_OK) {
        threads_destroy(machine);
        return status;
    }
    int core = machine->phase.carriers[0].core;
    cpu_set_t own;
    bool moved = go_to_core(core, &own);

    pthread_attr_init(&attributes);
    for (int rank = 0; rank < machine->options.nodes; rank++) {
        struct node *node = &machine->nodes[rank];
        struct thread *thread = &threads[rank];

        thread->core = core;
        node->context = thread;
        atomic_store(&node->wake, IDLE);
        pthread_attr_setstack(&attributes, node_stack(machine, rank),
                              machine->stacks.stack_bytes + GUARD_BYTES + caller_bytes());
        if (pthread_create(&thread->id, &attributes, thread_main, node) != 0) {
            status = say_limit(machine, rank, error);
            break;
        }
        machine->contexts_made++;
    }
    pthread_attr_destroy(&attributes);
    if (moved)
        sched_setaffinity(0, sizeof own, &own);
    if (status != PEAL_OK) {
        send_home(machine);
        threads_destroy(machine);
    }
    return status;
}

/* Interrupt the node that still computes. */
static void
threads_interrupt(const struct carrier *carrier, const struct node *node)
{
    (void)carrier;
    pthread_kill(((struct thread *)node->context)->id, SIGNAL_STOP);
}

static pid_t
threads_task(const struct carrier *carrier, const struct node *node)
{
    (void)carrier;
    return atomic_load(&((struct thread *)node->context)->task);
}

const struct engine engine_threads = {
    .name = "threads",
    .moves_nodes = true,
    .create = threads_create,
    .start = threads_start,
    .yield = threads_yield,
    .leave = threads_leave,
    .call_program = call_program,
    .interrupt = threads_interrupt,
    .task = threads_task,
    .destroy = threads_destroy,
};
