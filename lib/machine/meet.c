/* SPDX-License-Identifier: MIT */
/* Meetings: peal_meet parks its node until all nodes in its list have called it with the same list; then the round
 * releases them, each with the data of the others, and makes their group.  It moves no words. */
#include "lib/machine/meet.h"
#include "lib/machine/failure.h"
#include "lib/machine/post.h"
#include "lib/machine/size_classes.h"

/* The data of all members; the last member to take it frees it. */
struct contributions {
    _Atomic int takers;
    char bytes[];
};

/* One node's call, kept by the node: its strands may each be in one. */
struct meet_call {
    struct meet_call *next; /* of the node's, the last first */
    const char *file;
    int line;
    bool arrived, held; /* counted by the round; all members have joined */
    struct peal_node *parent;
    struct peal_meeting what; /* ranks lies in the program's memory, valid while its node is parked */
    struct contributions *contributions;
    struct peal_node *view; /* one of the node's, which becomes one of the new group; NULL: no group is made */
    char mine[];
};

/* A meeting that some members have not joined yet. */
struct meeting {
    struct meeting *next;
    const struct meet_call *first; /* the first to come */
    int arrived;
};

static int
meet_call_size(const struct meet_call *call)
{
    return call->what.ranks ? call->what.count : call->parent->group->size;
}

/* Rank of the i-th one in the whole machine. */
static int
member_of(const struct meet_call *call, int i)
{
    return peal_rank_in_world(call->parent, call->what.ranks ? call->what.ranks[i] : i);
}

static void
meet_call_free(struct meet_call *call)
{
    if (call->contributions && atomic_fetch_sub_explicit(&call->contributions->takers, 1, memory_order_acq_rel) == 1)
        own_free(call->contributions);
    own_free(call);
}

void
meet_forget(struct node *node)
{
    for (struct meet_call *call; (call = node->meets); meet_call_free(call))
        node->meets = call->next;
}

/* The call returns. */
static void
leave_meeting(struct node *node, struct meet_call *call)
{
    struct meet_call **at = &node->meets;

    while (*at != call)
        at = &(*at)->next;
    *at = call->next;
    meet_call_free(call);
}

bool
meet_is_held(const struct meet_call *call)
{
    return call->held;
}

/* ------------------------------------------------------------------ the call */

static void
check_meeting(struct peal_node *me, const struct peal_meeting *what)
{
    int size = me->group->size;
    bool own = !what->ranks;

    if (!what->ranks)
        return;
    uint64_t *seen = calloc((size_t)size / 64 + 1, sizeof *seen);

    if (!seen)
        node_fail(me, PEAL_OUT_OF_MEMORY, "no memory for a meeting of %d nodes", what->count);
    me->node->held = seen;
    for (int i = 0; i < what->count; i++) {
        int rank = what->ranks[i];

        if (rank < 0 || rank >= size)
            node_fail(me, PEAL_BAD_RANK, "cannot meet node %d: ranks are 0 to %d", rank, size - 1);
        if (seen[rank / 64] & UINT64_C(1) << rank % 64)
            node_fail(me, PEAL_BAD_REQUEST, "cannot meet node %d twice at once", rank);
        seen[rank / 64] |= UINT64_C(1) << rank % 64;
        own |= rank == me->rank;
    }
    me->node->held = NULL;
    free(seen);
    if (!own)
        node_fail(me, PEAL_BAD_REQUEST, "node %d is not one of the %d that it is to meet", me->rank, what->count);
}

/* Copy what the node brings, so that the round touches no memory of the program's. */
static struct meet_call *
call_new(struct peal_node *me, const struct peal_meeting *what)
{
    struct meet_call *call = own_alloc(sizeof *call + what->bytes);

    if (!call)
        node_fail(me, PEAL_OUT_OF_MEMORY, "no memory to bring %zu bytes to a meeting", what->bytes);
    *call = (struct meet_call){
        .next = me->node->meets, .file = me->node->file, .line = me->node->line, .parent = me, .what = *what};
    me->node->meets = call;
    if (what->bytes > 0)
        memcpy(call->mine, what->mine, what->bytes);
    if (what->group && !(call->view = own_alloc(sizeof *call->view)))
        node_fail(me, PEAL_OUT_OF_MEMORY, "no memory for a group");
    if (call->view) {
        *call->view = *me;
        call->view->blocks = 0;
        call->view->next = me->node->views;
        me->node->views = call->view;
    }
    return call;
}

struct peal_node *
peal_meet_at(struct peal_node *me, const struct peal_meeting *meeting, const char *file, int line)
{
    call_enter(me, file, line);
    post_refuse_remote(me, "peal_meet");
    check_meeting(me, meeting);
    struct meet_call *call = call_new(me, meeting);
    struct peal_node *view = call->view;

    if (me->node->machine->remote) {
        if (!me->node->machine->remote->meet(me, meeting, view))
            node_fail(me, PEAL_OUT_OF_MEMORY, "no memory for a meeting");
        leave_meeting(me->node, call);
        call_leave(me);
        return view;
    }
    node_park(me->node, NODE_MEETS);
    if (meeting->all && meeting->bytes > 0)
        memcpy(meeting->all, call->contributions->bytes, (size_t)meet_call_size(call) * meeting->bytes);
    leave_meeting(me->node, call);
    call_leave(me);
    return view;
}

/* ------------------------------------------------------------------ who has joined */

/* Whether two calls join the same meeting. */
static bool
same_meeting(const struct meet_call *a, const struct meet_call *b)
{
    return a->parent->group == b->parent->group && a->what.number == b->what.number &&
           meet_call_size(a) == meet_call_size(b) && !a->what.ranks == !b->what.ranks &&
           (!a->what.ranks || memcmp(a->what.ranks, b->what.ranks, (size_t)a->what.count * sizeof(int)) == 0);
}

/* How many earlier calls of the node's strands wait for the same: each joins a meeting, and this call the next. */
static int
meet_calls_before(const struct meet_call *call)
{
    int count = 0;

    for (const struct meet_call *earlier = call->next; earlier; earlier = earlier->next)
        count += !earlier->held && same_meeting(earlier, call);
    return count;
}

/* The place of the call's meeting, or of NULL at the end of the list. */
static struct meeting **
meeting_find(struct peal_machine *machine, const struct meet_call *call)
{
    struct meeting **at = &machine->meetings;
    int earlier = meet_calls_before(call);

    while (*at && (!same_meeting((*at)->first, call) || earlier-- > 0))
        at = &(*at)->next;
    return at;
}

/* The call with which the node has joined the meeting of this one; NULL: it has not. */
static struct meet_call *
meet_call_joined(const struct node *node, const struct meet_call *call)
{
    const int earlier = meet_calls_before(call);
    struct meet_call *own = node->meets;

    while (own && (own->held || !same_meeting(own, call) || meet_calls_before(own) != earlier))
        own = own->next;
    return own;
}

/* The node's last call whose meeting is not held; NULL: none. */
static const struct meet_call *
meet_call_pending(const struct node *node)
{
    const struct meet_call *call = node->meets;

    while (call && call->held)
        call = call->next;
    return call;
}

bool
meet_lacks(const struct peal_machine *machine, const struct node *node, int rank)
{
    const struct node *other = &machine->nodes[rank];
    const struct meet_call *call = meet_call_pending(node);
    bool named = false;

    if (!call)
        return false;
    for (int i = 0, size = meet_call_size(call); i < size && !named; i++)
        named = member_of(call, i) == rank;
    return named && rank != node->rank && !meet_call_joined(other, call);
}

bool
meet_each_missing(const struct peal_machine *machine, const struct node *node,
                  bool (*visit)(void *state, int from, int peer), void *state)
{
    const struct meet_call *call = meet_call_pending(node);

    for (int i = 0, size = call ? meet_call_size(call) : 0; i < size; i++) {
        int rank = member_of(call, i);
        const struct node *other = &machine->nodes[rank];

        if (rank == node->rank || other->state == NODE_FINISHED || other->state == NODE_FAILED ||
            meet_call_joined(other, call))
            continue;
        if (visit(state, node->rank, rank))
            return true;
    }
    return false;
}

bool
meetings_find_missed(const struct peal_machine *machine, bool (*is_away)(const struct node *node),
                     struct meeting_missed *missed)
{
    for (const struct meeting *meeting = machine->meetings; meeting; meeting = meeting->next) {
        const struct meet_call *call = meeting->first;
        const struct node *came = call->parent->node;

        for (int i = 0, size = meet_call_size(call); i < size && !came->calls_ended; i++) {
            const struct node *node = &machine->nodes[member_of(call, i)];

            if (meet_call_joined(node, call) || !is_away(node))
                continue;
            *missed = (struct meeting_missed){came->rank, node->rank, size, {call->file, call->line}};
            return true;
        }
    }
    return false;
}

/* The call differs from that of the first member. */
static void
meet_report_difference(struct peal_machine *machine, const struct meet_call *one, const struct meet_call *other)
{
    const struct peal_meeting *a = &one->what, *b = &other->what;
    const struct node *first = one->parent->node, *node = other->parent->node;
    const char *call = site_call(one->line), *own = site_call(other->line);
    char where[SITE_WORDS];

    if (a->bytes == b->bytes && a->group == b->group)
        return;
    site_call_words(machine, (struct call_site){one->file, one->line}, where);
    if (call && own && strcmp(call, own) != 0)
        failure_set(machine, node->rank, PEAL_COLLECTIVE_MISMATCH, other->file, other->line,
                    "node %d calls %s, node %d calls %s", node->rank, own, first->rank, where);
    else if (a->bytes != b->bytes)
        failure_set(machine, node->rank, PEAL_COLLECTIVE_MISMATCH, other->file, other->line,
                    "node %d brings %zu bytes to a meeting, node %d brings %zu (%s)", node->rank, b->bytes, first->rank,
                    a->bytes, where);
    else
        failure_set(machine, node->rank, PEAL_COLLECTIVE_MISMATCH, other->file, other->line,
                    "node %d meets %s a group, node %d %s one (%s)", node->rank, b->group ? "for" : "without",
                    first->rank, a->group ? "for" : "without", where);
}

/* All members have joined: give each the data of all, and make their group.  false without memory. */
static bool
hold_meeting(struct peal_machine *machine, const struct meet_call *call)
{
    int size = meet_call_size(call);
    size_t bytes = call->what.bytes;
    struct contributions *contributions = own_alloc(sizeof *contributions + (size_t)size * bytes);
    int32_t *members = malloc((size_t)size * sizeof *members);
    struct group *group = NULL;

    for (int i = 0; members && i < size; i++)
        members[i] = member_of(call, i);
    if (members && call->what.group)
        group = group_make(machine, members, size, (struct call_site){call->file, call->line});
    if (bytes > 0)
        group_agreed(machine, size);
    bool memory = contributions && members && (group || !call->what.group);

    if (memory)
        atomic_store_explicit(&contributions->takers, size, memory_order_relaxed); /* published with the next phase */
    for (int i = 0; memory && i < size; i++) {
        struct meet_call *one = meet_call_joined(&machine->nodes[members[i]], call);

        memcpy(contributions->bytes + (size_t)i * bytes, one->mine, bytes);
        one->contributions = contributions;
        one->held = true;
        if (group)
            group_enter(one->view, group, i);
    }
    if (!memory)
        own_free(contributions);
    free(members);
    return memory;
}

/* Count the call; hold its meeting if it is the last.  Gives how many nodes that releases. */
static size_t
meet_arrive(struct peal_machine *machine, struct meet_call *call, void (*release)(struct peal_machine *, struct node *))
{
    struct meeting **at = meeting_find(machine, call), *meeting = *at;
    int size = meet_call_size(call), rank = call->parent->node->rank;

    call->arrived = true;
    if (!meeting && (meeting = own_alloc(sizeof *meeting))) {
        *meeting = (struct meeting){.first = call};
        *at = meeting;
    }
    if (meeting)
        meet_report_difference(machine, meeting->first, call);
    if (machine->reports.failed || (meeting && ++meeting->arrived < size))
        return 0;
    if (!meeting || !hold_meeting(machine, meeting->first)) {
        failure_set(machine, rank, PEAL_OUT_OF_MEMORY, call->file, call->line, "no memory for a meeting of %d nodes",
                    size);
        return 0;
    }
    *at = meeting->next;
    own_free(meeting);
    for (int i = 0; i < size; i++)
        release(machine, &machine->nodes[member_of(call, i)]);
    return (size_t)size;
}

/* The node's first call that the round has not counted; NULL: none. */
static struct meet_call *
meet_call_new(const struct node *node)
{
    struct meet_call *first = NULL;

    for (struct meet_call *call = node->meets; call; call = call->next)
        first = call->arrived ? first : call;
    return first;
}

size_t
meetings_hold(struct peal_machine *machine, const int32_t *ran, size_t count,
              void (*release)(struct peal_machine *, struct node *))
{
    size_t released = 0;

    for (size_t i = 0; i < count; i++)
        for (struct meet_call *call; (call = meet_call_new(&machine->nodes[ran[i]]));)
            released += meet_arrive(machine, call, release);
    return released;
}

void
meetings_clear(struct peal_machine *machine)
{
    for (struct meeting *meeting; (meeting = machine->meetings); own_free(meeting))
        machine->meetings = meeting->next;
}
