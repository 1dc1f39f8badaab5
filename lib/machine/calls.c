/* SPDX-License-Identifier: MIT */
/* What the members of a group call together: each one's n-th collective must be every other one's n-th, with the same root
 * and size.
 *
 * A group keeps the calls that not all of its members have made yet.  Of each it keeps the lowest rank that made it and the
 * lowest one whose call is another: both depend only on who has called by the end of a phase, so what is told does not
 * depend on the carriers.  A mismatch is found in the phase in which the second node calls, before any message of the two
 * calls can meet.
 *
 * Calls repeat.  A group remembers the last few kinds of calls: what was asked, and what came of it.  A call that not all
 * have made yet bears its kind, so the next member compares what it asks where that lies, and counts itself. */
#include "lib/base/plural.h"
#include "lib/machine/requests.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 4 }; /* a power of two */
enum { KINDS = 4, NAME_BYTES = 40 };

/* One node's call. */
struct site {
    struct peal_call call;
    const char *file;
    int line;
    int rank; /* in the whole machine; -1: nobody's */
};

/* A kind of call. */
struct kind {
    struct peal_asked asked; /* its algorithm is `name`, or NULL */
    const void *plan;        /* NULL: there is no such kind */
    struct peal_call call;
    char name[NAME_BYTES];
};

/* The n-th call of a group. */
struct together {
    const struct kind *kind;  /* of the first one's call; NULL: not known */
    struct site first, other; /* the lowest rank's; the lowest rank's of those that differ from it */
    int count;                /* members that made it */
};

struct calls {
    uint32_t *made;             /* by rank in the group: so many calls */
    struct together *ring;      /* the n-th lies at n % room */
    uint32_t base, count, room; /* the calls base .. base + count - 1 are kept: those before were made by all alike */
    uint32_t next_kind;         /* to be replaced */
    struct kind kinds[KINDS];
};

/* ------------------------------------------------------------------ noting */

static bool
same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* What two calls differ in, "the roots differ"; NULL: they are the same. */
static const char *
difference(const struct peal_call *a, const struct peal_call *b)
{
    if (a->collective != b->collective)
        return "";
    if (a->root != b->root)
        return "the roots differ";
    if (a->unequal != b->unequal)
        return "only one of them gives the lengths of all blocks";
    if (a->words != b->words)
        return "the sizes differ";
    if (a->by != b->by)
        return "the distances differ";
    if (!same_text(a->op, b->op))
        return "the operators differ";
    if (a->list != b->list)
        return a->unequal ? "the lengths of the blocks differ" : "the lists of ranks differ";
    if (a->parameter != b->parameter || !same_text(a->algorithm, b->algorithm))
        return "the algorithms differ";
    return NULL;
}

/* Keep a node's call if it is the first, the lowest rank's, or the lowest one's of those that differ. */
static __attribute__((noinline)) void
keep(struct together *together, const struct peal_call *call, const char *file, int line, int rank)
{
    struct site *first = &together->first, *other = &together->other;
    const struct site site = {*call, file, line, rank};

    if (together->count == 0) {
        *first = site;
        other->rank = -1;
    } else if (!difference(&first->call, call)) {
        if (rank < first->rank)
            *first = site;
    } else if (rank < first->rank) {
        *other = *first;
        *first = site;
    } else if (other->rank < 0 || rank < other->rank) {
        *other = site;
    }
}

/* Whether the two are the same, without a look at texts: false where that needs one. */
static inline bool
plainly_same(const struct peal_call *a, const struct peal_call *b)
{
    return a->collective == b->collective && a->root == b->root && a->words == b->words && a->op == b->op &&
           a->algorithm == b->algorithm && a->parameter == b->parameter && a->by == b->by && a->list == b->list &&
           a->unequal == b->unequal;
}

static struct together *
call_of(const struct calls *calls, uint32_t number)
{
    return &calls->ring[number & (calls->room - 1)];
}

/* Twice the room. */
static bool
widen(struct calls *calls)
{
    uint32_t room = calls->room ? 2 * calls->room : FIRST_ROOM;
    struct together *ring = calloc(room, sizeof *ring);

    if (!ring)
        return false;
    for (uint32_t i = calls->base; i != calls->base + calls->count; i++)
        ring[i & (room - 1)] = *call_of(calls, i);
    free(calls->ring);
    calls->ring = ring;
    calls->room = room;
    return true;
}

static bool
make_calls(struct group *group)
{
    struct calls *calls = calloc(1, sizeof *calls);

    if (!calls || !(calls->made = calloc((size_t)group->size, sizeof *calls->made)) || !widen(calls)) {
        if (calls)
            free(calls->made);
        free(calls);
        return false;
    }
    group->calls = calls;
    return true;
}

/* The calls that all have made alike are no longer kept. */
static void
forget_complete(struct calls *calls, int members)
{
    while (calls->count > 0 && call_of(calls, calls->base)->count == members &&
           call_of(calls, calls->base)->other.rank < 0) {
        calls->base++;
        calls->count--;
    }
}

/* Note the node's next call.  False without memory. */
static bool
note(struct peal_node *me, const struct peal_call *call, const char *file, int line)
{
    struct group *group = me->group;

    if (!group->calls && !make_calls(group))
        return false;
    struct calls *calls = group->calls;
    uint32_t number = calls->made[me->rank];
    int32_t rank = me->node->rank;

    if (number - calls->base == calls->count) {
        if (calls->count == calls->room && !widen(calls))
            return false;
        calls->count++;
        call_of(calls, number)->count = 0;
        call_of(calls, number)->kind = NULL;
    }
    calls->made[me->rank]++;
    struct together *together = call_of(calls, number);

    if (together->count == 0 || rank < together->first.rank || !plainly_same(&together->first.call, call))
        keep(together, call, file, line, rank);
    together->count++;
    if (together->other.rank >= 0) {
        me->node->machine->mismatched = true;
        together->kind = NULL;
    }
    forget_complete(calls, group->size);
    return true;
}

void
peal_agree(struct peal_node *me, const struct peal_call *call, const char *file, int line)
{
    struct node *node = me->node;
    struct peal_machine *machine = node->machine;
    bool shared = machine->carrier_count > 1;

    if (me->collective)
        return;
    node->inside = true;
    if (machine->remote) {
        site_look_up(machine, &file, &line);
        machine->remote->called(me, call, file, line);
        node->inside = false;
        return;
    }
    if (shared)
        pthread_mutex_lock(&machine->calls_lock);
    bool noted = note(me, call, file, line);

    if (shared)
        pthread_mutex_unlock(&machine->calls_lock);
    if (!noted)
        node_fail(me, PEAL_OUT_OF_MEMORY, file, line, "no memory to note a call of %s", call->collective->name);
    node->inside = false;
}

/* ------------------------------------------------------------------ calls that repeat */

/* Names are compared by their letters: a program may have written others where they lie. */
static inline bool
is_asked(const struct kind *kind, const struct peal_asked *asked)
{
    const struct peal_asked *known = &kind->asked;

    return known->collective == asked->collective && known->words == asked->words && known->root == asked->root &&
           known->by == asked->by && known->op == asked->op && known->traits == asked->traits &&
           (asked->algorithm ? known->algorithm && strcmp(kind->name, asked->algorithm) == 0 : !known->algorithm);
}

static const struct kind *
find_kind(const struct calls *calls, const struct peal_asked *asked)
{
    for (int i = 0; i < KINDS; i++)
        if (calls->kinds[i].plan && is_asked(&calls->kinds[i], asked))
            return &calls->kinds[i];
    return NULL;
}

/* Where a kind is kept from now on: no call bears what was there before. */
static struct kind *
replace_kind(struct calls *calls)
{
    struct kind *kind = &calls->kinds[calls->next_kind++ % KINDS];

    for (uint32_t i = 0; i < calls->count; i++)
        if (call_of(calls, calls->base + i)->kind == kind)
            call_of(calls, calls->base + i)->kind = NULL;
    return kind;
}

static void
remember(struct peal_node *me, const struct peal_asked *asked, const struct peal_call *call, const void *plan)
{
    struct calls *calls = me->group->calls;
    size_t length = asked->algorithm ? strlen(asked->algorithm) : 0;

    if (!calls || length >= NAME_BYTES || !plan)
        return;
    const struct kind *known = find_kind(calls, asked);

    if (!known) {
        struct kind *kind = replace_kind(calls);

        *kind = (struct kind){.asked = *asked, .plan = plan, .call = *call};
        if (asked->algorithm)
            kind->asked.algorithm = memcpy(kind->name, asked->algorithm, length + 1);
        known = kind;
    }
    uint32_t number = calls->made[me->rank] - 1;

    if (number - calls->base < calls->count && plainly_same(&call_of(calls, number)->first.call, &known->call))
        call_of(calls, number)->kind = known;
}

/* The node's next call, if what it asks is remembered and it is as the others' before it; noted.  NULL: it is not. */
static inline const struct kind *
note_again(struct peal_node *me, const struct peal_asked *asked, const char *file, int line)
{
    struct group *group = me->group;
    struct calls *calls = group->calls;

    if (!calls)
        return NULL;
    uint32_t number = calls->made[me->rank];
    struct together *together = call_of(calls, number);
    const struct kind *kind = together->kind;
    int32_t rank = me->node->rank;

    if (number - calls->base < calls->count) {
        if (!kind || !is_asked(kind, asked))
            return NULL;
    } else {
        kind = find_kind(calls, asked);
        if (!kind || calls->count == calls->room)
            return NULL;
        calls->count++;
        together->kind = kind;
        together->first = (struct site){kind->call, file, line, rank};
        together->other.rank = -1;
        together->count = 0;
    }
    if (rank < together->first.rank) {
        together->first.file = file;
        together->first.line = line;
        together->first.rank = rank;
    }
    calls->made[me->rank] = number + 1;
    if (++together->count == group->size)
        forget_complete(calls, group->size);
    return kind;
}

/* Enter a collective from the program, or from another one. */
static inline struct peal_node *
enter_view(struct peal_node *me, const char *collective, int parameter, const char *file, int line)
{
    struct node *node = me->node;
    struct peal_node *view = node->spare_view ? node->spare_view : malloc(sizeof *view);

    node->inside = true;
    if (__builtin_expect(node->machine->remote != NULL, 0))
        site_look_up(node->machine, &file, &line);
    node->spare_view = NULL;
    node->file = me->collective ? me->file : file;
    node->line = me->collective ? me->line : line;
    if (!view)
        node_fail(me, PEAL_OUT_OF_MEMORY, node->file, node->line, "no memory to enter %s", collective);
    *view = (struct peal_node){
        .node = node,
        .group = me->group,
        .rank = me->rank,
        .context = me->group->context + 1,
        .collective = me->collective ? me->collective : collective,
        .file = node->file,
        .line = node->line,
        .parameter = parameter,
        .scale = me->scale,
        .words_limit = me->words_limit,
        .next = node->views,
    };
    node->views = view;
    node->inside = false;
    return view;
}

struct peal_node *
peal_enter(struct peal_node *me, const char *collective, const char *file, int line)
{
    return enter_view(me, collective, 0, file, line);
}

void
peal_leave(struct peal_node *entered)
{
    struct node *node = entered->node;

    node->inside = true;
    if (entered->allocates)
        memory_leave(entered);
    for (struct peal_node **view = &node->views; *view; view = &(*view)->next)
        if (*view == entered) {
            *view = entered->next;
            break;
        }
    if (node->spare_view)
        free(entered);
    else
        node->spare_view = entered;
    node->inside = false;
}

void
peal_remember(struct peal_node *me, const struct peal_asked *asked, const struct peal_call *call, const void *plan)
{
    struct peal_machine *machine = me->node->machine;
    bool shared = machine->carrier_count > 1;

    if (me->collective || machine->remote)
        return;
    me->node->inside = true;
    if (shared)
        pthread_mutex_lock(&machine->calls_lock);
    remember(me, asked, call, plan);
    if (shared)
        pthread_mutex_unlock(&machine->calls_lock);
    me->node->inside = false;
}

struct peal_node *
peal_enter_again(struct peal_node *me, const struct peal_asked *asked, const void **plan, const char *file, int line)
{
    struct peal_machine *machine = me->node->machine;
    bool shared = machine->carrier_count > 1;

    if (me->collective || machine->remote)
        return NULL;
    if (shared && asked->algorithm && strlen(asked->algorithm) >= NAME_BYTES) /* one that is not there fails us here */
        return NULL;
    me->node->inside = true;
    if (shared)
        pthread_mutex_lock(&machine->calls_lock);
    const struct kind *kind = note_again(me, asked, file, line);
    int parameter = kind ? kind->call.parameter : 0;

    *plan = kind ? kind->plan : NULL;
    if (shared)
        pthread_mutex_unlock(&machine->calls_lock);
    me->node->inside = false;
    return kind ? enter_view(me, asked->collective->name, parameter, file, line) : NULL;
}

void
calls_clear(struct group *group)
{
    struct calls *calls = group->calls;

    if (!calls || (calls->base == 0 && calls->count == 0))
        return;
    memset(calls->made, 0, (size_t)group->size * sizeof *calls->made);
    memset(calls->kinds, 0, sizeof calls->kinds);
    calls->base = calls->count = calls->next_kind = 0;
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

/* ------------------------------------------------------------------ in words */

enum { SAID = 300 };

/* "broadcast of 4 words with root 1 (prog.c:12)" */
static void
say_call(const struct peal_machine *machine, const struct site *site, bool algorithm, char text[SAID])
{
    char where[SITE_WORDS];
    const struct peal_call *call = &site->call;
    const struct peal_called *called = call->collective;
    size_t used = (size_t)snprintf(text, SAID, "%.40s", called->name);

    if (algorithm && call->algorithm)
        used += (size_t)snprintf(text + used, SAID - used, "/%.40s", call->algorithm);
    if (algorithm && call->parameter > 0)
        used += (size_t)snprintf(text + used, SAID - used, ":%d", call->parameter);
    if (called->sized && call->words + !call->unequal > 0)
        used += (size_t)snprintf(text + used, SAID - used, " of %s%s%zu word%s", called->blocks ? "blocks of " : "",
                                 call->unequal ? "up to " : "", call->words, plural(call->words));
    if (call->op)
        used += (size_t)snprintf(text + used, SAID - used, " by %.40s", call->op);
    if (called->shifts)
        used += (size_t)snprintf(text + used, SAID - used, " by %d", call->by);
    if (called->rooted)
        used += (size_t)snprintf(text + used, SAID - used, " with root %d", call->root);
    snprintf(text + used, SAID - used, " (%s)", site_words(machine, (struct call_site){site->file, site->line}, where));
}

/* "2nd collective of all 8 nodes" */
static void
say_number(const struct group *group, bool world, uint32_t number, char text[SAID])
{
    uint64_t n = (uint64_t)number + 1;
    const char *end = n / 10 % 10 == 1 ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";

    snprintf(text, SAID, "%llu%s collective of %s %d node%s", (unsigned long long)n, end, world ? "all" : "a group of",
             group->size, plural(group->size));
}

/* ------------------------------------------------------------------ telling */

static void
tell_difference(struct peal_machine *machine, const struct group *group, uint32_t number)
{
    const struct together *together = call_of(group->calls, number);
    const char *how = difference(&together->first.call, &together->other.call);
    bool algorithms = strcmp(how, "the algorithms differ") == 0;
    char what[SAID], one[SAID], other[SAID];

    say_number(group, group == &machine->world, number, what);
    say_call(machine, &together->first, algorithms, one);
    say_call(machine, &together->other, algorithms, other);
    failure_set(machine, together->other.rank, PEAL_COLLECTIVE_MISMATCH, together->other.file, together->other.line,
                "the %s is not one call: node %d calls %s, node %d calls %s%s%s", what, together->first.rank, one,
                together->other.rank, other, *how ? ": " : "", how);
}

void
calls_tell_differences(struct peal_machine *machine)
{
    for (const struct group *group = &machine->world; group;
         group = group == &machine->world ? machine->groups : group->next)
        for (uint32_t i = 0; group->calls && i < group->calls->count; i++)
            if (call_of(group->calls, group->calls->base + i)->other.rank >= 0)
                tell_difference(machine, group, group->calls->base + i);
}

static const struct node *
member(const struct peal_machine *machine, const struct group *group, int rank)
{
    return &machine->nodes[group->members ? group->members[rank] : rank];
}

/* The collective that the node is in, as seen in its group; NULL: it is in none, or all its members have called it. */
static const struct peal_node *
waits_for_callers(const struct node *node)
{
    const struct peal_node *view = node->views;

    if (node->state == NODE_SPLITS)
        return node->split->parent;
    if (!view || !view->collective || !view->group->calls)
        return NULL;
    const struct calls *calls = view->group->calls;
    uint32_t made = calls->made[view->rank];

    return made > 0 && made - 1 - calls->base < calls->count ? view : NULL;
}

/* Whether all nodes that have not finished are in collectives that others have not called: then nothing else stops them. */
static bool
only_collectives_wait(const struct peal_machine *machine)
{
    for (int rank = 0; rank < machine->options.nodes; rank++)
        if (machine->nodes[rank].state != NODE_FINISHED && !waits_for_callers(&machine->nodes[rank]))
            return false;
    return true;
}

/* Find the lowest member that has not made this call and will not; `elsewhere`: also one that waits in another call. */
static bool
find_missing(const struct peal_machine *machine, const struct group *group, uint32_t number, bool elsewhere,
             struct missing *missing)
{
    const struct site *site = &call_of(group->calls, number)->first;
    char what[SAID], call[SAID], where[SITE_WORDS];

    say_number(group, group == &machine->world, number, what);
    say_call(machine, site, false, call);
    missing->rank = site->rank;
    missing->file = site->file;
    missing->line = site->line;
    for (int rank = 0; rank < group->size; rank++) {
        const struct node *node = member(machine, group, rank);
        const struct peal_node *view;

        if (group->calls->made[rank] > number)
            continue;
        if (node->state == NODE_FINISHED) {
            snprintf(missing->text, sizeof missing->text,
                     "not every node makes the %s: node %d calls %s, node %d has finished after %u of them", what,
                     site->rank, call, node->rank, group->calls->made[rank]);
            return true;
        }
        if (elsewhere && (view = waits_for_callers(node))) {
            snprintf(missing->text, sizeof missing->text,
                     "not every node makes the %s: node %d calls %s, node %d waits in %s of %s %d node%s (%s)", what,
                     site->rank, call, node->rank, node->state == NODE_SPLITS ? "split" : view->collective,
                     view->group == &machine->world ? "all" : "a group of", view->group->size,
                     plural(view->group->size), site_words(machine, (struct call_site){node->file, node->line}, where));
            return true;
        }
    }
    return false;
}

bool
calls_find_missing(const struct peal_machine *machine, struct missing *missing)
{
    for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
        if (elsewhere && !only_collectives_wait(machine))
            break;
        for (const struct group *group = &machine->world; group;
             group = group == &machine->world ? machine->groups : group->next)
            for (uint32_t i = 0; group->calls && i < group->calls->count; i++)
                if (find_missing(machine, group, group->calls->base + i, elsewhere, missing))
                    return true;
    }
    return false;
}
