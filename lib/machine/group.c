/* SPDX-License-Identifier: MIT */
/* Groups: peal_split parks its node until every member of the group has called it; then the round makes the new
 * groups. */
#include "lib/base/text.h"
#include "lib/machine/calls.h"
#include "lib/machine/failure.h"
#include "lib/machine/hooks.h"
#include "lib/machine/park.h"
#include "lib/machine/requests.h"
#include "lib/machine/size_classes.h"

struct peal_node *
peal_split_at(struct peal_node *me, int color, int key, const char *file, int line)
{
    struct node *node = me->node;

    call_enter(me, file, line);
    if (color < 0 && color != PEAL_NO_COLOR)
        node_fail(me, PEAL_BAD_REQUEST, "cannot split by color %d: colors are 0 and above", color);
    if (node->split)
        node_fail(me, PEAL_BAD_REQUEST, "another strand of this node splits a group");
    static const struct peal_form form = {.name = "split"};
    const struct peal_call split = {.form = &form};

    if (!node->machine->remote)
        peal_declare_call(me, &split, node->file, node->line);
    node->inside = true;
    struct split_call *call = own_alloc(sizeof *call);

    if (!call)
        node_fail(me, PEAL_OUT_OF_MEMORY, "no memory to split a group");
    *call = (struct split_call){.view = *me, .parent = me, .color = color, .key = key};
    call->view.blocks = 0;
    call->view.next = node->views;
    node->views = &call->view; /* freed with the node's memory in any case */
    node->split = call;
    if (node->machine->remote) {
        if (!node->machine->remote->split(node, call))
            node_fail(me, PEAL_OUT_OF_MEMORY, "no memory to split a group");
    } else {
        node_park(node, NODE_SPLITS);
    }
    node->split = NULL;
    node->inside = false;
    return color == PEAL_NO_COLOR ? NULL : &call->view;
}

static int
group_member_compare(const void *a, const void *b, void *machine)
{
    const struct node *nodes = ((struct peal_machine *)machine)->nodes;
    const struct node *x = &nodes[*(const int32_t *)a], *y = &nodes[*(const int32_t *)b];

    if (x->split->color != y->split->color)
        return x->split->color < y->split->color ? -1 : 1;
    if (x->split->key != y->split->key)
        return x->split->key < y->split->key ? -1 : 1;
    return (x->split->parent->rank > y->split->parent->rank) - (x->split->parent->rank < y->split->parent->rank);
}

void
group_agreed(struct peal_machine *machine, int size)
{
    machine->had_groups |= size > 1 && machine->round.cost.alpha > 0;
}

struct group *
group_make(struct peal_machine *machine, const int32_t *members, int size, struct call_site made)
{
    struct group *group = own_alloc(sizeof *group);
    int32_t *own = own_alloc((size_t)size * sizeof *own);

    if (!group || !own) {
        own_free(group);
        own_free(own);
        return NULL;
    }
    memcpy(own, members, (size_t)size * sizeof *own);
    *group = (struct group){.size = size,
                            .part = size,
                            .members = own,
                            .context = machine->contexts,
                            .made = made,
                            .next = machine->groups};
    machine->groups = group;
    machine->contexts += 2;
    group_agreed(machine, size);
    return group;
}

void
group_enter(struct peal_node *view, struct group *group, int rank)
{
    view->group = group;
    view->rank = rank;
    view->context = group->context;
    view->collectives = group->context + 1;
    view->collective = view->file = NULL;
    view->packet = 0;
    view->parameter = 0;
}

/* Make one group of members[0 .. size), which all gave the same color. */
static bool
make_group(struct peal_machine *machine, const int32_t *members, int size)
{
    const struct node *first = &machine->nodes[members[0]];
    struct group *group = group_make(machine, members, size, (struct call_site){first->file, first->line});

    for (int rank = 0; group && rank < size; rank++)
        group_enter(&machine->nodes[members[rank]].split->view, group, rank);
    return group;
}

/* All members of `parent` are parked in peal_split. */
static bool
group_split(struct peal_machine *machine, const struct group *parent)
{
    int32_t *members = malloc((size_t)parent->size * sizeof *members);
    bool memory = members;

    for (int rank = 0; memory && rank < parent->size; rank++)
        members[rank] = parent->members ? parent->members[rank] : rank;
    if (memory)
        qsort_r(members, (size_t)parent->size, sizeof *members, group_member_compare, machine);
    for (int begin = 0, end; memory && begin < parent->size; begin = end) {
        int color = machine->nodes[members[begin]].split->color;

        for (end = begin; end < parent->size && machine->nodes[members[end]].split->color == color;)
            end++;
        for (int i = begin; i < end; i++)
            machine->nodes[members[i]].split->done = true;
        if (color != PEAL_NO_COLOR)
            memory = make_group(machine, &members[begin], end - begin);
    }
    free(members);
    return memory;
}

size_t
groups_split(struct peal_machine *machine, const int32_t *ran, size_t count,
             void (*release)(struct peal_machine *, struct node *))
{
    size_t released = 0;

    for (size_t i = 0; i < count; i++) {
        struct split_call *call = machine->nodes[ran[i]].split;

        if (!call || call->arrived)
            continue;
        struct group *group = call->parent->group;

        call->arrived = true;

        if (++group->splitting < group->size)
            continue;
        group->splitting = 0;
        if (!group_split(machine, group)) {
            failure_set(machine, ran[i], PEAL_OUT_OF_MEMORY, machine->nodes[ran[i]].file, machine->nodes[ran[i]].line,
                        "no memory to split a group of %d nodes", group->size);
            return released;
        }
        for (int rank = 0; rank < group->size; rank++)
            release(machine, &machine->nodes[group->members ? group->members[rank] : rank]);
        released += (size_t)group->size;
    }
    return released;
}

void
peal_name_group(struct peal_node *me, const char *name)
{
    enum { MAX = 60 }; /* bytes that are shown */
    struct peal_machine *machine = me->node->machine;
    struct group *group = me->group;

    me->node->inside = true;
    pthread_mutex_lock(&machine->calls_lock);
    free(group->name);
    group->name = strndup(name, (size_t)peal_fitting(name, MAX)); /* without memory it has none */
    if (group->name)
        make_plain(group->name);
    pthread_mutex_unlock(&machine->calls_lock);
    me->node->inside = false;
}

void
groups_clear(struct peal_machine *machine)
{
    for (struct group *group; (group = machine->groups); own_free(group)) {
        machine->groups = group->next;
        calls_fini(group);
        own_free(group->members);
        free(group->name);
    }
    free(machine->world.name);
    machine->world.name = NULL;
    calls_clear(&machine->world);
    machine->mismatched = false;
    machine->world.splitting = 0;
    machine->contexts = 2;
}
