/* SPDX-License-Identifier: MIT */
/* The fibers engine: every node is a stack, and a carrier's thread jumps from one to the next.
 *
 * A carrier has one thread, its home.  From there it jumps to the first node of its list, and nodes jump to one
 * another.  The last node of the list jumps home, where the round is made: that stack has room for it, so a node's own
 * needs one page, or less (packing, below).  A carrier without a list sleeps at home. */
#include "lib/base/clock.h"
#include "lib/machine/announced.h"
#include "lib/machine/carrier.h"
#include "lib/machine/engine.h"
#include "lib/machine/failure.h"
#include "lib/machine/fcontext.h"
#include "lib/machine/futex.h"
#include "lib/machine/host.h"
#include "lib/machine/packing.h"
#include "lib/machine/park.h"
#include "lib/machine/room.h"
#include "lib/machine/stacks.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

/* A context is where a jump continues: it is good for one jump.  The jumping side passes the place where its own
 * context is to be kept; the destination stores it there.  A node stays on its carrier for life, so that thread-local
 * data stay the same for it: begin_phase gives node r to carrier r · carriers / P, always.
 *
 * Stacks lie in one mapping and are never touched before their nodes run.  Below each is a guard of no access, where
 * the kernel has guards that need no map of their own (MADV_GUARD_INSTALL, Linux 6.13), or as long as the maps of so
 * many nodes are a small part of a process's limit.  Otherwise a gap that nothing writes to lies there, and the lowest
 * line of each stack is checked whenever its node parks: both are 0 unless the stack has overflowed.  What a node
 * writes beyond the upper end of its stack meets the next one's guard, or that above the last stack. */

enum { IDLE, SIGNALLED, ASLEEP };

enum {
    SPIN_NANOSECONDS = 50 * 1000, /* the most that waking an idle core may cost */
    STACK_BYTES = 64 << 10,
    MIN_STACK_BYTES = 16 << 10,
    MAPS_PART = 4, /* guards may take this part of the memory maps that a process may have */
    LINE = 64,
    COLORS =
        16, /* stacks begin this many lines apart in their pages, else all their ends share a few sets of the cache */
};

/* A carrier's thread. */
struct home {
    pthread_t thread;
    _Atomic pid_t task; /* the kernel's number of it; 0: it has not begun */
    struct carrier *carrier;
    fcontext_t context;  /* while a node runs */
    struct node *first;  /* of the list it is started with; NULL: the run is over.  Published by `wake` */
    struct node *parked; /* where stacks are packed: who has jumped home, NULL when it has left; and who is next */
    struct node *next;
    _Atomic uint32_t wake; /* as in engine_threads.c */
    struct announced_stack shadow;
};

struct fibers {
    struct announced_stack *shadows; /* one per node, in a build with a sanitizer; else NULL */
    struct packing *packing;         /* where all nodes run on one stack; else NULL */
    struct home home[];              /* one per carrier */
};

static struct fibers *
fibers_of(const struct node *node)
{
    return node->machine->engine_data;
}

static struct home *
home_of(const struct carrier *carrier)
{
    return &((struct fibers *)carrier->machine->engine_data)->home[carrier->index];
}

/* ------------------------------------------------------------------ for the sanitizers */

static struct announced_stack *
shadow_of(const struct node *node)
{
    return fibers_of(node)->shadows ? &fibers_of(node)->shadows[node->rank] : NULL;
}

/* ------------------------------------------------------------------ exceptions of C++ */

/* What a thread is handling, as the C++ ABI for Itanium has it (2.2.2); the library gives its place. */
struct exceptions {
    void *caught;
    unsigned uncaught;
};

void *(*engine_exceptions)(void);

/* Take the node's away from its thread, before another node runs there. */
static inline struct exceptions
take_exceptions(void)
{
    struct exceptions mine = {NULL, 0}, *place = engine_exceptions ? engine_exceptions() : NULL;

    if (place) {
        mine = *place;
        *place = (struct exceptions){NULL, 0};
    }
    return mine;
}

static inline void
give_exceptions(struct exceptions mine)
{
    if (engine_exceptions)
        *(struct exceptions *)engine_exceptions() = mine;
}

/* ------------------------------------------------------------------ jumping */

static void
fiber_arrive(struct transfer came)
{
    *(fcontext_t *)came.data = came.context;
}

static void
fiber_entry(struct transfer came)
{
    fiber_arrive(came);
    announced_arrive(NULL, NULL);
    node_main(self);
    abort(); /* not reached: node_main leaves */
}

static void *
stack_top(const struct node *node)
{
    size_t color = node->machine->stacks.packed ? 0 : (size_t)(node->rank % COLORS) * LINE;

    return node_stack(node->machine, node->rank) + node->machine->stacks.stack_bytes - color;
}

/* A context that begins there, at the upper end of the node's stack. */
static fcontext_t
fresh_context(const struct node *node, void (*begin)(struct transfer))
{
    char *top = stack_top(node);

    return make_fcontext(top, (size_t)(top - node_stack(node->machine, node->rank)), begin);
}

static fcontext_t
context_of(struct node *node)
{
    if (!node->context)
        node->context = fresh_context(node, fiber_entry);
    return node->context;
}

static void
fiber_end_entry(struct transfer came)
{
    node_end(self, (enum node_exit)(uintptr_t)came.data);
    abort(); /* not reached: node_end leaves */
}

/* The frame of node_main, at the upper end of the stack, may be overwritten: all frames are abandoned. */
static void
restart(struct node *node, enum node_exit way)
{
#if ADDRESS_SANITIZER
    __asan_unpoison_memory_region(node_stack(node->machine, node->rank), node->machine->stacks.stack_bytes);
#endif
    jump_fcontext(fresh_context(node, fiber_end_entry), (void *)(uintptr_t)way);
}

/* Jump from *mine, where our context is kept, to that context, of the node (NULL: home); return when a jump to *mine
 * comes. */
static inline void
fiber_jump(fcontext_t *mine, fcontext_t to, struct node *node)
{
    self = node;
    fiber_arrive(jump_fcontext(to, mine));
}

/* ------------------------------------------------------------------ packing */

/* The node has parked on the stack that all take turns on. */
static void
stack_pack(struct node *node)
{
    const uint64_t *top = stack_top(node);

    if (packing_keep(fibers_of(node)->packing, node->rank, node->context, top))
        return;
    failure_set(node->machine, node->rank, PEAL_OUT_OF_MEMORY, node->file, node->line,
                "no memory for the stack of a node that waits");
    node->clearing = true;
    node_clear(node);
    node_set_state(node, NODE_FAILED);
}

/* Jump home, which goes to the next node.  parked: this one, NULL when it leaves. */
static void
jump_home(struct node *node, struct node *parked, struct node *next)
{
    struct home *home = home_of(node->carrier);

    home->parked = parked;
    home->next = next;
    fiber_jump(&node->context, home->context, NULL);
}

/* ------------------------------------------------------------------ parking and leaving */

static void
fibers_yield(struct node *node, struct node *next)
{
    const int number = errno; /* which the nodes of a carrier would share otherwise */
    const struct exceptions mine = take_exceptions();

    if (node->machine->stacks.unguarded)
        node_look_at_canary(node);
    if (__builtin_expect(node->machine->stacks.packed, 0)) {
        jump_home(node, node, next);
    } else {
        announced_leave(shadow_of(node), next ? shadow_of(next) : &home_of(node->carrier)->shadow);
        fiber_jump(&node->context, next ? context_of(next) : home_of(node->carrier)->context, next);
        announced_arrive(shadow_of(node), NULL);
    }
    errno = number;
    give_exceptions(mine);
}

static void
fibers_leave(struct node *node, struct node *next)
{
    if (node->machine->stacks.unguarded)
        node_look_at_canary(node);
    take_exceptions();
    if (node->machine->stacks.packed) {
        packing_forget(fibers_of(node)->packing, node->rank);
        jump_home(node, NULL, next);
    }
    announced_abandon(shadow_of(node));
    announced_leave(NULL, next ? shadow_of(next) : &home_of(node->carrier)->shadow);
    fiber_jump(&node->context, next ? context_of(next) : home_of(node->carrier)->context, next);
}

/* ------------------------------------------------------------------ at home */

/* Keep the core awake while the other carriers are still at work. */
static void
fibers_spin(struct home *home, const struct peal_machine *machine)
{
    int64_t until = nanoseconds_now() + SPIN_NANOSECONDS;

    while (atomic_load_explicit(&home->wake, memory_order_relaxed) != SIGNALLED && nanoseconds_now() < until)
        if (atomic_load_explicit(&machine->phase.running, memory_order_relaxed) == 0)
            break;
        else
            sched_yield();
}

static struct node *
sleep_until_started(struct home *home)
{
    const struct peal_machine *machine = home->carrier->machine;
    uint32_t seen = IDLE;

    if (machine->phase.carrier_count > 1 && machine->phase.core_count > 1)
        fibers_spin(home, machine);
    if (atomic_compare_exchange_strong(&home->wake, &seen, ASLEEP))
        while (atomic_load(&home->wake) == ASLEEP)
            futex_wait(&home->wake, ASLEEP, 0);
    atomic_store(&home->wake, IDLE);
    return home->first;
}

static void
signal_home(struct home *home, struct node *first)
{
    home->first = first;
    if (atomic_exchange(&home->wake, SIGNALLED) == ASLEEP)
        futex_wake(&home->wake, 1);
}

static void
fibers_start(struct carrier *carrier, struct node *node)
{
    signal_home(&((struct fibers *)carrier->machine->engine_data)->home[carrier->index], node);
}

static void
note_shadow(struct home *home)
{
#if ADDRESS_SANITIZER
    static _Thread_local struct announced_stack own; /* of the main thread's stack the C library reads all maps */
    pthread_attr_t attributes;
    void *bottom;

    if (!own.bottom && pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &bottom, &own.bytes);
        own.bottom = bottom;
        pthread_attr_destroy(&attributes);
    }
    home->shadow = own;
#else
    (void)home;
#endif
}

/* The carrier's alternate stack, for signals: after the last node's stack. */
static stack_t
signal_stack(const struct home *home)
{
    const struct peal_machine *machine = home->carrier->machine;
    stack_t stack = {.ss_size = signal_stack_bytes()};

    stack.ss_sp = (char *)machine->stacks.mapping + machine->stacks.mapping_bytes -
                  (size_t)(machine->phase.carrier_count - home->carrier->index) * stack.ss_size;
    return stack;
}

/* Run the carrier's lists, from this node on, until it is at rest, each node on the one stack. */
static void
run_packed(struct home *home, struct node *next)
{
    for (; next; next = home->next ? home->next : carrier_end(home->carrier)) {
        if (next->context)
            packing_restore(fibers_of(next)->packing, next->rank, next->context, stack_top(next));
        fiber_jump(&home->context, context_of(next), next);
        if (home->parked)
            stack_pack(home->parked);
    }
}

/* Run the carrier's lists, from this node on, until it is at rest. */
static void
run_from(struct home *home, struct node *next)
{
    if (home->carrier->machine->stacks.packed) {
        run_packed(home, next);
        return;
    }
    for (; next; next = carrier_end(home->carrier)) {
        announced_leave(&home->shadow, shadow_of(next));
        fiber_jump(&home->context, context_of(next), next);
        announced_arrive(&home->shadow, NULL);
    }
}

static void *
home_main(void *arg)
{
    struct home *home = arg;
    stack_t stack = signal_stack(home);

    atomic_store(&home->task, gettid());
    sigaltstack(&stack, NULL);
    note_shadow(home);
    for (struct node *next; (next = sleep_until_started(home));)
        run_from(home, next);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, NULL);
    atomic_store(&home->task, 0);
    return NULL;
}

/* The only carrier's home is the caller's thread.  The first list is started, with no sleeping thread to wake. */
static void
fibers_run_here(struct peal_machine *machine)
{
    struct home *home = &((struct fibers *)machine->engine_data)->home[0];
    stack_t stack = signal_stack(home), before;

    home->thread = pthread_self();
    if (!home->shadow.bottom)
        note_shadow(home);
    sigaltstack(&stack, &before);
    machine_begin(machine);
    run_from(home, sleep_until_started(home));
    sigaltstack(&before, NULL);
}

/* ------------------------------------------------------------------ making and freeing */

/* After a run: where nodes were abandoned in the middle of their calls, unmark their stacks for a sanitizer. */
static void
unmark_stacks(const struct peal_machine *machine)
{
#if ADDRESS_SANITIZER
    if (machine->reports.failure.status != PEAL_OK && machine->stacks.mapping)
        __asan_unpoison_memory_region(machine->stacks.mapping, machine->stacks.mapping_bytes);
#else
    (void)machine;
#endif
}

static void
fibers_destroy(struct peal_machine *machine)
{
    struct fibers *fibers = machine->engine_data;

    for (int i = 0; i < machine->contexts_made; i++)
        signal_home(&fibers->home[i], NULL);
    for (int i = 0; i < machine->contexts_made; i++)
        pthread_join(fibers->home[i].thread, NULL);
    machine->contexts_made = 0;
    unmark_stacks(machine);
    stacks_give_back(machine);
    for (int rank = 0; fibers && fibers->shadows && rank < machine->options.nodes; rank++)
        announced_end(&fibers->shadows[rank]);
    if (fibers) {
        packing_free(fibers->packing);
        free(fibers->shadows);
    }
    free(fibers);
    machine->engine_data = NULL;
}

/* Put a guard below each stack.  Returns false when that is impossible: then only the lowest stack has one, so that no
 * overflow leaves the mapping. */
static bool
install_guards(const struct peal_machine *machine)
{
    char *stacks = machine->stacks.mapping;
    size_t nodes = stacks_count(machine), stride = machine->stacks.stride, guard = machine->stacks.guard_bytes;
    size_t done;

    if (!machine->stacks.kept)
        mprotect(stacks + nodes * stride, guard, PROT_NONE);
    if (stacks_guard(machine, stacks))
        return true;
    long maps = maps_allowed();
    size_t most = maps > 0 ? (size_t)maps / MAPS_PART / 2 : 0; /* two maps a stack: it and its guard */

    for (done = 0; done < (nodes <= most ? nodes : 1) && mprotect(stacks + done * stride, guard, PROT_NONE) == 0;)
        done++;
    if (done == nodes)
        return true;
    mprotect(stacks + guard, nodes * stride - guard, stacks_rights());
    return false;
}

/* One mapping holds a guard and a stack for each node, then a guard, and an alternate stack for each carrier. */
static enum peal_status
fibers_map_stacks(struct peal_machine *machine, struct peal_error *error)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes, behind;
    size_t stack = machine->options.stack_bytes ? machine->options.stack_bytes : STACK_BYTES;

    if (stack < MIN_STACK_BYTES)
        stack = MIN_STACK_BYTES;
    machine->stacks.stack_bytes = stack > SIZE_MAX - page ? SIZE_MAX / page * page : (stack + page - 1) / page * page;
    machine->stacks.guard_bytes = (STACK_GUARD + page - 1) / page * page;
    behind = machine->stacks.guard_bytes + (size_t)machine->phase.carrier_count * signal_stack_bytes();
    if (__builtin_add_overflow(machine->stacks.stack_bytes, machine->stacks.guard_bytes, &machine->stacks.stride) ||
        __builtin_mul_overflow(machine->stacks.stride, stacks_count(machine), &bytes) ||
        __builtin_add_overflow(bytes, behind, &machine->stacks.mapping_bytes))
        machine->stacks.mapping_bytes = SIZE_MAX;
    enum peal_status status = stacks_map(machine, error);

    if (status == PEAL_OK) {
        if (!machine->stacks.kept)
            madvise(machine->stacks.mapping, machine->stacks.mapping_bytes,
                    MADV_NOHUGEPAGE); /* refused where there are none */
        machine->stacks.guarded = install_guards(machine);
        machine->stacks.unguarded = !machine->stacks.guarded;
    }
    return status;
}

/* The sanitizers' records of the stacks. */
static enum peal_status
make_shadows(struct peal_machine *machine, struct peal_error *error)
{
    if (!ADDRESS_SANITIZER && !THREAD_SANITIZER)
        return PEAL_OK;
    struct fibers *fibers = machine->engine_data;

    fibers->shadows = calloc((size_t)machine->options.nodes, sizeof *fibers->shadows);
    if (!fibers->shadows)
        return peal_refuse(error, PEAL_RESOURCES, "no memory for %d fibers", machine->options.nodes);
    for (int rank = 0; rank < machine->options.nodes; rank++)
        fibers->shadows[rank] = announced_make(node_stack(machine, rank), machine->stacks.stack_bytes);
    return PEAL_OK;
}

static enum peal_status
start_home(struct home *home, struct carrier *carrier, struct peal_error *error)
{
    const struct peal_machine *machine = carrier->machine;
    pthread_attr_t attributes;
    cpu_set_t set;

    home->carrier = carrier;
    pthread_attr_init(&attributes);
    if (machine->phase.carrier_count > 1) { /* the system places a single carrier best */
        CPU_ZERO(&set);
        CPU_SET((size_t)carrier->core, &set);
        pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
    }
    int refused = pthread_create(&home->thread, &attributes, home_main, home);

    pthread_attr_destroy(&attributes);
    if (refused)
        return peal_refuse(error, PEAL_RESOURCES, "the system allowed %d of %d threads: use fewer --carriers",
                           carrier->index, machine->phase.carrier_count);
    return PEAL_OK;
}

/* Where stacks might have been packed, but are not in this run, the machine was made with less in view. */
static enum peal_status
fibers_find_room(const struct peal_machine *machine, struct peal_error *error)
{
    if (machine->stacks.packed || in_sandbox || !room_packs(&machine->options, "fibers"))
        return PEAL_OK;
    return room_for_machine(&machine->options, "fibers", false, true, error);
}

static enum peal_status
fibers_create(struct peal_machine *machine, struct peal_error *error)
{
    size_t homes = (size_t)machine->phase.carrier_count;
    struct fibers *fibers = calloc(1, sizeof *fibers + homes * sizeof *fibers->home);
    enum peal_status status;

    if (!fibers)
        return peal_refuse(error, PEAL_RESOURCES, "no memory for %d carriers", machine->phase.carrier_count);
    machine->engine_data = fibers;
    machine->stacks.packed = room_packs(&machine->options, "fibers") && machine->stacks.apart &&
                             !machine->keeps_contexts && !machine->memory_hooks;
    status = fibers_find_room(machine, error);
    if (status == PEAL_OK)
        status = fibers_map_stacks(machine, error);
    if (status == PEAL_OK && machine->stacks.packed) {
        fibers->packing = packing_make(machine->options.nodes, machine->stacks.stack_bytes);
        if (!fibers->packing)
            status = peal_refuse(error, PEAL_RESOURCES, "no memory for %d fibers", machine->options.nodes);
    }
    if (status == PEAL_OK)
        status = make_shadows(machine, error);
    if (status == PEAL_OK)
        stacks_touch(machine);
    if (machine->runs_here)
        fibers->home[0].carrier = &machine->phase.carriers[0];
    for (int i = 0; i < machine->phase.carrier_count && status == PEAL_OK && !machine->runs_here; i++) {
        status = start_home(&fibers->home[i], &machine->phase.carriers[i], error);
        machine->contexts_made += status == PEAL_OK;
    }
    if (status != PEAL_OK)
        fibers_destroy(machine);
    return status;
}

/* Nodes get fresh contexts on the same stacks. */
static void
fibers_reset(struct peal_machine *machine)
{
    unmark_stacks(machine);
    for (int rank = 0; rank < machine->options.nodes; rank++)
        machine->nodes[rank].context = NULL;
}

/* Interrupt the node that still computes. */
static void
fibers_interrupt(const struct carrier *carrier, const struct node *node)
{
    (void)node;
    pthread_kill(home_of(carrier)->thread, SIGNAL_STOP);
}

static pid_t
fibers_task(const struct carrier *carrier, const struct node *node)
{
    (void)node;
    return atomic_load(&home_of(carrier)->task);
}

const struct engine engine_fibers = {
    .name = "fibers",
    .ends_phases = true,
    .create = fibers_create,
    .start = fibers_start,
    .yield = fibers_yield,
    .leave = fibers_leave,
    .restart = restart,
    .interrupt = fibers_interrupt,
    .task = fibers_task,
    .run_here = fibers_run_here,
    .destroy = fibers_destroy,
    .reset = fibers_reset,
};
