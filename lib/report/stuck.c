/* SPDX-License-Identifier: MIT */
/* Nodes that wait for ever, whatever those that poll or sleep do next: each of them waits for what only such nodes, and
 * nodes that have finished, could still post. */
#include "lib/machine/machine.h"
#include "lib/machine/meet.h"
#include "lib/report/waiting.h"
#include <stdlib.h>

/* Whether the node posts nothing more, if the flagged ones are stuck. */
static bool
is_silent(const struct peal_machine *machine, const bool *stuck, int rank)
{
    return stuck[rank] || !node_is_left(&machine->nodes[rank]);
}

static bool
rests(const struct node *node)
{
    return node->state == NODE_TESTS || node->state == NODE_RESTS || node->state == NODE_SLEEPS;
}

/* Whether no node is left that could post the request's partner. */
static bool
is_hopeless(const struct peal_machine *machine, const bool *stuck, const struct request *request)
{
    const struct group *group = request->view->group;
    bool silent = true;

    if (request->flags & REQUEST_MATCHED || request->kind == REQUEST_STRAND || request->kind == REQUEST_LOCK ||
        is_access(request->kind))
        return false;
    if (request->peer != PEAL_ANY_SOURCE)
        return is_silent(machine, stuck, request->peer);
    for (int i = 0; i < group->size && silent; i++)
        silent = is_silent(machine, stuck, group->members ? group->members[i] : i);
    return silent;
}

/* A meeting or a split lacks this node. */
static bool
lacks_silent(void *state, int from, int peer)
{
    (void)from;
    return ((const bool *)state)[peer];
}

/* Whether the node cannot go on while the flagged ones do not. */
static bool
waits_for_ever(const struct peal_machine *machine, const bool *stuck, const struct node *node)
{
    uint32_t hoped = 0;

    if (node->state == NODE_MEETS)
        return !node->parks_apart && meet_each_missing(machine, node, lacks_silent, (void *)(uintptr_t)stuck);
    if (node->state != NODE_WAITS || node->parks_apart || node->question)
        return false;
    for (uint32_t id = node->open; id; id = machine->requests[id].open_next) {
        const struct request *request = &machine->requests[id];

        hoped += (request->flags & (REQUEST_AWAITED | REQUEST_COMPLETE)) == REQUEST_AWAITED &&
                 !is_hopeless(machine, stuck, request);
    }
    return hoped < machine->round.node[node->rank].waiting;
}

bool *
find_stuck(const struct peal_machine *machine)
{
    int nodes = machine->options.nodes;
    bool *stuck = calloc((size_t)nodes, sizeof *stuck), polled = false, changed = true;

    for (int rank = 0; stuck && rank < nodes; rank++) {
        polled |= rests(&machine->nodes[rank]);
        stuck[rank] = !is_silent(machine, stuck, rank) && !rests(&machine->nodes[rank]);
    }
    while (stuck && polled && changed) {
        changed = false;
        for (int rank = 0; rank < nodes; rank++)
            if (stuck[rank] && !waits_for_ever(machine, stuck, &machine->nodes[rank])) {
                stuck[rank] = false;
                changed = true;
            }
    }
    return stuck;
}
