/* SPDX-License-Identifier: MIT */
/* The fibers engine in the browser, where there is one thread and no signal: the only carrier is the caller, and every
 * node a stack in ordinary memory. */
#include "lib/base/clock.h"
#include "lib/machine/carrier.h"
#include "lib/machine/engine.h"
#include "lib/machine/fcontext.h"
#include "lib/machine/monitor.h"
#include "lib/machine/stacks.h"
#include <stdlib.h>

/* The lowest line of each stack is 0 unless the stack has overflowed; it is looked at whenever its node parks.  The
 * time of a run is looked at between two phases, and in the loops of node programs (tools/web/page/compile.js).
 * There is no clock of the processor's time: between two looks at most a tenth of the limit counts, so that a run does
 * not time out because other programs had the processor. */

enum { STACK_BYTES = 64 << 10, MIN_STACK_BYTES = 16 << 10, LINE = STACK_CANARY, MIN_LOOKS = 10 };

/* The caller's own context. */
struct browser_home {
    fcontext_t context; /* while a node runs */
    struct node *first; /* of the list it is started with */
    int64_t limit;      /* of the run, in nanoseconds; INT64_MAX: none */
    int64_t spent, looked;
};

static void
browser_arrive(struct transfer came)
{
    *(fcontext_t *)came.data = came.context;
}

static void
browser_entry(struct transfer came)
{
    browser_arrive(came);
    node_main(self);
    abort(); /* not reached: node_main leaves */
}

/* Jump to the node (NULL: home), and return when a jump to *mine comes, where our context is kept. */
static void
browser_jump(const struct peal_machine *machine, fcontext_t *mine, struct node *node)
{
    const struct browser_home *home = machine->engine_data;

    if (node && !node->context)
        node->context = make_fcontext(node_stack(machine, node->rank) + machine->stacks.stack_bytes,
                                      machine->stacks.stack_bytes, browser_entry);
    self = node;
    browser_arrive(jump_fcontext(node ? node->context : home->context, mine));
}

static void
browser_yield(struct node *node, struct node *next)
{
    node_look_at_canary(node);
    browser_jump(node->machine, &node->context, next);
}

static void
browser_start(struct carrier *carrier, struct node *node)
{
    struct browser_home *home = carrier->machine->engine_data;

    home->first = node;
}

bool
engine_late(const struct peal_machine *machine)
{
    struct browser_home *home = machine->engine_data;
    int64_t now, passed;

    if (home->limit == INT64_MAX)
        return false;
    now = nanoseconds_now();
    passed = now - home->looked;
    home->looked = now;
    home->spent += passed < home->limit / MIN_LOOKS ? passed : home->limit / MIN_LOOKS;
    return home->spent >= home->limit;
}

static void
browser_run_here(struct peal_machine *machine)
{
    struct browser_home *home = machine->engine_data;
    double limit = machine->options.timeout_seconds;

    home->limit = limit > 0 && limit < 1e9 ? (int64_t)(limit * 1e9) : INT64_MAX;
    home->spent = 0;
    home->looked = nanoseconds_now();
    home->first = NULL;
    machine_begin(machine);
    for (struct node *next = home->first; next; next = carrier_end(&machine->phase.carriers[0])) {
        if (engine_late(machine))
            machine_expire(machine);
        browser_jump(machine, &home->context, next);
    }
}

static void
browser_destroy(struct peal_machine *machine)
{
    free(machine->stacks.mapping);
    free(machine->engine_data);
    machine->stacks.mapping = machine->engine_data = NULL;
}

static enum peal_status
browser_create(struct peal_machine *machine, struct peal_error *error)
{
    size_t stack = machine->options.stack_bytes ? machine->options.stack_bytes : STACK_BYTES, bytes;

    machine->stacks.stack_bytes = stack < MIN_STACK_BYTES ? MIN_STACK_BYTES : (stack + LINE - 1) / LINE * LINE;
    machine->stacks.stride = machine->stacks.stack_bytes;
    machine->runs_here = true;
    machine->engine_data = calloc(1, sizeof(struct browser_home));
    if (!__builtin_mul_overflow(machine->stacks.stride, (size_t)machine->options.nodes, &bytes))
        machine->stacks.mapping = aligned_alloc(LINE, bytes);
    if (!machine->stacks.mapping || !machine->engine_data) {
        browser_destroy(machine);
        return peal_refuse(error, PEAL_RESOURCES, "no memory for %d stacks of %zu KiB: use a smaller --stack",
                           machine->options.nodes, machine->stacks.stack_bytes / 1024);
    }
    machine->stacks.mapping_bytes = bytes;
    for (int rank = 0; rank < machine->options.nodes; rank++)
        memset(node_stack(machine, rank), 0, LINE);
    return PEAL_OK;
}

/* Nodes get fresh contexts on the same stacks. */
static void
browser_reset(struct peal_machine *machine)
{
    for (int rank = 0; rank < machine->options.nodes; rank++) {
        machine->nodes[rank].context = NULL;
        memset(node_stack(machine, rank), 0, LINE);
    }
}

/* No other thread asks: machine_expire is called between two phases. */
static void
browser_interrupt(const struct carrier *carrier, const struct node *node)
{
    (void)carrier, (void)node;
}

static pid_t
browser_task(const struct carrier *carrier, const struct node *node)
{
    (void)carrier, (void)node;
    return 0;
}

const struct engine engine_fibers = {
    .name = "fibers",
    .ends_phases = true,
    .create = browser_create,
    .start = browser_start,
    .yield = browser_yield,
    .leave = browser_yield,
    .interrupt = browser_interrupt,
    .task = browser_task,
    .run_here = browser_run_here,
    .destroy = browser_destroy,
    .reset = browser_reset,
};
