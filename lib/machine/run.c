/* SPDX-License-Identifier: MIT */
/* Creating a machine, and running a program on it. */
#include "lib/base/clock.h"
#include "lib/base/text.h"
#include "lib/machine/callers.h"
#include "lib/machine/calls.h"
#include "lib/machine/copy.h"
#include "lib/machine/engine.h"
#include "lib/machine/failure.h"
#include "lib/machine/futex.h"
#include "lib/machine/hooks.h"
#include "lib/machine/host.h"
#include "lib/machine/lend.h"
#include "lib/machine/meet.h"
#include "lib/machine/memory.h"
#include "lib/machine/monitor.h"
#include "lib/machine/progress.h"
#include "lib/machine/requests.h"
#include "lib/machine/room.h"
#include "lib/machine/rules.h"
#include "lib/machine/run_finding.h"
#include "lib/machine/size_classes.h"
#include "lib/machine/stacks.h"
#include "lib/machine/values.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/resource.h>

/* Up to this many nodes the engine `auto` is threads: a run of some dozen rounds takes at most 5 ms more on them, as
 * long as a command takes to start (bench/engines.c). */
enum { THREADS_AT_EASE = 16 };

static const size_t MAX_STACK_BYTES = (size_t)1
                                      << (sizeof(size_t) > 4 ? 40 : 28); /* so that sizes computed from it fit */

static const struct engine *const engines[] = {
#if PEAL_THREADS
    &engine_threads,
#endif
#if PEAL_FIBERS
    &engine_fibers,
#endif
};

void
peal_options_init(struct peal_options *options)
{
    *options = (struct peal_options){
        .nodes = 1,
        .topology = "full",
        .ports = 1,
        .parameters = {.alpha = 1000, .beta = 1},
        .computing = {.speed = 1},
        .mailbox = 65536,
        .word_bytes = 8,
        .patience = 100,
        .engine = PEAL_THREADS ? "threads" : "fibers",
        .output = STDOUT_FILENO,
    };
}

/* ------------------------------------------------------------------ create */

static enum peal_status
machine_check_options(const struct peal_options *options, struct peal_error *error)
{
    const struct {
        const char *name;
        double value;
    } parameters[] = {{"alpha", options->parameters.alpha},
                      {"beta", options->parameters.beta},
                      {"hop", options->parameters.hop},
                      {"tau", options->parameters.tau}};

    if (options->nodes < 1)
        return peal_refuse(error, PEAL_USAGE, "a machine cannot have %d nodes: expected at least 1", options->nodes);
    if (options->ports < 1 && options->ports != PEAL_PORTS_ALL)
        return peal_refuse(error, PEAL_USAGE, "%d ports are not possible: expected a number from 1, or all",
                           options->ports);
    if (options->ports == PEAL_PORTS_ALL && options->routing && strcmp(options->routing, "best") == 0)
        return peal_refuse(
            error, PEAL_USAGE,
            "routing best needs a number of ports: with all of them, the routes decide which transfers there are");
    if (options->mailbox < 1)
        return peal_refuse(error, PEAL_USAGE, "a mailbox cannot have %d places: expected at least 1", options->mailbox);
    if (options->word_bytes < 1)
        return peal_refuse(error, PEAL_USAGE, "words cannot have 0 bytes: expected at least 1");
    if (options->carriers < 0)
        return peal_refuse(error, PEAL_USAGE, "%d carriers are not possible: expected a number from 1, or auto",
                           options->carriers);
    if (!(options->timeout_seconds >= 0))
        return peal_refuse(error, PEAL_USAGE, "a timeout of %g seconds is not possible: expected 0, for none, or more",
                           options->timeout_seconds);
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        if (!peal_parameter_allowed(parameters[i].value))
            return peal_refuse(error, PEAL_USAGE, "%s = %g is out of range: a time is 0, or from 1e-100 to 1e100",
                               parameters[i].name, parameters[i].value);
    if (options->patience < 1)
        return peal_refuse(error, PEAL_USAGE, "patience of %d rounds is out of range: expected at least 1",
                           options->patience);
    if (options->stack_bytes > MAX_STACK_BYTES)
        return peal_refuse(error, PEAL_USAGE, "a stack of %zu bytes is out of range: a node has at most %zu (%s)",
                           options->stack_bytes, MAX_STACK_BYTES, sizeof(size_t) > 4 ? "1 TiB" : "256 MiB");
    if (options->ports != PEAL_PORTS_ALL && options->ports > 1 << 16)
        return peal_refuse(error, PEAL_USAGE, "%d ports are more than the 65536 that are supported: use all",
                           options->ports);
    return PEAL_OK;
}

const struct engine *engine_mpi;

static const struct engine *
engine_find(const char *name)
{
    if (engine_mpi && strcmp(engine_mpi->name, name) == 0)
        return engine_mpi;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        if (strcmp(engines[i]->name, name) == 0)
            return engines[i];
    return NULL;
}

bool
peal_fibers_built(void)
{
    return engine_find("fibers") != NULL;
}

/* Threads as long as they are about as fast and well within the system's limits, else fibers. */
static const struct engine *
engine_for(int nodes)
{
    const struct engine *fibers = engine_find("fibers"), *threads = engine_find("threads");
    long allowed = peal_threads_allowed(NULL);

    return fibers && (!threads || nodes > THREADS_AT_EASE || (allowed > 0 && nodes > allowed / 4)) ? fibers : threads;
}

const char *
peal_engine_of(const struct peal_options *options)
{
    return strcmp(options->engine, "auto") != 0 ? options->engine
           : options->wake_all                  ? "threads"
                                                : engine_for(options->nodes)->name;
}

static enum peal_status
engine_choose(struct peal_machine *machine, struct peal_error *error)
{
    const struct peal_options *options = &machine->options;

    if (strcmp(options->engine, "auto") == 0)
        machine->engine = options->wake_all ? engine_find("threads") : engine_for(options->nodes);
    else
        machine->engine = engine_find(options->engine);
    if (!PEAL_THREADS && (options->wake_all || strcmp(options->engine, "threads") == 0))
        return peal_refuse(error, PEAL_USAGE, "this build has no threads: use the engine fibers");
    if (!machine->engine && strcmp(options->engine, "fibers") == 0)
        return peal_refuse(error, PEAL_USAGE,
                           "this build has no fibers: install libboost-context-dev and build again, "
                           "or use threads");
    if (!machine->engine)
        return peal_refuse(error, PEAL_USAGE, "unknown engine '%s': expected threads, fibers, auto or mpi",
                           options->engine);
    if (options->wake_all && machine->engine != engine_find("threads"))
        return peal_refuse(error, PEAL_USAGE, "%s cannot all be woken at once: use the engine threads",
                           machine->engine->name);
    return PEAL_OK;
}

/* Carriers, each pinned to a core of those the caller may use, beginning with the one it runs on. */
static enum peal_status
make_carriers(struct peal_machine *machine, struct peal_error *error)
{
    const struct peal_options *options = &machine->options;
    int core = sched_getcpu();

    CPU_ZERO(&machine->phase.cores);
    if (sched_getaffinity(0, sizeof machine->phase.cores, &machine->phase.cores) != 0)
        CPU_SET((size_t)(core > 0 ? core : 0), &machine->phase.cores);
    machine->phase.core_count = CPU_COUNT(&machine->phase.cores);
    machine->phase.carrier_count = options->wake_all                         ? options->nodes
                                   : options->carriers != PEAL_CARRIERS_AUTO ? options->carriers
                                   : machine->engine->moves_nodes            ? machine->phase.core_count
                                                                             : 1;
    if (machine->phase.carrier_count > options->nodes)
        machine->phase.carrier_count = options->nodes;
    machine->phase.carriers = own_pages((size_t)machine->phase.carrier_count * sizeof *machine->phase.carriers);
    if (!machine->phase.carriers)
        return peal_refuse(error, PEAL_RESOURCES, "no memory for %d carriers", machine->phase.carrier_count);
    if (core < 0 || !CPU_ISSET((size_t)core, &machine->phase.cores))
        core = 0;
    for (int i = 0; i < machine->phase.carrier_count; i++) {
        while (!CPU_ISSET((size_t)core, &machine->phase.cores))
            core = (core + 1) % CPU_SETSIZE;
        machine->phase.carriers[i].machine = machine;
        machine->phase.carriers[i].index = i;
        machine->phase.carriers[i].core = options->wake_all ? -1 : core;
        core = (core + 1) % CPU_SETSIZE;
    }
    return PEAL_OK;
}

static enum peal_status
machine_make(struct peal_machine *machine, const struct peal_options *options, struct peal_error *error)
{
    size_t nodes = (size_t)options->nodes;
    enum peal_status status = PEAL_OK;

    machine->options = *options;
    pthread_mutex_init(&machine->reports.lock, NULL);
    pthread_mutex_init(&machine->calls_lock, NULL);
    pthread_mutex_init(&machine->reports.sites_lock, NULL);
    status = engine_choose(machine, error);
    if (status != PEAL_OK)
        return status;
    if (!in_sandbox && room_for_machine(options, machine->engine->name, true, peal_fibers_built(), error) != PEAL_OK)
        return error->status;
    machine->network = peal_network_create(options->topology, options->nodes, options->routing, error);
    if (!machine->network)
        return error->status;
    machine->options.topology = peal_network_name(machine->network);
    machine->options.routing = peal_network_routing(machine->network);
    machine->options.engine = machine->engine->name;
    machine->remote = machine->engine->remote;
    if (machine->remote && options->lend_bytes > 0)
        return peal_refuse(error, PEAL_USAGE, "the engine mpi does not lend: use threads or fibers");
    machine->words_limit = PTRDIFF_MAX / options->word_bytes;
    machine->nodes = own_pages(nodes * sizeof *machine->nodes);
    machine->phase.runnable = malloc(nodes * sizeof *machine->phase.runnable);
    machine->phase.splitting = malloc(nodes * sizeof *machine->phase.splitting);
    machine->phase.marks = calloc(nodes / 64 + 1, sizeof *machine->phase.marks);
    if (!machine->nodes || !machine->phase.runnable || !machine->phase.splitting || !machine->phase.marks)
        return peal_refuse(error, PEAL_RESOURCES, "no memory for a machine of %d nodes", options->nodes);
    status = make_carriers(machine, error);
    room_share_heap(machine->phase.carrier_count == 1);
    if (status == PEAL_OK)
        status = requests_reserve(machine, error);
    if (status == PEAL_OK)
        status =
            round_init(&machine->round, &machine->options, machine->network, machine->requests, machine->extras, error);
    machine->world = (struct group){.size = options->nodes};
    if (status == PEAL_OK && machine->remote && machine->remote->open)
        status = machine->remote->open(machine, error);
    return status;
}

struct peal_machine *
peal_machine_create(const struct peal_options *options, struct peal_error *error)
{
    struct peal_error own;
    struct peal_machine *machine;

    if (!error)
        error = &own;
    if (machine_check_options(options, error) != PEAL_OK)
        return NULL;
    machine = own_alloc(sizeof *machine);
    if (!machine) {
        peal_refuse(error, PEAL_RESOURCES, "no memory for a machine");
        return NULL;
    }
    *machine = (struct peal_machine){0};
    if (machine_make(machine, options, error) != PEAL_OK) {
        peal_machine_destroy(machine);
        return NULL;
    }
    return machine;
}

void
peal_machine_destroy(struct peal_machine *machine)
{
    if (!machine)
        return;
    if (machine->engine_data)
        machine->engine->destroy(machine);
    crash_hooks->restore(machine);
    if (machine->remote && machine->remote->close)
        machine->remote->close(machine);
    failure_clear(machine);
    findings_clear(machine);
    shown_clear(machine);
    loans_forget(machine);
    callers_fini(machine);
    sites_fini(machine);
    passed_forget(machine);
    score_hooks->destroy(machine);
    copiers_destroy(machine);
    progress_destroy(machine);
    round_fini(&machine->round);
    requests_release(machine);
    own_unmap(machine->phase.carriers, (size_t)machine->phase.carrier_count * sizeof *machine->phase.carriers);
    free(machine->phase.marks);
    free(machine->phase.splitting);
    free(machine->phase.runnable);
    own_unmap(machine->nodes, (size_t)machine->options.nodes * sizeof *machine->nodes);
    peal_network_destroy(machine->network);
    pthread_mutex_destroy(&machine->reports.lock);
    pthread_mutex_destroy(&machine->calls_lock);
    pthread_mutex_destroy(&machine->reports.sites_lock);
    free(machine->kinds);
    calls_fini(&machine->world);
    free(machine->world.name);
    own_free(machine);
}

/* ------------------------------------------------------------------ run */

static void
machine_prepare(struct peal_machine *machine, peal_program program, void *arg)
{
    failure_clear(machine);
    findings_clear(machine);
    shown_clear(machine);
    loans_forget(machine);
    sites_forget(machine);
    passed_forget(machine);
    callers_begin(machine);
    round_reset(&machine->round);
    groups_clear(machine);
    machine->had_groups = false;
    meetings_clear(machine);
    machine->program = program;
    machine->arg = arg;
    machine->phase.unfinished = machine->options.nodes;
    machine->phase.idle_rounds = machine->phase.slept_rounds = 0;
    machine->rounds_made = 0;
    machine->phase.spread = machine->options.carriers > 1;
    machine->phase.brief = 0;
    machine->unwinding = false;
    machine->unhooked_posts = !machine->options.eager && !machine->options.noncombining && !machine->memory_hooks;
    machine->short_calls =
        machine->unhooked_posts && machine->round.one_port && !machine->match_chooser && !machine->remote;
    machine->host = (struct peal_host){0};
    score_hooks->begin(machine);
    atomic_store(&machine->stopping, false);
    atomic_store(&machine->done, 0);
    atomic_store(&machine->stacks.overflowed, -1);
    atomic_store(&machine->reports.output_error, 0);
    atomic_store(&machine->keeps, false);
    atomic_store(&machine->has_strands, false);
    atomic_store(&machine->readies, false);
    atomic_store(&machine->accesses, false);
    for (int rank = 0; rank < machine->options.nodes; rank++) {
        struct node *node = &machine->nodes[rank];

        *node = (struct node){.rank = rank,
                              .machine = machine,
                              .carrier = &machine->phase.carriers[0],
                              .inside = true,
                              .mark = UINT64_MAX};
        node->parks_apart = machine->remote != NULL;
        node->world = (struct peal_node){.node = node,
                                         .group = &machine->world,
                                         .rank = rank,
                                         .collectives = 1,
                                         .scale = 1,
                                         .words_limit = machine->words_limit};
        node->random =
            machine->options.seed * UINT64_C(0xD1342543DE82EF95) + (uint64_t)rank * UINT64_C(0x2545F4914F6CDD1D);
    }
}

static void
release_node(struct node *node)
{
    memory_release(node);
    node_advice_free(node);
}

/* Free the blocks of the nodes that have not ended by themselves, into which no other node looks now, and what nodes
 * are advised. */
static void
release_rest(struct peal_machine *machine)
{
    for (int rank = 0; rank < machine->options.nodes; rank++)
        if ((machine->nodes[rank].blocks || machine->nodes[rank].advice) &&
            !crash_hooks->survives(release_node, &machine->nodes[rank]))
            node_forget(&machine->nodes[rank]);
}

const struct peal_failure *
peal_run(struct peal_machine *machine, peal_program program, void *arg)
{
    struct peal_error error;
    struct rusage usage;
    int64_t began = nanoseconds_now();

    machine_prepare(machine, program, arg);
    crash_hooks->begins(machine);
    progress_begin(machine);
    bool kept = machine->keeps_contexts && machine->engine->reset;

    if (machine->remote) {
        crash_hooks->install(machine);
        machine->remote->run(machine);
        if (machine->reports.failed)
            release_rest(machine);
        crash_hooks->restore(machine);
    } else if (!machine->engine_data && machine->engine->create(machine, &error) != PEAL_OK) {
        failure_set(machine, -1, PEAL_OUT_OF_MEMORY, NULL, 0, "%s", error.text);
        machine->reports.failure.status = error.status;
    } else {
        crash_hooks->install(machine);
        if (machine->runs_here && machine->engine->run_here) {
            machine->engine->run_here(machine);
        } else {
            const struct time_spent none = peal_spent_begin(0);

            crash_hooks->starts();
            machine_begin(machine);
            machine_watch(machine, none);
        }
        if (machine->reports.failed)
            release_rest(machine);
        if (kept)
            machine->engine->reset(machine);
        else
            machine->engine->destroy(machine);
        if (!kept)
            crash_hooks->restore(machine);
    }
    if (machine->reports.failed && machine->reports.failure.rank == NO_RANK) /* all nodes had finished */
        machine->reports.failure.rank = -1;
    progress_end(machine);
    findings_sort(machine);
    crash_hooks->ended(machine);
    requests_clear(machine);
    meetings_clear(machine);
    groups_clear(machine);
    machine->host.seconds = (double)(nanoseconds_now() - began) * 1e-9;
    machine->host.rounds = machine->rounds_made;
    getrusage(RUSAGE_SELF, &usage);
    machine->host.peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
    return peal_machine_failure(machine);
}
