/* SPDX-License-Identifier: MIT */
/* What a machine reports about its last run. */
#include "lib/machine/hooks.h"
#include "lib/machine/host.h"
#include "lib/machine/machine.h"

int
peal_machine_output_error(const struct peal_machine *machine)
{
    return atomic_load(&machine->reports.output_error);
}

const struct peal_options *
peal_machine_options(const struct peal_machine *machine)
{
    return &machine->options;
}

const struct peal_network *
peal_machine_network(const struct peal_machine *machine)
{
    return machine->network;
}

struct peal_cost
peal_machine_cost(const struct peal_machine *machine)
{
    return machine->replayed ? peal_machine_cost(machine->replayed) : machine->round.cost;
}

struct peal_cost
peal_machine_critical_path(const struct peal_machine *machine)
{
    if (machine->replayed)
        return peal_machine_critical_path(machine->replayed);
    struct peal_cost latest = machine->round.clocks.last;

    for (int rank = 0; rank < machine->options.nodes; rank++)
        clock_advance(&machine->options.parameters, &latest, clock_load(&machine->round.clocks.node[rank]));
    return latest;
}

const struct peal_schedule *
peal_machine_schedule(const struct peal_machine *machine)
{
    return machine->replayed ? peal_machine_schedule(machine->replayed) : &machine->round.recorder.schedule;
}

uint64_t
peal_machine_rounds(const struct peal_machine *machine)
{
    return machine->replayed ? peal_machine_rounds(machine->replayed) : machine->round.course.rounds;
}

bool
peal_machine_round(const struct peal_machine *machine, uint64_t number, struct peal_round_summary *summary)
{
    if (machine->replayed)
        return peal_machine_round(machine->replayed, number, summary);
    const struct peal_round_summary *kept = course_at(&machine->round.course, number);

    if (kept)
        *summary = *kept;
    return kept;
}

const struct peal_failure *
peal_machine_failure(const struct peal_machine *machine)
{
    if (machine->replayed && machine->replayed->reports.failed)
        return &machine->replayed->reports.failure;
    return machine->reports.failed ? &machine->reports.failure : NULL;
}

enum peal_status
peal_machine_share(struct peal_machine *machine, void *memory, size_t bytes, struct peal_error *error)
{
    if (!machine->remote || !machine->remote->share || machine->remote->share(machine, memory, bytes))
        return PEAL_OK;
    return peal_refuse(error, PEAL_RESOURCES, "no memory to share %zu bytes among processes", bytes);
}

const struct peal_measured *
peal_machine_measured(const struct peal_machine *machine)
{
    return machine->remote && machine->remote->measured ? machine->remote->measured(machine) : NULL;
}

int
peal_machine_processes(const struct peal_machine *machine)
{
    return machine->remote ? machine->options.nodes : 1;
}

bool
machine_has_one_clock(const struct peal_machine *machine)
{
    return !machine->remote || !machine->remote->one_clock || machine->remote->one_clock(machine);
}

struct peal_host
peal_machine_host(const struct peal_machine *machine)
{
    return machine->host;
}
