/* SPDX-License-Identifier: MIT */
/* Collective calls of a group: the n-th collective of every member must be the same one, with the same root and size.
 */
#include "lib/machine/calls.h"
#include "lib/base/text.h"
#include "lib/machine/callers.h"
#include "lib/machine/hooks.h"
#include "lib/machine/view.h"

/* A group keeps the calls that not all of its members have made yet.  For each it keeps the lowest rank that made it
 * and the lowest rank whose call differs: both depend only on which nodes have called by the end of a phase, so reports
 * do not depend on the carriers.  A mismatch is found in the phase in which the second node calls, before any message
 * of the two calls can meet.
 *
 * Calls repeat, and choosing an algorithm takes some microseconds.  The machine remembers the last few kinds of calls:
 * the request, and the algorithm chosen.  A call that not all have made yet has the number of its kind, so the next
 * member that makes the same request only counts itself. */

enum { FIRST_ROOM = 4 }; /* a power of two */
enum { KINDS = 16, NAME_BYTES = 40 };

/* A kind of call, in groups of one size. */
struct cached_call {
    struct peal_call call; /* the request; its name is `name`, or NULL */
    uint32_t number;       /* no other kind of this machine had it */
    int part;              /* of the group */
    int taken;             /* of the algorithm, off the lines of such calls: see site_take */
    char name[NAME_BYTES];
};

struct cached_calls {
    const struct cached_call *last; /* the last one found */
    uint32_t made;
    struct cached_call kinds[KINDS];
};

/* ------------------------------------------------------------------ noting */

enum calls_difference
calls_difference(const struct peal_call *a, const struct peal_call *b)
{
    if (a->form != b->form)
        return CALLS_COLLECTIVES;
    if (a->root != b->root)
        return CALLS_ROOTS;
    if (a->unequal != b->unequal)
        return CALLS_ONE_UNEQUAL;
    if (a->words != b->words)
        return CALLS_SIZES;
    if (a->by != b->by)
        return CALLS_DISTANCES;
    if (!same_text(a->op, b->op))
        return CALLS_OPERATORS;
    if (a->list != b->list)
        return a->unequal ? CALLS_LENGTHS : CALLS_LISTS;
    if (a->parameter != b->parameter || !same_text(a->algorithm, b->algorithm))
        return CALLS_ALGORITHMS;
    return CALLS_SAME;
}

/* Keep a node's call if it is the first, or that of the lowest rank, or that of the lowest rank whose call differs. */
static __attribute__((noinline)) void
together_keep(struct together *together, const struct peal_call *call, const char *file, int line, int rank)
{
    struct node_call *first = &together->first, *other = &together->other;
    const struct node_call site = {*call, file, line, rank};

    if (together->count == 0) {
        *first = site;
        other->rank = -1;
    } else if (calls_difference(&first->call, call) == CALLS_SAME) {
        if (rank < first->rank)
            *first = site;
    } else if (rank < first->rank) {
        *other = *first;
        *first = site;
    } else if (other->rank < 0 || rank < other->rank) {
        *other = site;
    }
}

/* Keep the types that the node declared; false: others declared different ones. */
static __attribute__((noinline)) bool
keep_types(struct together *together, const struct node *node, const char *file, int line)
{
    const struct typed own = {node->call_note, node->call_types, file, line, node->rank};
    struct typed *typed = &together->typed, *odd = &together->odd;

    if (together->reported || !own.note)
        return true;
    if (typed->rank < 0 || (own.note == typed->note && own.rank < typed->rank)) {
        *typed = own;
    } else if (own.note != typed->note && own.rank < typed->rank) {
        *odd = *typed;
        *typed = own;
    } else if (own.note != typed->note && (odd->rank < 0 || own.rank < odd->rank)) {
        *odd = own;
    }
    return odd->rank < 0;
}

/* Double the room. */
static bool
calls_widen(struct calls *calls)
{
    uint32_t room = calls->room ? 2 * calls->room : FIRST_ROOM;
    struct together *ring = calloc(room, sizeof *ring);

    if (!ring)
        return false;
    for (uint32_t i = calls->base; i != calls->base + calls->count; i++)
        ring[i & (room - 1)] = *calls_at(calls, i);
    free(calls->ring);
    calls->ring = ring;
    calls->room = room;
    return true;
}

static bool
calls_create(struct group *group)
{
    struct calls *calls = calloc(1, sizeof *calls);

    if (!calls || !(calls->made = calloc((size_t)group->size, sizeof *calls->made)) || !calls_widen(calls)) {
        if (calls)
            free(calls->made);
        free(calls);
        return false;
    }
    group->calls = calls;
    return true;
}

/* Note the node's next call, of this kind (0: unknown); with `contexts`, a strand's call.  False without memory. */
static __attribute__((noinline)) bool
calls_note(struct peal_node *me, const struct peal_call *call, uint32_t kind, uint32_t *contexts, const char *file,
           int line)
{
    struct group *group = me->group;

    if (!group->calls && !calls_create(group))
        return false;
    struct calls *calls = group->calls;
    uint32_t number = calls->made[me->rank];

    if (number - calls->base == calls->count) {
        if (calls->count == calls->room && !calls_widen(calls))
            return false;
        calls->count++;
        calls_at(calls, number)->count = 0;
        calls_at(calls, number)->kind = kind;
        calls_at(calls, number)->contexts = 0;
        calls_at(calls, number)->call = callers_call(me, call);
        calls_at(calls, number)->typed = calls_at(calls, number)->odd = (struct typed){.rank = -1};
        calls_at(calls, number)->reported = false;
    }
    calls->made[me->rank]++;
    struct together *together = calls_at(calls, number);

    me->node->call = together->call;
    if (together->kind != kind)
        together->kind = 0;
    together_keep(together, call, file, line, me->node->rank);
    together->count++;
    if (contexts) {
        if (!together->contexts) {
            together->contexts = me->node->machine->contexts;
            me->node->machine->contexts += 2;
        }
        *contexts = together->contexts;
    }
    if (!keep_types(together, me->node, file, line) || together->other.rank >= 0)
        me->node->machine->mismatched = true;
    me->node->call_note = 0;
    calls_forget_complete(calls, group->size);
    return true;
}

/* Note a call that other, lower ranks have made before: the usual case. */
static inline bool
note_kind(struct peal_node *me, const struct peal_call *call, uint32_t kind, const char *file, int line)
{
    struct calls *calls = me->group->calls;
    uint32_t number = calls ? calls->made[me->rank] : 0;
    struct together *together = calls ? calls_at(calls, number) : NULL;

    if (!calls || number - calls->base >= calls->count || together->kind != kind ||
        me->node->rank < together->first.rank || me->node->call_note != together->typed.note)
        return calls_note(me, call, kind, NULL, file, line);
    me->node->call_note = 0;
    me->node->call = together->call;
    calls->made[me->rank] = number + 1;
    if (++together->count == me->group->size)
        calls_forget_complete(calls, me->group->size);
    return true;
}

/* ------------------------------------------------------------------ calls that repeat */

/* Names are compared by their letters: a program may have overwritten a name in place.  Neighbours in the struct are
 * not compared one after the other: a compiler loads two that were just stored as one, which waits for both stores.
 * Where lengths are unequal the list is not 0. */
static inline bool
cached_call_matches(const struct cached_call *kind, const struct peal_node *me, const struct peal_call *call)
{
    const struct peal_call *known = &kind->call;

    return known->form == call->form && known->root == call->root && known->words == call->words &&
           known->by == call->by && known->op == call->op && known->number == call->number &&
           known->list == call->list && known->traits == call->traits && kind->part == me->group->part &&
           (call->asked ? known->asked && strcmp(kind->name, call->asked) == 0 : !known->asked);
}

static __attribute__((noinline)) const struct cached_call *
search_kinds(struct cached_calls *kinds, const struct peal_node *me, const struct peal_call *call)
{
    for (uint32_t i = 0; i < KINDS; i++)
        if (cached_call_matches(&kinds->kinds[i], me, call))
            return kinds->last = &kinds->kinds[i];
    return NULL;
}

static inline const struct cached_call *
cached_call_find(struct cached_calls *kinds, const struct peal_node *me, const struct peal_call *call)
{
    const struct cached_call *last = kinds->last;

    return cached_call_matches(last, me, call) ? last : search_kinds(kinds, me, call);
}

/* Remember the result of the call.  Gives the number of its kind; 0: it is not remembered. */
static uint32_t
cached_call_add(struct peal_node *me, const struct peal_call *call)
{
    struct peal_machine *machine = me->node->machine;
    size_t length = call->asked ? strlen(call->asked) : 0;

    me->node->agreed = 0;
    if (length >= NAME_BYTES || !call->plan)
        return 0;
    if (!machine->kinds) {
        if (!(machine->kinds = calloc(1, sizeof *machine->kinds)))
            return 0;
        machine->kinds->last = machine->kinds->kinds;
    }
    const struct cached_call *known = cached_call_find(machine->kinds, me, call);

    if (known)
        return me->node->agreed = known->taken, known->number;
    struct cached_call *kind = &machine->kinds->kinds[machine->kinds->made++ % KINDS];

    *kind = (struct cached_call){.call = *call,
                                 .number = machine->kinds->made,
                                 .part = me->group->part,
                                 .taken = site_take(machine, call->algorithm, call->parameter)};
    if (call->asked)
        kind->call.asked = memcpy(kind->name, call->asked, length + 1);
    me->node->agreed = kind->taken;
    return kind->number;
}

static void
lock_calls(struct peal_node *me)
{
    me->node->inside = true;
    if (me->node->machine->phase.carrier_count > 1)
        pthread_mutex_lock(&me->node->machine->calls_lock);
}

static void
unlock_calls(struct peal_node *me)
{
    if (me->node->machine->phase.carrier_count > 1)
        pthread_mutex_unlock(&me->node->machine->calls_lock);
    me->node->inside = false;
}

static __attribute__((noinline, cold)) _Noreturn void
fail_to_note(struct peal_node *me, const struct peal_call *call, const char *file, int line)
{
    peal_fail_at(me, PEAL_OUT_OF_MEMORY, file, line, "no memory to note a call of %s", call->form->name);
}

/* Pass the call to the engine whose nodes are processes. */
static void
call_remote(struct peal_node *me, const struct peal_call *call, const char *file, int line)
{
    const struct remote *remote = me->node->machine->remote;

    if (!remote->called)
        return;
    me->node->inside = true;
    site_look_up(me->node->machine, &file, &line);
    remote->called(me, call, file, line);
    me->node->inside = false;
}

void
peal_declare_call(struct peal_node *me, const struct peal_call *call, const char *file, int line)
{
    bool compared = !me->collective && !me->node->machine->remote;

    me->node->called |= call->form->out != PEAL_SIDE_NONE;
    lock_calls(me);
    uint32_t kind = me->node->kind = cached_call_add(me, call);
    bool noted = !compared || calls_note(me, call, kind, NULL, file, line);

    unlock_calls(me);
    if (!noted)
        fail_to_note(me, call, file, line);
    if (!me->collective && me->node->machine->remote)
        call_remote(me, call, file, line);
}

void
peal_call_types(struct peal_node *me, uint64_t note, const char *types)
{
    if (me->collective)
        return;
    me->node->call_note = note;
    me->node->call_types = types;
}

void
peal_end_calls(struct peal_node *me)
{
    me->node->calls_ended = true;
}

uint32_t
calls_strand(struct peal_node *me, const struct peal_call *call)
{
    const char *file = me->node->file;
    int line = me->node->line;
    uint32_t contexts = 0;

    lock_calls(me);
    bool noted = me->node->machine->contexts < REQUEST_APART - 2 && calls_note(me, call, 0, &contexts, file, line);

    unlock_calls(me);
    if (!noted)
        fail_to_note(me, call, file, line);
    return contexts;
}

struct peal_node *
peal_enter_cached(struct peal_node *me, struct peal_call *call, const char *file, int line)
{
    struct peal_machine *machine = me->node->machine;
    bool remote = machine->remote != NULL, noted = true;

    if (machine->phase.carrier_count > 1 && call->asked &&
        strlen(call->asked) >= NAME_BYTES) /* a pointer out of bounds crashes here */
        return NULL;
    lock_calls(me);
    const struct cached_call *kind = machine->kinds ? cached_call_find(machine->kinds, me, call) : NULL;

    if (!kind) {
        unlock_calls(me);
        return NULL;
    }
    call->algorithm = kind->call.algorithm;
    call->plan = kind->call.plan;
    call->parameter = kind->call.parameter;
    me->node->kind = kind->number;
    me->node->called |= call->form->out != PEAL_SIDE_NONE;
    int taken = line <= PEAL_CODE ? kind->taken : 0;

    if (!me->collective && !remote)
        noted = note_kind(me, call, kind->number, file, line);
    unlock_calls(me);
    if (!noted)
        fail_to_note(me, call, file, line);
    if (!me->collective && remote)
        call_remote(me, call, file, line);
    return enter_view(me, call->form->name, call->parameter, file, line - taken);
}

void
calls_clear(struct group *group)
{
    struct calls *calls = group->calls;

    if (!calls || (calls->base == 0 && calls->count == 0))
        return;
    memset(calls->made, 0, (size_t)group->size * sizeof *calls->made);
    calls->base = calls->count = 0;
}

void
calls_fini(struct group *group)
{
    if (!group->calls)
        return;
    free(group->calls->ring);
    free(group->calls->made);
    free(group->calls);
    group->calls = NULL;
}
