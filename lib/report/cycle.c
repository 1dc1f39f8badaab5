/* SPDX-License-Identifier: MIT */
/* The wait-for graph, and the cycle or the missing partner that explains a deadlock. */
#include "lib/machine/machine.h"
#include "lib/machine/meet.h"
#include "lib/report/waiting.h"
#include <stdlib.h>

/* A node waits for every peer of its incomplete requests, and for all others of the group if one of these is a receive
 * from any source; a node in peal_split waits for the members of its group that have not called it.  The cycle reported
 * is a shortest one through the lowest rank that lies on any cycle, and of those the one with the lowest ranks
 * first. */

/* Called for each peer that has not finished; true stops. */
typedef bool (*visitor)(void *state, int from, int peer);

static bool
each_member(const struct peal_machine *machine, const struct group *group, int rank, visitor visit, void *state)
{
    for (int i = 0; i < group->size; i++) {
        int peer = group->members ? group->members[i] : i;

        if (peer != rank && node_is_left(&machine->nodes[peer]) && visit(state, rank, peer))
            return true;
    }
    return false;
}

static bool
each_peer(const struct peal_machine *machine, int rank, visitor visit, void *state)
{
    const struct node *node = &machine->nodes[rank];
    const struct request *requests = machine->requests;
    const struct group *any = NULL; /* all of it is waited for already */

    for (uint32_t id = node->open; id; id = requests[id].open_next) {
        const struct request *request = &requests[id];

        if ((request->flags & REQUEST_COMPLETE) || request->kind == REQUEST_STRAND)
            continue;
        if (request->kind == REQUEST_LOCK) {
            if (access_each_holder(&machine->round, id, visit, state))
                return true;
        } else if (request->peer != PEAL_ANY_SOURCE) {
            if (node_is_left(&machine->nodes[request->peer]) && visit(state, rank, request->peer))
                return true;
        } else if (request->view->group != any) {
            any = request->view->group;
            if (each_member(machine, any, rank, visit, state))
                return true;
        }
    }
    if (node->meets && meet_each_missing(machine, node, visit, state))
        return true;
    if (node->split) {
        const struct group *group = node->split->parent->group;

        for (int i = 0; i < group->size; i++) {
            int peer = group->members ? group->members[i] : i;
            const struct node *other = &machine->nodes[peer];

            if (node_is_left(other) && !(other->split && other->split->parent->group == group) &&
                visit(state, rank, peer))
                return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------ nodes that can lie on a cycle */

struct cycle_search {
    const struct peal_machine *machine;
    int *in, *out; /* how many nodes wait for each, and for how many it waits, of those left */
    int *parent;   /* breadth first: the node it was reached from; -1: not reached */
    int *queue;
    bool *gone;        /* cannot lie on a cycle */
    const bool *among; /* NULL: all */
    int target;
    int count; /* in the queue */
    bool found;
};

static bool
count_edge(void *state, int from, int peer)
{
    struct cycle_search *search = state;

    search->out[from]++;
    search->in[peer]++;
    return false;
}

static void
cycle_drop(struct cycle_search *search, int rank)
{
    if (!search->gone[rank]) {
        search->gone[rank] = true;
        search->queue[search->count++] = rank;
    }
}

static bool
lose_waiter(void *state, int from, int peer)
{
    struct cycle_search *search = state;

    (void)from;
    if (!search->gone[peer] && --search->in[peer] == 0)
        cycle_drop(search, peer);
    return false;
}

/* Whether the node waits, and is among those that are looked at. */
static bool
is_searched(const struct cycle_search *search, int rank)
{
    return node_is_left(&search->machine->nodes[rank]) && (!search->among || search->among[rank]);
}

/* Remove, repeatedly, the nodes that no node waits for: each of the others waits, and is waited for.  (Nodes that wait
 * for no other are on no cycle either: the search from them ends at once.) */
static void
prune(struct cycle_search *search)
{
    int nodes = search->machine->options.nodes;

    for (int rank = 0; rank < nodes; rank++)
        if (is_searched(search, rank))
            each_peer(search->machine, rank, count_edge, search);
    search->count = 0;
    for (int rank = 0; rank < nodes; rank++)
        if (search->in[rank] == 0 || search->out[rank] == 0)
            cycle_drop(search, rank);
    for (int i = 0; i < search->count; i++)
        if (is_searched(search, search->queue[i]))
            each_peer(search->machine, search->queue[i], lose_waiter, search);
}

/* ------------------------------------------------------------------ the shortest way back */

static int
cycle_compare_ranks(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

static bool
cycle_reach(void *state, int from, int peer)
{
    struct cycle_search *search = state;

    if (peer == search->target) {
        search->found = true;
        search->parent[peer] = from;
        return true;
    }
    if (!search->gone[peer] && search->parent[peer] < 0) {
        search->parent[peer] = from;
        search->queue[search->count++] = peer;
    }
    return false;
}

/* Look for the shortest cycle through `target`, lowest ranks first: level by level, each node's peers by rank. */
static bool
cycle_through(struct cycle_search *search, int target)
{
    for (int rank = 0; rank < search->machine->options.nodes; rank++)
        search->parent[rank] = -1;
    search->target = target;
    search->found = false;
    search->count = 0;
    search->queue[search->count++] = target;
    for (int i = 0; i < search->count && !search->found; i++) {
        int before = search->count;

        each_peer(search->machine, search->queue[i], cycle_reach, search);
        qsort(&search->queue[before], (size_t)(search->count - before), sizeof *search->queue, cycle_compare_ranks);
    }
    return search->found;
}

static int *
take_cycle(const struct cycle_search *search, int *length)
{
    int count = 1;

    for (int rank = search->parent[search->target]; rank != search->target; rank = search->parent[rank])
        count++;
    int *cycle = malloc((size_t)count * sizeof *cycle), rank = search->target;

    if (!cycle)
        return NULL;
    for (int i = count - 1; i >= 0; i--) { /* parents lead backwards */
        rank = search->parent[rank];
        cycle[i] = rank;
    }
    *length = count;
    return cycle;
}

int *
find_cycle(const struct peal_machine *machine, const bool *among, int *length)
{
    size_t nodes = (size_t)machine->options.nodes;
    struct cycle_search search = {
        .machine = machine,
        .in = calloc(nodes, sizeof(int)),
        .out = calloc(nodes, sizeof(int)),
        .parent = malloc(nodes * sizeof(int)),
        .queue = malloc(nodes * sizeof(int)),
        .gone = calloc(nodes, sizeof(bool)),
        .among = among,
    };
    int *cycle = NULL;

    *length = 0;
    if (search.in && search.out && search.parent && search.queue && search.gone) {
        prune(&search);
        for (int rank = 0; rank < machine->options.nodes; rank++) {
            if (search.gone[rank])
                continue;
            if (cycle_through(&search, rank)) {
                cycle = take_cycle(&search, length);
                break;
            }
            search.gone[rank] = true;
        }
    }
    free(search.in);
    free(search.out);
    free(search.parent);
    free(search.queue);
    free(search.gone);
    return cycle;
}
