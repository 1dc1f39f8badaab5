/* SPDX-License-Identifier: MIT */
/* What obligations are made of: questions and what their answers mean, events elsewhere, the messages of all paths. */
#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "lib/proof/prove_inside.h"
#include <stdlib.h>

const char *
prove_kind_name(const struct message *m)
{
    static const char *const names[] = {"send", "receive", "copy", "combination"};

    return names[m->event.kind];
}

bool
prove_is_sent(const struct message *m)
{
    return m->event.kind == EVENT_SEND || m->event.kind == EVENT_RECV;
}

bool
prove_writes(const struct message *m, int item)
{
    return m->event.kind == EVENT_RECV || (!prove_is_sent(m) && item == 0);
}

/* ------------------------------------------------------------------ obligations */

static _Noreturn void
prove_fail(struct proving *g, bool example, term wrong, const char *format, va_list list)
{
    struct prove_failure *f = &g->p->failure;
    struct peal_text text = empty_text(f->text, sizeof f->text);

    peal_append_list(text, format, list);
    f->number = g->p->obligations;
    if (example && wrong) { /* the least number of nodes */
        int64_t low = term_at(g->t, g->r->P)->low, high = term_value(g->t, g->r->P, g->s->found);

        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            enum smt_answer answer =
                smt_ask(g->s, term_all(g->t, wrong, term_up_to(g->t, g->r->P, term_number(g->t, middle))), SMT_MUCH);

            if (answer == SMT_YES)
                high = term_value(g->t, g->r->P, g->s->found);
            else
                low = middle + 1;
        }
        if (smt_ask(g->s, term_all(g->t, wrong, term_equal(g->t, g->r->P, term_number(g->t, high))), SMT_MUCH) ==
            SMT_YES) {
            f->P = high;
            f->root = g->r->root ? g->s->found[term_place(g->t, g->r->root)] : 0;
            f->by = g->r->by ? g->s->found[term_place(g->t, g->r->by)] : 0;
            f->rank = term_value(g->t, g->r->rank, g->s->found);
        }
    }
    g->end = example ? PROVE_FAILS : PROVE_UNKNOWN;
    longjmp(g->stop, 1);
}

static void
prove_tell_list(struct proving *g, enum every_part part, const char *format, va_list list)
{
    char text[6000];

    if (!g->p->tell)
        return;
    peal_append_list(empty_text(text, sizeof text), format, list);
    g->p->tell(g->p->tell_arg, part, text);
}

void
prove_tell(struct proving *g, enum every_part part, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    prove_tell_list(g, part, format, list);
    va_end(list);
}

/* Where `when` holds, `then` must; "what" says what that means. */
void
prove_must(struct proving *g, term when, term then, const char *format, ...)
{
    term wrong = term_all(g->t, when, term_not(g->t, then));
    enum smt_answer answer;
    va_list list;

    g->p->obligations++;
    answer = smt_ask(g->s, wrong, SMT_MUCH);
    if (answer == SMT_NO && !g->t->no_memory) {
        va_start(list, format);
        prove_tell_list(g, EVERY_OBLIGATION, format, list);
        va_end(list);
        return;
    }
    va_start(list, format);
    prove_fail(g, answer == SMT_YES, wrong, format, list);
}

void
prove_cannot(struct proving *g, const char *format, ...)
{
    va_list list;

    g->p->obligations++;
    va_start(list, format);
    prove_fail(g, false, 0, format, list);
}

bool
prove_may(struct proving *g, term truth)
{
    g->p->obligations++;
    return smt_ask(g->s, truth, SMT_MUCH) != SMT_NO;
}

/* ------------------------------------------------------------------ terms of messages */

/* A term of an event at another node, and in another round. */
term
prove_elsewhere(struct proving *g, const struct message *m, term a, term node, term round)
{
    term variables[3] = {g->r->number, g->r->nowhere}, by[3] = {node, g->r->others_nowhere};
    int count = 2;

    if (m->event.loop && round) {
        variables[count] = m->event.loop->k;
        by[count++] = round;
    }
    return term_replace(g->t, a, variables, by, count);
}

term
prove_rank(struct proving *g, term number)
{
    return term_turn(g->t, number);
}

/* x modulo P, where -P <= x < 2P */
term
prove_wrapped(struct proving *g, term x)
{
    struct terms *t = g->t;
    term P = g->r->P, zero = term_number(t, 0);

    return term_if(t, term_below(t, x, zero), term_plus(t, x, P),
                   term_if(t, term_below(t, x, P), x, term_minus(t, x, P)));
}

/* a - b modulo P, of two blocks: of what they are modulo P where that is near enough, as what both are counted from
 * cancels in it. */
term
prove_distance(struct proving *g, term a, term b)
{
    struct terms *t = g->t;
    const term zero = term_number(t, 0), P = g->r->P, far = term_far(t, a, b);
    const struct {
        int turn, low, high;
    } ranges[] = {{0, 0, 1}, {0, -1, 1}, {0, -1, 2}, {1, -1, 2}};

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        term nearer = term_sum(t, 1, far, ranges[i].turn, P, 0);
        term near = term_within(t, nearer, term_sum(t, ranges[i].low, P, 0, zero, 0),
                                term_sum(t, ranges[i].high, P, 0, zero, 0));

        if (smt_ask(g->s, term_not(t, near), SMT_MUCH) != SMT_NO)
            continue;
        if (ranges[i].high == 2)
            return prove_wrapped(g, nearer);
        return ranges[i].low == 0 ? far : term_if(t, term_below(t, far, zero), term_plus(t, far, P), far);
    }
    return prove_wrapped(g, term_distance(t, a, b));
}

/* Whether the block is one of the item. */
term
prove_item_covers(struct proving *g, const struct block_run *item, term block)
{
    struct terms *t = g->t;

    if (item->step == 0 && item->count == g->r->P)
        return term_truth(t, true);
    term after = item->step >= 0 ? prove_distance(g, block, item->lo) : prove_distance(g, item->lo, block);
    term in_step = term_truth(t, true), zero = term_number(t, 0);

    if (item->step != 0) {
        const int length = item->step > 0 ? item->step : -item->step;

        in_step = term_equal(t, term_divided(t, TERM_REST, after, length), zero);
        after = term_divided(t, TERM_QUOTIENT, after, length);
    }
    return term_all(t, term_below(t, zero, item->count), term_all(t, in_step, term_below(t, after, item->count)));
}

struct block_run
prove_item_elsewhere(struct proving *g, const struct message *m, int i, term node, term round)
{
    struct block_run item = m->event.item[i];

    item.at = prove_elsewhere(g, m, item.at, node, round);
    item.lo = prove_elsewhere(g, m, item.lo, node, round);
    item.count = prove_elsewhere(g, m, item.count, node, round);
    return item;
}

/* By the lengths of its words. */
struct whose
prove_label(struct proving *g, const struct block_run *item, term node)
{
    term zero = term_number(g->t, 0), rank = prove_rank(g, node);

    if (g->p->collective == PEAL_SHIFT)
        return (struct whose){item->buffer == BUFFER_IN ? rank : prove_wrapped(g, term_minus(g->t, rank, g->r->by)),
                              zero};
    if (g->p->collective != PEAL_ALLTOALL)
        return (struct whose){item->lo, zero};
    return item->cut == CUT_BLOCKS ? (struct whose){rank, item->lo} : (struct whose){item->lo, rank};
}

/* Whether a buffer has room for the own block only. */
bool
prove_is_own_block(const struct proving *g, int buffer)
{
    switch ((int)g->p->collective) {
    case PEAL_ALLGATHER:
    case PEAL_GATHER:
        return buffer == BUFFER_IN;
    case PEAL_SCATTER:
    case PEAL_REDUCE_SCATTER:
        return buffer == BUFFER_OUT;
    default:
        return false;
    }
}

/* ------------------------------------------------------------------ the messages of all paths */

static bool
prove_events_are_equal(const struct c_event *a, const struct c_event *b)
{
    if (a->kind != b->kind || a->peer != b->peer || a->tag != b->tag || a->items != b->items || a->loop != b->loop ||
        a->line != b->line || a->site != b->site || a->waits_inside != b->waits_inside)
        return false;
    for (int i = 0; i < a->items; i++)
        if (memcmp(&a->item[i], &b->item[i], sizeof a->item[i]) != 0)
            return false;
    return true;
}

void
prove_no_memory(struct proving *g)
{
    peal_refuse(&g->r->error, PEAL_RESOURCES, "not enough memory");
    g->end = PROVE_UNKNOWN;
    longjmp(g->stop, 1);
}

/* Its number among those of the path that look alike, be they possible or not: so ways that part later give it the same
 * number, and give it to no other of theirs. */
static int
prove_number_alike(const struct path *path, const struct c_event *event)
{
    int number = 0;

    for (const struct c_event *other = path->events; other < event; other++)
        number += prove_events_are_equal(other, event);
    return number;
}

static void
add_event(struct proving *g, size_t path, const struct c_event *event)
{
    struct prove *p = g->p;
    const int nth = prove_number_alike(&g->r->paths[path], event);
    size_t i = 0;

    while (i < p->count && (p->messages[i].nth != nth || !prove_events_are_equal(&p->messages[i].event, event)))
        i++;
    if (i == p->count) {
        if (!array_grow(&p->messages, &p->capacity, p->count + 1, sizeof *p->messages))
            prove_no_memory(g);
        p->messages[p->count++] =
            (struct message){.event = *event, .when = term_truth(g->t, false), .nth = nth, .class = i};
    }
    struct message *m = &p->messages[i];

    if (!array_grow(&m->moments, &m->capacity, m->count + 1, sizeof *m->moments))
        prove_no_memory(g);
    m->moments[m->count++] = (struct moment){path, event->post, event->wait, event};
    m->when = term_any(g->t, m->when, term_all(g->t, event->brief, event->guard));
}

bool
prove_contrary(struct proving *g, term a, term b)
{
    bool list_a = term_is(g->t, a, TERM_ALL), list_b = term_is(g->t, b, TERM_ALL);
    int count_a = list_a ? term_at(g->t, a)->count : 1, count_b = list_b ? term_at(g->t, b)->count : 1;

    for (int i = 0; i < count_a; i++) {
        term opposite = term_not(g->t, list_a ? (term)term_parts(g->t, a)[i].of : a);

        for (int j = 0; j < count_b; j++)
            if ((list_b ? (term)term_parts(g->t, b)[j].of : b) == opposite)
                return true;
    }
    return false;
}

void
prove_collect_events(struct proving *g)
{
    struct following *r = g->r;
    term all = term_truth(g->t, false);

    for (size_t i = 0; i < r->path_count; i++) {
        for (size_t j = 0; j < i; j++)
            if (!prove_contrary(g, r->paths[i].condition, r->paths[j].condition))
                prove_must(g, term_all(g->t, r->paths[i].condition, r->paths[j].condition), term_truth(g->t, false),
                           "two ways through the function exclude each other");
        prove_must(g, r->paths[i].brief, r->paths[i].condition, "a way through the function is what it is said to be");
        all = term_any(g->t, all, r->paths[i].brief);
        for (size_t j = 0; j < r->paths[i].count; j++) {
            const struct c_event *event = &r->paths[i].events[j];

            if (event->brief != event->condition)
                prove_must(g, event->brief, event->condition, "a way through the function is what it is said to be");
            if (prove_may(g, term_all(g->t, r->paths[i].brief, event->guard)))
                add_event(g, i, event);
        }
    }
    prove_must(g, term_truth(g->t, true), all, "the ways through the function are all cases");
}

bool
prove_both(const struct message *a, const struct message *b, size_t *i, size_t *j)
{
    for (; *i < a->count; ++*i) {
        while (*j < b->count && b->moments[*j].path < a->moments[*i].path)
            ++*j;
        if (*j < b->count && b->moments[*j].path == a->moments[*i].path)
            return true;
    }
    return false;
}

/* Whether a is posted, or complete if a_waits, before b is posted on every path with both; *some: one exists. */
bool
prove_always(const struct message *a, const struct message *b, bool a_waits, bool *some)
{
    *some = false;
    for (size_t i = 0, j = 0; prove_both(a, b, &i, &j); i++) {
        *some = true;
        if ((a_waits ? a->moments[i].wait : a->moments[i].post) >= b->moments[j].post)
            return false;
    }
    return true;
}

/* Whether they lie in two branches of one condition on a path. */
bool
prove_exclusive(const struct c_event *a, const struct c_event *b)
{
    for (int i = 0; i < a->branches && i < b->branches; i++)
        if (a->branch[i] == -b->branch[i])
            return true;
        else if (a->branch[i] != b->branch[i])
            return false;
    return false;
}
