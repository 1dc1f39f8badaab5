/* SPDX-License-Identifier: MIT */
/* Who waits for whom, and the cycle or the missing partner that explains a deadlock.
 *
 * A node waits for every peer of its incomplete requests, for all others of the group where one of them is a receive from
 * any source; a node in peal_split waits for the members of its group that have not called it.  The cycle that is told is a
 * shortest one through the lowest rank that lies on any, and of those the one with the lowest ranks first. */
#include "lib/base/plural.h"
#include "lib/machine/machine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Called for each peer that has not finished; true stops. */
typedef bool (*visitor)(void *state, int from, int peer);

static bool
is_waiting(const struct node *node)
{
    return node->state != NODE_FINISHED && node->state != NODE_FAILED;
}

static bool
each_member(const struct peal_machine *machine, const struct group *group, int rank, visitor visit, void *state)
{
    for (int i = 0; i < group->size; i++) {
        int peer = group->members ? group->members[i] : i;

        if (peer != rank && is_waiting(&machine->nodes[peer]) && visit(state, rank, peer))
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

        if (request->flags & REQUEST_COMPLETE)
            continue;
        if (request->peer != PEAL_ANY_SOURCE) {
            if (is_waiting(&machine->nodes[request->peer]) && visit(state, rank, request->peer))
                return true;
        } else if (request->view->group != any) {
            any = request->view->group;
            if (each_member(machine, any, rank, visit, state))
                return true;
        }
    }
    if (node->state == NODE_SPLITS) {
        const struct group *group = node->split->parent->group;

        for (int i = 0; i < group->size; i++) {
            int peer = group->members ? group->members[i] : i;
            const struct node *other = &machine->nodes[peer];

            if (is_waiting(other) && !(other->state == NODE_SPLITS && other->split->parent->group == group) &&
                visit(state, rank, peer))
                return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------ nodes that can lie on a cycle */

struct search {
    const struct peal_machine *machine;
    int *in, *out; /* whom each waits for, and who waits for it, among those left */
    int *parent;   /* breadth first: from whom it was reached; -1 not reached */
    int *queue;
    bool *gone; /* cannot lie on a cycle */
    int target;
    int count; /* in the queue */
    bool found;
};

static bool
count_edge(void *state, int from, int peer)
{
    struct search *search = state;

    search->out[from]++;
    search->in[peer]++;
    return false;
}

static void
drop(struct search *search, int rank)
{
    if (!search->gone[rank]) {
        search->gone[rank] = true;
        search->queue[search->count++] = rank;
    }
}

static bool
lose_waiter(void *state, int from, int peer)
{
    struct search *search = state;

    (void)from;
    if (!search->gone[peer] && --search->in[peer] == 0)
        drop(search, peer);
    return false;
}

/* Take away, again and again, nodes for whom nobody waits: what is left waits, and is waited for.  (Nodes that wait for
 * nobody lead into no cycle either: the search from them ends at once.) */
static void
prune(struct search *search)
{
    int nodes = search->machine->options.nodes;

    for (int rank = 0; rank < nodes; rank++)
        if (is_waiting(&search->machine->nodes[rank]))
            each_peer(search->machine, rank, count_edge, search);
    search->count = 0;
    for (int rank = 0; rank < nodes; rank++)
        if (search->in[rank] == 0 || search->out[rank] == 0)
            drop(search, rank);
    for (int i = 0; i < search->count; i++)
        if (is_waiting(&search->machine->nodes[search->queue[i]]))
            each_peer(search->machine, search->queue[i], lose_waiter, search);
}

/* ------------------------------------------------------------------ the shortest way back */

static int
compare_ranks(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

static bool
reach(void *state, int from, int peer)
{
    struct search *search = state;

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
cycle_through(struct search *search, int target)
{
    for (int rank = 0; rank < search->machine->options.nodes; rank++)
        search->parent[rank] = -1;
    search->target = target;
    search->found = false;
    search->count = 0;
    search->queue[search->count++] = target;
    for (int i = 0; i < search->count && !search->found; i++) {
        int before = search->count;

        each_peer(search->machine, search->queue[i], reach, search);
        qsort(&search->queue[before], (size_t)(search->count - before), sizeof *search->queue, compare_ranks);
    }
    return search->found;
}

static void
keep_cycle(struct search *search, struct peal_failure *failure)
{
    int length = 1;

    for (int rank = search->parent[search->target]; rank != search->target; rank = search->parent[rank])
        length++;
    failure->cycle = malloc((size_t)length * sizeof *failure->cycle);
    if (!failure->cycle)
        return;
    failure->cycle_length = length;
    int rank = search->target;

    for (int i = length - 1; i >= 0; i--) { /* parents lead backwards */
        rank = search->parent[rank];
        failure->cycle[i] = rank;
    }
}

void
failure_find_cycle(struct peal_machine *machine)
{
    size_t nodes = (size_t)machine->options.nodes;
    struct search search = {
        .machine = machine,
        .in = calloc(nodes, sizeof(int)),
        .out = calloc(nodes, sizeof(int)),
        .parent = malloc(nodes * sizeof(int)),
        .queue = malloc(nodes * sizeof(int)),
        .gone = calloc(nodes, sizeof(bool)),
    };

    if (search.in && search.out && search.parent && search.queue && search.gone) {
        prune(&search);
        for (int rank = 0; rank < machine->options.nodes; rank++) {
            if (search.gone[rank])
                continue;
            if (cycle_through(&search, rank)) {
                keep_cycle(&search, &machine->failure);
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
}

/* ------------------------------------------------------------------ in words */

/* "node 1 waits to send 5 words to node 2 (ring.c:12)" */
static size_t
say_node(const struct peal_machine *machine, const struct node *node, char *text, size_t bytes)
{
    const struct request *requests = machine->requests, *first = NULL;
    const char *file = node->file ? strrchr(node->file, '/') : NULL;

    file = file ? file + 1 : node->file ? node->file : "?";
    for (uint32_t id = node->open; id && !first; id = requests[id].open_next)
        if (!(requests[id].flags & REQUEST_COMPLETE))
            first = &requests[id];
    int used;

    if (node->state == NODE_SPLITS) {
        used = snprintf(text, bytes, "node %d waits for the rest of its group to split (%s:%d)", node->rank, file,
                        node->line);
    } else if (!first) {
        used = snprintf(text, bytes, "node %d waits (%s:%d)", node->rank, file, node->line);
    } else {
        char peer[64] = "any node", tag[32] = "";

        if (first->peer != PEAL_ANY_SOURCE)
            snprintf(peer, sizeof peer, "node %d%s", first->peer,
                     machine->nodes[first->peer].state == NODE_FINISHED ? ", which has finished" : "");
        if (first->tag == PEAL_ANY_TAG)
            snprintf(tag, sizeof tag, " with any tag");
        else if (first->tag != 0)
            snprintf(tag, sizeof tag, " with tag %d", first->tag);
        used = snprintf(text, bytes, "node %d waits to %s %llu word%s%s %s %s (%s:%d)", node->rank,
                        first->kind == REQUEST_SEND ? "send" : "receive", (unsigned long long)first->words,
                        plural(first->words), tag, first->kind == REQUEST_SEND ? "to" : "from", peer, file, node->line);
    }
    return used < 0 ? 0 : (size_t)used < bytes ? (size_t)used : bytes - 1;
}

void
failure_deadlock(struct peal_machine *machine)
{
    char text[sizeof machine->failure.message - 100];
    size_t used = 0;
    int rank = -1, told = 0, unfinished = 0;

    failure_find_cycle(machine);
    int length = machine->failure.cycle_length, *cycle = machine->failure.cycle;

    struct missing missing;

    text[0] = '\0';
    machine->uncalled = calls_find_missing(machine, &missing);
    if (machine->uncalled)
        used = (size_t)snprintf(text, sizeof text, "%s; ", missing.text);
    for (int i = 0; i < machine->options.nodes; i++)
        if (is_waiting(&machine->nodes[i])) {
            unfinished++;
            if (rank < 0)
                rank = i;
        }
    if (length > 0)
        rank = cycle[0];
    for (int i = 0; i < (length > 0 ? length : machine->options.nodes) && told < 4; i++) {
        const struct node *node = &machine->nodes[length > 0 ? cycle[i] : i];

        if (!is_waiting(node))
            continue;
        if (told++ > 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "; ");
        used += say_node(machine, node, text + used, sizeof text - used);
        if (used + 2 >= sizeof text)
            break;
    }
    int more = (length > 0 ? length : unfinished) - told;

    if (more > 0)
        failure_set(machine, rank, PEAL_DEADLOCK, machine->nodes[rank].file, machine->nodes[rank].line,
                    "nothing can move: %s; and %d more", text, more);
    else
        failure_set(machine, rank, PEAL_DEADLOCK, machine->nodes[rank].file, machine->nodes[rank].line,
                    "nothing can move: %s", text);
}
