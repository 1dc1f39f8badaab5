/* SPDX-License-Identifier: MIT */
/* Nodes that would wait for ever unless the machine lent their sends buffers. */
#include "lib/machine/lend.h"
#include "lib/machine/machine.h"
#include "lib/report/waiting.h"
#include <peal/hints.h>
#include <stdio.h>
#include <stdlib.h>

/* The nodes that the finding names: the shortest cycle of those that are stuck, or the first one that needs buffers,
 * where no node of that cycle does.  Gives their number, and the cycle, which the caller frees; 0: there are none. */
static int
choose_nodes(const struct peal_machine *machine, const bool *stuck, int **cycle, int *first)
{
    int length, nodes = machine->options.nodes;

    *cycle = find_cycle(machine, stuck, &length);
    for (int i = 0; i < length; i++)
        if (lend_is_needed(machine, (*cycle)[i]))
            return length;
    free(*cycle);
    *cycle = NULL;
    *first = 0;
    while (*first < nodes && !(stuck[*first] && lend_is_needed(machine, *first)))
        ++*first;
    return *first < nodes;
}

/* Whether one of these nodes is in a collective. */
static bool
has_collective(const struct peal_machine *machine, const int *ranks, int count)
{
    const struct peal_node *view = NULL;

    for (int i = 0; i < count && !view; i++)
        for (view = machine->nodes[ranks[i]].views; view && !view->collective;)
            view = view->next;
    return view;
}

/* The places of these nodes' calls; `in`: flag each.  NULL without memory. */
static struct peal_place *
places_of(const struct peal_machine *machine, const int *ranks, int count, bool *in)
{
    struct peal_place *places = malloc((size_t)count * sizeof *places);

    for (int i = 0; places && i < count; i++) {
        const struct node *node = &machine->nodes[ranks[i]];

        places[i] = (struct peal_place){node->rank, node->file, node->line};
        in[node->rank] = true;
    }
    return places;
}

bool *
report_unbuffered(struct peal_machine *machine, struct peal_run_finding *finding)
{
    char text[sizeof finding->message - 60];
    int *cycle, first, count;
    bool *stuck = find_stuck(machine);

    *finding = (struct peal_run_finding){.kind = PEAL_DEADLOCK_IF_UNBUFFERED, .round = machine->round.number};
    if (!stuck)
        return NULL;
    count = choose_nodes(machine, stuck, &cycle, &first);
    memset(stuck, 0, (size_t)machine->options.nodes * sizeof *stuck);
    if (count == 0)
        return stuck;
    if (cycle)
        say_stuck(machine, NULL, cycle, count, text, sizeof text);
    else
        say_waiting(machine, first, text, sizeof text);
    snprintf(finding->message, sizeof finding->message, "nothing can move unless messages are buffered: %s", text);
    finding->places = places_of(machine, cycle ? cycle : &first, count, stuck);
    if (!finding->places) {
        free(cycle);
        free(stuck);
        return NULL;
    }
    finding->place_count = count;
    finding->cycle = cycle;
    finding->cycle_length = cycle ? count : 0;
    if (has_collective(machine, cycle ? cycle : &first, count)) {
        snprintf(finding->rule, sizeof finding->rule,
                 "MPI 3.1, 5.13: a collective may wait until all nodes have called it; a program that relies on it not "
                 "waiting is unsafe");
        snprintf(finding->fix, sizeof finding->fix, "%s", PEAL_HINT(unsafe_collective));
    } else {
        advise_cycle(machine, cycle, finding->cycle_length, finding->fix);
    }
    return stuck;
}
