/* SPDX-License-Identifier: MIT */
/* Why a node waits: which of its requests explains it. */
#include "lib/machine/requests.h"
#include "lib/machine/strand.h"
#include "lib/report/waiting.h"

static bool
group_has(const struct group *group, int rank)
{
    bool has = !group->members;

    for (int i = 0; group->members && i < group->size && !has; i++)
        has = group->members[i] == rank;
    return has;
}

const char *
collective_entered(const struct node *node)
{
    const struct peal_node *view = node->views;

    while (view && !(view->collective && strand_waits_in(node, view)))
        view = view->next;
    return view ? view->collective : NULL;
}

bool
request_is_of_call(const struct peal_machine *machine, const struct node *node, const struct request *request)
{
    struct call_site site = request_site(machine, request);

    if (node->state == NODE_POSTS)
        return (request->kind == REQUEST_RECEIVE) == (node->blocked_box == REQUEST_RECEIVE);
    if (node->state != NODE_WAITS)
        return false;
    if (collective_entered(node))
        return node_collective(node, request->context & ~REQUEST_APART) != NULL && strand_waits_in(node, request->view);
    return site.line == node->line && site.file && node->file &&
           (site.line <= PEAL_CODE ? site.file == node->file : strcmp(site.file, node->file) == 0);
}

/* How well a request explains that its node waits for `next` (-1: for any): 0 not at all.  Requests of the blocked call
 * come before earlier ones, then those whose peer has finished. */
static int
explains(const struct peal_machine *machine, const struct node *node, const struct request *request, int next)
{
    bool any = request->peer == PEAL_ANY_SOURCE;

    if ((request->flags & REQUEST_COMPLETE) || request->kind == REQUEST_STRAND)
        return 0;
    if (next >= 0 && request->kind == REQUEST_LOCK
            ? !access_holder(&machine->round, (uint32_t)(request - machine->requests), next)
            : next >= 0 && request->peer != next && !(any && group_has(request->view->group, next)))
        return 0;
    return 1 + 4 * request_is_of_call(machine, node, request) + 2 * (next >= 0 && !any) +
           (next < 0 && !any && machine->nodes[request->peer].state == NODE_FINISHED);
}

bool
request_is_of_before(const struct peal_machine *machine, const struct node *node, const struct request *request)
{
    const struct request *requests = machine->requests;
    bool others = collective_entered(node) || node->split;

    for (uint32_t id = node->open; id && !others; id = requests[id].open_next)
        others = request_is_of_call(machine, node, &requests[id]);
    return others && !request_is_of_call(machine, node, request);
}

const struct request *
find_reason(const struct peal_machine *machine, const struct node *node, int next)
{
    const struct request *requests = machine->requests, *best = NULL;
    int best_explains = 0;

    for (uint32_t id = node->open; id; id = requests[id].open_next) {
        int how_well = explains(machine, node, &requests[id], next);

        if (how_well > best_explains) {
            best_explains = how_well;
            best = &requests[id];
        }
    }
    return best;
}

bool
node_splits_without(const struct peal_machine *machine, const struct node *node, int next)
{
    const struct group *group = node->split ? node->split->parent->group : NULL;

    if (!group || next < 0)
        return group;

    const struct node *other = &machine->nodes[next];

    return group_has(group, next) && !(other->split && other->split->parent->group == group);
}

bool
request_is_hidden(const struct node *node, const struct request *request)
{
    return site_call(node->line) && node_collective(node, request->context & ~REQUEST_APART);
}
