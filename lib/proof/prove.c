/* SPDX-License-Identifier: MIT */
/* The obligations of a collective that copies.  No invariant is guessed: every place may hold one block only, so that a
 * message is right if both ends agree on its blocks, and if what is sent was there before. */
#include "lib/proof/prove.h"
#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "lib/proof/words.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

/* The obligations:
 *
 *   peer     it is another rank
 *   match    every send meets a receive of the same blocks, and every receive a send, in the order of their posts
 *   order    no circle of waits: messages have an order in which each is posted at both ends after those before it only
 *   place    blocks lie where the collective says
 *   held     what is sent, or copied, was there at first, or has come
 *   use      no buffer is used while a message that changes it, or reads what changes, is outstanding
 *   end      every block that the collective promises has come
 *   ways     the paths are all cases, and no two are one */

/* An event of all paths that have it. */
struct message {
    struct c_event event; /* of the first of them */
    term when;            /* it happens */
    struct moment {
        size_t path;
        int post, wait;
        const struct c_event *event;
    } * moments;
    size_t count, capacity;
    int nth;      /* of those in a path that look alike */
    size_t class; /* of messages that may meet: the number of one of them */
};

/* A send and a receive that may be one message: in round `round` of the second one's loop. */
struct match {
    size_t from, to; /* from: the one that was asked for */
    term round;      /* 0 without a loop */
};

/* Messages and rounds by which a block may have come. */
enum { SOURCES = 400 };

struct proving {
    struct prove *p;
    struct terms *t;
    struct smt *s;
    struct following *r;
    jmp_buf stop;
    enum prove_end end;
    int sources;           /* that were named for a block, in the order in which they are */
    bool dropped[SOURCES]; /* left out, to see which are needed */
    int named;
    struct peal_text *name; /* the sources that are not; NULL: they are not named */
};

/* ------------------------------------------------------------------ obligations */

static _Noreturn void
prove_fail(struct proving *g, bool example, term wrong, const char *format, va_list list)
{
    struct prove_failure *f = &g->p->failure;
    struct peal_text text = empty_text(f->text, sizeof f->text);

    peal_append_list(text, format, list);
    f->number = g->p->obligations;
    f->example = example;
    if (example && wrong) { /* the least number of nodes */
        int64_t low = term_at(g->t, g->r->P)->low, high = term_value(g->t, g->r->P, g->s->found);

        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            enum smt_answer answer =
                smt_possible(g->s, term_all(g->t, wrong, term_up_to(g->t, g->r->P, term_number(g->t, middle))));

            if (answer == SMT_YES)
                high = term_value(g->t, g->r->P, g->s->found);
            else
                low = middle + 1;
        }
        if (smt_possible(g->s, term_all(g->t, wrong, term_equal(g->t, g->r->P, term_number(g->t, high)))) == SMT_YES) {
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

static void PEAL_PRINTF(3, 4) prove_tell(struct proving *g, enum every_part part, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    prove_tell_list(g, part, format, list);
    va_end(list);
}

/* Where `when` holds, `then` must; "what" says what that means. */
static void PEAL_PRINTF(4, 5) must(struct proving *g, term when, term then, const char *format, ...)
{
    term wrong = term_all(g->t, when, term_not(g->t, then));
    enum smt_answer answer;
    va_list list;

    g->p->obligations++;
    answer = smt_possible(g->s, wrong);
    if (answer == SMT_NO && !g->t->no_memory) {
        va_start(list, format);
        prove_tell_list(g, EVERY_OBLIGATION, format, list);
        va_end(list);
        return;
    }
    va_start(list, format);
    prove_fail(g, answer == SMT_YES, wrong, format, list);
}

static _Noreturn void PEAL_PRINTF(2, 3) cannot(struct proving *g, const char *format, ...)
{
    va_list list;

    g->p->obligations++;
    va_start(list, format);
    prove_fail(g, false, 0, format, list);
}

static bool
may(struct proving *g, term truth)
{
    g->p->obligations++;
    return smt_possible(g->s, truth) != SMT_NO;
}

/* ------------------------------------------------------------------ terms of messages */

/* A term of an event at another node, and in another round. */
static term
elsewhere(struct proving *g, const struct message *m, term a, term node, term round)
{
    term variables[2] = {g->r->number}, by[2] = {node};
    int count = 1;

    if (m->event.loop && round) {
        variables[count] = m->event.loop->k;
        by[count++] = round;
    }
    return term_replace(g->t, a, variables, by, count);
}

static term
prove_rank(struct proving *g, term number)
{
    return term_turn(g->t, number);
}

/* x modulo P, where -P <= x < 2P */
static term
wrapped(struct proving *g, term x)
{
    struct terms *t = g->t;
    term P = g->r->P, zero = term_number(t, 0);

    return term_if(t, term_below(t, x, zero), term_plus(t, x, P),
                   term_if(t, term_below(t, x, P), x, term_minus(t, x, P)));
}

/* Whether the block is one of the item. */
static term
prove_item_covers(struct proving *g, const struct block_run *item, term block)
{
    return term_all(g->t, term_below(g->t, term_number(g->t, 0), item->count),
                    term_below(g->t, wrapped(g, term_distance(g->t, block, item->lo)), item->count));
}

static struct block_run
item_elsewhere(struct proving *g, const struct message *m, int i, term node, term round)
{
    struct block_run item = m->event.item[i];

    item.at = elsewhere(g, m, item.at, node, round);
    item.lo = elsewhere(g, m, item.lo, node, round);
    item.count = elsewhere(g, m, item.count, node, round);
    return item;
}

/* Whose block an item begins with, and for whom: two numbers, of which the second is 0 but in an all-to-all. */
struct whose {
    term block, other;
};

/* By the lengths of its words. */
static struct whose
prove_label(struct proving *g, const struct block_run *item, term node)
{
    term zero = term_number(g->t, 0), rank = prove_rank(g, node);

    if (g->p->collective == PEAL_SHIFT)
        return (struct whose){item->buffer == BUFFER_IN ? rank : wrapped(g, term_minus(g->t, rank, g->r->by)), zero};
    if (g->p->collective != PEAL_ALLTOALL)
        return (struct whose){item->lo, zero};
    return item->cut == CUT_BLOCKS ? (struct whose){rank, item->lo} : (struct whose){item->lo, rank};
}

/* Whether a buffer has room for the own block only. */
static bool
prove_is_own_block(const struct proving *g, int buffer)
{
    switch ((int)g->p->collective) {
    case PEAL_ALLGATHER:
    case PEAL_GATHER:
        return buffer == BUFFER_IN;
    case PEAL_SCATTER:
        return buffer == BUFFER_OUT;
    default:
        return false;
    }
}

/* The item lies where its blocks belong. */
static term
in_place(struct proving *g, const struct block_run *item, term node)
{
    struct terms *t = g->t;
    term zero = term_number(t, 0), one = term_number(t, 1), rank = prove_rank(g, node);
    term empty = term_up_to(t, item->count, zero), single = term_equal(t, item->count, one);

    if (prove_is_own_block(g, item->buffer))
        return term_all(t, single, term_all(t, term_equal(t, item->at, zero), term_equal(t, item->lo, rank)));
    if (g->p->collective == PEAL_SHIFT)
        return term_all(t, term_equal(t, item->at, zero),
                        term_all(t, term_equal(t, item->lo, zero), term_equal(t, item->count, g->r->P)));
    if (g->p->collective == PEAL_ALLTOALL) {
        bool in = item->buffer == BUFFER_IN;
        term owner = in ? rank : item->at, other = in ? item->at : rank;
        struct whose label = prove_label(g, item, node);

        return term_all(t, single, term_all(t, term_equal(t, label.block, owner), term_equal(t, label.other, other)));
    }
    return term_any(t, empty, term_equal(t, item->at, item->lo));
}

/* The block lies in a buffer from the beginning. */
static term
initial(struct proving *g, int buffer, term block)
{
    struct terms *t = g->t;
    term root = term_equal(t, g->r->number, term_number(t, 0)), own = term_equal(t, block, g->r->rank);
    term none = term_truth(t, false);
    bool own_in = buffer == BUFFER_IN || (buffer >= BUFFER_BUNDLE && g->r->owns[buffer] == BUFFER_IN + 1);

    switch ((int)g->p->collective) {
    case PEAL_ALLGATHER:
    case PEAL_GATHER:
        return own_in ? own : none;
    case PEAL_SCATTER:
        return buffer == BUFFER_IN ? root : none;
    case PEAL_BROADCAST:
        return buffer == BUFFER_VECTOR ? root : none;
    default:
        return term_truth(t, buffer == BUFFER_IN);
    }
}

/* It may be written there. */
static term
writable(struct proving *g, int buffer)
{
    struct terms *t = g->t;
    term root = term_equal(t, g->r->number, term_number(t, 0));

    if (buffer == BUFFER_IN)
        return term_truth(t, false);
    if (g->p->collective == PEAL_GATHER && buffer == BUFFER_OUT)
        return root;
    return term_truth(t, true); /* of a broadcast's root, too: by what is there already */
}

/* ------------------------------------------------------------------ the messages of all paths */

static bool
prove_events_are_equal(const struct c_event *a, const struct c_event *b)
{
    if (a->kind != b->kind || a->peer != b->peer || a->items != b->items || a->loop != b->loop || a->line != b->line ||
        a->site != b->site || a->waits_inside != b->waits_inside)
        return false;
    for (int i = 0; i < a->items; i++)
        if (memcmp(&a->item[i], &b->item[i], sizeof a->item[i]) != 0)
            return false;
    return true;
}

static _Noreturn void
prove_no_memory(struct proving *g)
{
    peal_refuse(&g->r->error, PEAL_RESOURCES, "not enough memory");
    g->end = PROVE_UNKNOWN;
    longjmp(g->stop, 1);
}

static void
add_event(struct proving *g, size_t path, const struct c_event *event)
{
    struct prove *p = g->p;
    struct message *m = NULL;
    int nth = 0;
    term when = term_all(g->t, g->r->paths[path].brief, event->guard);

    for (size_t i = 0; i < p->count && !m; i++)
        if (prove_events_are_equal(&p->messages[i].event, event)) {
            const struct message *x = &p->messages[i];

            if (x->count > 0 && x->moments[x->count - 1].path == path)
                nth++;
            else if (x->nth == nth)
                m = &p->messages[i];
        }
    if (!m) {
        if (!array_grow(&p->messages, &p->capacity, p->count + 1, sizeof *p->messages))
            prove_no_memory(g);
        m = &p->messages[p->count];
        *m = (struct message){.event = *event, .when = term_truth(g->t, false), .nth = nth, .class = p->count};
        p->count++;
    }
    if (!array_grow(&m->moments, &m->capacity, m->count + 1, sizeof *m->moments))
        prove_no_memory(g);
    m->moments[m->count++] = (struct moment){path, event->post, event->wait, event};
    m->when = term_any(g->t, m->when, when);
}

/* Whether a part of one condition is the opposite of a part of the other, as where two paths part. */
static bool
contrary(struct proving *g, term a, term b)
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

static void
prove_collect_events(struct proving *g)
{
    struct following *r = g->r;
    term all = term_truth(g->t, false);

    for (size_t i = 0; i < r->path_count; i++) {
        for (size_t j = 0; j < i; j++)
            if (!contrary(g, r->paths[i].condition, r->paths[j].condition))
                must(g, term_all(g->t, r->paths[i].condition, r->paths[j].condition), term_truth(g->t, false),
                     "two ways through the function exclude each other");
        must(g, r->paths[i].brief, r->paths[i].condition, "a way through the function is what it is said to be");
        all = term_any(g->t, all, r->paths[i].brief);
        for (size_t j = 0; j < r->paths[i].count; j++) {
            const struct c_event *event = &r->paths[i].events[j];

            if (may(g, term_all(g->t, r->paths[i].brief, event->guard)))
                add_event(g, i, event);
        }
    }
    must(g, term_truth(g->t, true), all, "the ways through the function are all cases");
}

/* Whether a is posted, or complete if a_waits, before b is posted on every path with both; *some: one exists. */
static bool
always(const struct message *a, const struct message *b, bool a_waits, bool *some)
{
    size_t j = 0;

    *some = false;
    for (size_t i = 0; i < a->count; i++) {
        while (j < b->count && b->moments[j].path < a->moments[i].path)
            j++;
        if (j == b->count || b->moments[j].path != a->moments[i].path)
            continue;
        *some = true;
        if ((a_waits ? a->moments[i].wait : a->moments[i].post) >= b->moments[j].post)
            return false;
    }
    return true;
}

/* Whether they lie in two branches of one condition on a path. */
static bool
exclusive(const struct c_event *a, const struct c_event *b)
{
    for (int i = 0; i < a->branches && i < b->branches; i++)
        if (a->branch[i] == -b->branch[i])
            return true;
        else if (a->branch[i] != b->branch[i])
            return false;
    return false;
}

/* Whether there is a path on which a is complete before b is posted. */
static bool
sometimes(const struct message *a, const struct message *b)
{
    size_t j = 0;

    for (size_t i = 0; i < a->count; i++) {
        while (j < b->count && b->moments[j].path < a->moments[i].path)
            j++;
        if (j < b->count && b->moments[j].path == a->moments[i].path && a->moments[i].wait <= b->moments[j].post &&
            !exclusive(a->moments[i].event, b->moments[j].event))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ match */

static const char *
kind_name(const struct message *m)
{
    return m->event.kind == EVENT_SEND ? "send" : m->event.kind == EVENT_RECV ? "receive" : "copy";
}

/* The condition under which m, here, and f, at the partner in that round, are the two ends of a message. */
static term
prove_messages_meet(struct proving *g, const struct message *m, const struct message *f, term round)
{
    struct terms *t = g->t;
    term y = g->p->partner, zero = term_number(t, 0);
    term truth = term_all(t, elsewhere(g, f, f->when, y, round),
                          term_equal(t, elsewhere(g, f, f->event.peer, y, round), g->r->rank));

    if (f->event.items != m->event.items)
        return term_truth(t, false);
    if (round)
        truth = term_all(t, truth, term_up_to(t, zero, round));
    for (int i = 0; i < m->event.items; i++) {
        struct block_run there = item_elsewhere(g, f, i, y, round);
        struct whose a = prove_label(g, &m->event.item[i], g->r->number), b = prove_label(g, &there, y);
        term same = term_all(t, term_equal(t, a.block, b.block), term_equal(t, a.other, b.other));

        truth = term_all(t, truth, term_equal(t, m->event.item[i].count, there.count));
        truth = term_all(t, truth, term_any(t, term_up_to(t, there.count, zero), same));
    }
    return truth;
}

/* Rounds of f's loop in which it may meet m, or in which a block may have come: not all of them need to be right. */
enum { ROUNDS = 24 };

static int
rounds_of_match(struct proving *g, const struct message *m, const struct message *f, term *rounds)
{
    struct terms *t = g->t;
    term y = g->p->partner, k, peer;
    term list[] = {g->r->rank, prove_rank(g, y), g->r->number, y};
    int count = 0;
    int64_t factor;

    if (!f->event.loop) {
        rounds[0] = 0;
        return 1;
    }
    k = f->event.loop->k;
    if (m->event.loop)
        rounds[count++] = m->event.loop->k;
    peer = elsewhere(g, f, f->event.peer, y, 0);
    factor = term_factor(t, peer, k);
    if (factor == 1 || factor == -1)
        rounds[count++] = term_sum(t, factor, term_minus(t, g->r->rank, peer), 1, k, 0);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        rounds[count++] = list[i];
        rounds[count++] = term_add(t, list[i], -1);
    }
    return count;
}

static size_t
prove_message_class(struct proving *g, size_t i)
{
    while (g->p->messages[i].class != i)
        i = g->p->messages[i].class;
    return i;
}

/* Find a message that meets m in the case that was found. */
static term
another(struct proving *g, size_t m, enum event_kind kind, const term *seen, int seen_count, struct match *match)
{
    struct prove *p = g->p;
    int64_t found[TERM_VARIABLES];
    term rounds[ROUNDS];

    memcpy(found, g->s->found, sizeof found);
    for (size_t i = 0; i < p->count; i++) {
        if (p->messages[i].event.kind != kind)
            continue;
        int count = rounds_of_match(g, &p->messages[m], &p->messages[i], rounds);

        for (int j = 0; j < count; j++) {
            term truth = prove_messages_meet(g, &p->messages[m], &p->messages[i], rounds[j]);
            bool again = false;

            for (int k = 0; k < seen_count; k++)
                again = again || seen[k] == truth;
            if (!again && term_value(g->t, truth, found) == 1) {
                *match = (struct match){m, i, rounds[j]};
                return truth;
            }
        }
    }
    return 0;
}

static void
match_one(struct proving *g, size_t m)
{
    enum { SEEN = 200 };
    struct prove *p = g->p;
    const struct message *message = &p->messages[m];
    enum event_kind other = message->event.kind == EVENT_SEND ? EVENT_RECV : EVENT_SEND;
    term y = p->partner, peer = message->event.peer, seen[SEEN], met = term_truth(g->t, false), when;
    int count = 0;

    must(g, message->when,
         term_all(g->t, term_within(g->t, peer, term_number(g->t, 0), g->r->P),
                  term_not(g->t, term_equal(g->t, peer, g->r->rank))),
         "the %s of line %d is to another rank", kind_name(message), message->event.line);
    when = term_all(g->t, message->when, term_equal(g->t, prove_rank(g, y), peer));
    for (;;) {
        term wrong = term_all(g->t, when, term_not(g->t, met));
        struct match match;
        enum smt_answer answer = count < SEEN ? smt_possible(g->s, wrong) : SMT_UNKNOWN;

        p->obligations++;
        if (answer == SMT_NO)
            return;
        if (answer == SMT_UNKNOWN)
            cannot(g, "the %s of line %d meets another of the same blocks", kind_name(message), message->event.line);
        term truth = another(g, m, other, seen, count, &match);

        if (!truth || g->t->no_memory)
            must(g, when, met, "the %s of line %d meets a %s of the same blocks at its partner", kind_name(message),
                 message->event.line, other == EVENT_RECV ? "receive" : "send");
        seen[count++] = truth;
        met = term_any(g->t, met, truth);
        if (!array_grow(&p->matches, &p->match_capacity, p->match_count + 1, sizeof *p->matches))
            prove_no_memory(g);
        p->matches[p->match_count++] = match;
        p->messages[prove_message_class(g, match.to)].class = prove_message_class(g, m);
    }
}

/* ------------------------------------------------------------------ the order of posts */

/* Whether all that m meets is in the same round of the same loop. */
static bool
same_round(struct proving *g, size_t m)
{
    const struct message *message = &g->p->messages[m];
    size_t other = 0;
    int count = 0;

    if (!message->event.loop)
        return false;
    for (size_t i = 0; i < g->p->match_count; i++) {
        const struct match *match = &g->p->matches[i];
        const struct message *to = &g->p->messages[match->to];

        if (match->from != m)
            continue;
        if (!to->event.loop || to->event.loop->node != message->event.loop->node ||
            match->round != message->event.loop->k || (count > 0 && match->to != other))
            return false;
        other = match->to;
        count++;
    }
    return count > 0;
}

/* Whether all that a meets is posted before all that b meets. */
static bool
meets_before(struct proving *g, size_t a, size_t b)
{
    const struct prove *p = g->p;
    bool some;

    for (size_t i = 0; i < p->match_count; i++)
        for (size_t j = 0; j < p->match_count && p->matches[i].from == a; j++)
            if (p->matches[j].from == b) {
                const struct message *x = &p->messages[p->matches[i].to], *y = &p->messages[p->matches[j].to];

                if (x == y || (x->event.loop && x->event.loop == y->event.loop) || !always(x, y, false, &some))
                    return false;
            }
    return true;
}

/* Two messages from a node to another come in the order in which they are received. */
static void
keeps_order(struct proving *g, size_t a, size_t b)
{
    struct terms *t = g->t;
    const struct message *x = &g->p->messages[a], *y = &g->p->messages[b];
    term k2 = g->p->second, n = g->r->number, both;
    bool some;

    if (a != b && !(x->event.loop && x->event.loop == y->event.loop)) {
        if (always(x, y, false, &some) && (!some || meets_before(g, a, b)))
            return;
        if (always(y, x, false, &some) && (!some || meets_before(g, b, a)))
            return;
    }
    both = term_all(t, x->when, elsewhere(g, y, y->when, n, k2));
    both = term_all(t, both, term_equal(t, x->event.peer, elsewhere(g, y, y->event.peer, n, k2)));
    if (a == b)
        both = term_all(t, both, term_below(t, x->event.loop->k, k2));
    if (!may(g, both))
        return;
    if (a == b && same_round(g, a))
        return;
    cannot(g, "the messages of lines %d and %d to one rank are received in their order", x->event.line, y->event.line);
}

static void
match_all(struct proving *g)
{
    struct prove *p = g->p;

    for (size_t i = 0; i < p->count; i++)
        if (p->messages[i].event.kind != EVENT_COPY)
            match_one(g, i);
    for (size_t i = 0; i < p->count; i++)
        for (size_t j = 0; j <= i && p->messages[i].event.kind != EVENT_COPY; j++)
            if (p->messages[i].event.kind == p->messages[j].event.kind && (i != j || p->messages[i].event.loop))
                keeps_order(g, j, i);
}

/* ------------------------------------------------------------------ no circle of waits */

/* The loop in whose rounds messages of a class wait; NULL: none.  They are one step of the order, and the rounds are
 * the steps in it. */
static const json_t *
waiting_loop(struct proving *g, size_t class)
{
    for (size_t i = 0; i < g->p->count; i++)
        if (prove_message_class(g, i) == class && g->p->messages[i].event.waits_inside)
            return g->p->messages[i].event.loop->node;
    return NULL;
}

static void
check_rounds(struct proving *g)
{
    for (size_t i = 0; i < g->p->match_count; i++) {
        const struct match *match = &g->p->matches[i];
        const struct message *a = &g->p->messages[match->from], *b = &g->p->messages[match->to];

        if (a->event.waits_inside && b->event.waits_inside &&
            (a->event.loop->node != b->event.loop->node || match->round != a->event.loop->k))
            cannot(g, "the messages of lines %d and %d meet in the same round of their loop", a->event.line,
                   b->event.line);
        if ((a->event.waits_inside && b->event.loop && !b->event.waits_inside) ||
            (b->event.waits_inside && a->event.loop && !a->event.waits_inside))
            cannot(g, "the messages of lines %d and %d wait alike in their loops", a->event.line, b->event.line);
    }
    for (size_t i = 0; i < g->p->count; i++) {
        const struct message *a = &g->p->messages[i];

        if (a->event.waits_inside && waiting_loop(g, prove_message_class(g, i)) != a->event.loop->node)
            cannot(g, "the messages of line %d wait in one loop only", a->event.line);
    }
}

/* Whether a class must be over before another begins; within a loop: in one round of it. */
static bool
precedes(struct proving *g, size_t a, size_t b)
{
    for (size_t i = 0; i < g->p->count; i++)
        for (size_t j = 0; j < g->p->count && prove_message_class(g, i) == a; j++) {
            const struct message *x = &g->p->messages[i], *y = &g->p->messages[j];

            if (prove_message_class(g, j) != b || x->event.kind == EVENT_COPY || y->event.kind == EVENT_COPY)
                continue;
            if (sometimes(x, y))
                return true;
            /* in a later round */
            if (x->event.waits_inside && y->event.loop && y->event.loop->node == x->event.loop->node &&
                !y->event.waits_inside)
                return true;
        }
    return false;
}

/* Between classes of one loop, only its own messages are in an order, that of a round. */
static bool
outside_of_loop(struct proving *g, size_t a, size_t b)
{
    for (size_t i = 0; i < g->p->count; i++)
        for (size_t j = 0; j < g->p->count && prove_message_class(g, i) == a; j++) {
            const struct message *x = &g->p->messages[i], *y = &g->p->messages[j];

            if (prove_message_class(g, j) == b && x->event.kind != EVENT_COPY && y->event.kind != EVENT_COPY &&
                sometimes(x, y) && !(x->event.waits_inside && y->event.waits_inside))
                return true;
        }
    return false;
}

struct wait_graph {
    struct proving *g;
    size_t *classes;      /* those of messages */
    const json_t **loops; /* of each */
    bool *edge;
    size_t count;
    char *state;
};

/* Visit a class, and what comes after it; within: only in its loop, else classes of one loop are one. */
static bool
has_circle(struct wait_graph *graph, size_t at, bool within)
{
    graph->state[at] = 1;
    for (size_t to = 0; to < graph->count; to++) {
        bool same = graph->loops[at] && graph->loops[at] == graph->loops[to];

        if (within ? !same || !graph->edge[at * graph->count + to] : same || at == to)
            continue;
        if (!within) { /* any class of this loop before any of that one */
            bool edge = false;

            for (size_t i = 0; i < graph->count; i++)
                for (size_t j = 0; j < graph->count; j++)
                    if ((i == at || (graph->loops[at] && graph->loops[i] == graph->loops[at])) &&
                        (j == to || (graph->loops[to] && graph->loops[j] == graph->loops[to])))
                        edge = edge || graph->edge[i * graph->count + j];
            if (!edge)
                continue;
        }
        if (graph->state[to] == 1 || (graph->state[to] == 0 && has_circle(graph, to, within)))
            return true;
    }
    graph->state[at] = 2;
    return false;
}

static bool
find_circle(struct wait_graph *graph)
{
    for (int within = 0; within < 2; within++) {
        memset(graph->state, 0, graph->count);
        for (size_t i = 0; i < graph->count; i++)
            if (graph->state[i] == 0 && has_circle(graph, i, within))
                return true;
    }
    for (size_t i = 0; i < graph->count; i++)
        for (size_t j = 0; j < graph->count; j++) {
            if (i == j && graph->edge[i * graph->count + j])
                return true;
            if (i != j && graph->loops[i] && graph->loops[i] == graph->loops[j] &&
                outside_of_loop(graph->g, graph->classes[i], graph->classes[j]))
                return true;
        }
    return false;
}

static void
order_all(struct proving *g)
{
    struct prove *p = g->p;
    struct wait_graph graph = {.g = g};
    bool circle;

    check_rounds(g);
    graph.classes = calloc(p->count + 1, sizeof *graph.classes);
    graph.loops = calloc(p->count + 1, sizeof *graph.loops);
    graph.edge = calloc(p->count * p->count + 1, sizeof *graph.edge);
    graph.state = calloc(p->count + 1, 1);
    if (graph.classes && graph.loops && graph.edge && graph.state) {
        for (size_t i = 0; i < p->count; i++)
            if (prove_message_class(g, i) == i && p->messages[i].event.kind != EVENT_COPY)
                graph.classes[graph.count++] = i;
        for (size_t i = 0; i < graph.count; i++) {
            graph.loops[i] = waiting_loop(g, graph.classes[i]);
            for (size_t j = 0; j < graph.count; j++)
                graph.edge[i * graph.count + j] = precedes(g, graph.classes[i], graph.classes[j]);
        }
    }
    circle = !graph.state || !graph.edge || !graph.loops || !graph.classes || find_circle(&graph);
    free(graph.classes);
    free(graph.loops);
    free(graph.edge);
    free(graph.state);
    p->obligations++;
    if (circle)
        cannot(g, "no circle of messages waits for each other");
}

/* ------------------------------------------------------------------ in words */

static const char *
buffer_name(int buffer)
{
    return buffer == BUFFER_IN ? "in" : buffer == BUFFER_OUT ? "out" : buffer == BUFFER_VECTOR ? "a" : "the bundle";
}

static void
words_item(struct proving *g, const struct block_run *item, struct peal_text to)
{
    struct terms *t = g->t;
    const char *block = item->cut == CUT_VECTOR ? "part" : "block";

    if (item->count == g->r->P && item->lo == term_number(t, 0)) {
        peal_append(to, "all of `%s`", buffer_name(item->buffer));
        return;
    }
    if (item->count == term_number(t, 1)) {
        peal_append(to, "%s ", block);
    } else {
        words_term(t, item->count, to);
        peal_append(to, " %ss from ", block);
    }
    words_term(t, item->lo, to);
    peal_append(to, " of `%s`", buffer_name(item->buffer));
}

/* "line 31, in round `round`, if round < P - 1: send block (rank - round) mod P of `out` to (rank + 1) mod P" */
static void
tell_events(struct proving *g)
{
    for (size_t i = 0; g->p->tell && i < g->p->count; i++) {
        const struct message *m = &g->p->messages[i];
        char text[900], when[400];
        struct peal_text to = empty_text(text, sizeof text), guard = empty_text(when, sizeof when);

        peal_append(to, "line %d", m->event.line);
        words_term(g->t, m->when, guard);
        if (!term_is(g->t, m->when, TERM_TRUE))
            peal_append(to, ", %s %s", m->event.loop ? "for each round with" : "if", when);
        peal_append(to, ": %s ", kind_name(m));
        for (int j = 0; j < m->event.items; j++) {
            peal_append(to, "%s", j == 0 ? "" : m->event.kind == EVENT_COPY ? " from " : " and ");
            words_item(g, &m->event.item[j], to);
        }
        if (m->event.kind != EVENT_COPY) {
            peal_append(to, m->event.kind == EVENT_SEND ? " to " : " from ");
            words_term(g->t, m->event.peer, to);
        }
        prove_tell(g, EVERY_EVENT, "%s", text);
    }
}

static void
tell_matches(struct proving *g)
{
    for (size_t i = 0; g->p->tell && i < g->p->match_count; i++) {
        const struct match *match = &g->p->matches[i];
        const struct message *a = &g->p->messages[match->from], *b = &g->p->messages[match->to];
        char text[600];
        struct peal_text to = empty_text(text, sizeof text);

        if (a->event.kind != EVENT_SEND)
            continue;
        peal_append(to, "the send of line %d to ", a->event.line);
        words_term(g->t, a->event.peer, to);
        peal_append(to, " meets the receive there of line %d", b->event.line);
        if (match->round && a->event.loop && match->round == a->event.loop->k) {
            peal_append(to, ", in the same round");
        } else if (match->round) {
            peal_append(to, ", in round ");
            words_term(g->t, match->round, to);
        }
        prove_tell(g, EVERY_MEETS, "%s", text);
    }
}

/* ------------------------------------------------------------------ places, and what is in them */

static void
place_all(struct proving *g)
{
    for (size_t i = 0; i < g->p->count; i++) {
        const struct message *m = &g->p->messages[i];

        for (int j = 0; j < m->event.items; j++) {
            const struct block_run *item = &m->event.item[j];

            if (item->buffer < BUFFER_BUNDLE || g->r->owns[item->buffer] > 0)
                must(g, m->when, in_place(g, item, g->r->number), "the %s of line %d is of blocks in their places",
                     kind_name(m), m->event.line);
            else
                cannot(g, "the %s of line %d is of blocks in their places", kind_name(m), m->event.line);
            if (m->event.kind == EVENT_RECV || (m->event.kind == EVENT_COPY && j == 0))
                must(g, m->when, writable(g, item->buffer), "the %s of line %d writes what may be written",
                     kind_name(m), m->event.line);
        }
    }
}

static void
name_source(struct proving *g, const struct message *f, term round)
{
    enum { NAMED = 8 };
    char text[500];
    struct peal_text to = empty_text(text, sizeof text);

    if (g->named++ >= NAMED) {
        if (g->named == NAMED + 1)
            peal_append(*g->name, ", or others");
        return;
    }
    if (round) {
        peal_append(to, " in round ");
        words_term(g->t, round, to);
    } else if (f->event.kind == EVENT_RECV) {
        peal_append(to, " from ");
        words_term(g->t, f->event.peer, to);
    }
    peal_append(*g->name, "%s the %s of line %d%s", g->named > 1 ? ", or" : "", kind_name(f), f->event.line, text);
}

/* What a path has of a message; NULL: nothing. */
static const struct moment *
moment_on(const struct message *m, size_t path)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->moments[i].path == path)
            return &m->moments[i];
    return NULL;
}

/* Message f, which happens under this condition, has brought the block to the buffer, in one of these rounds, before
 * round `limit` unless that is 0. */
static term
came(struct proving *g, const struct message *f, term when, int buffer, term block, term limit)
{
    struct terms *t = g->t;
    term zero = term_number(t, 0), x = g->r->number, rank = g->r->rank, truth = term_truth(t, false);
    term self = g->p->collective == PEAL_BROADCAST ? x : rank; /* as blocks are counted */
    term list[] = {
        zero, block, rank, x, wrapped(g, term_distance(t, block, self)), wrapped(g, term_distance(t, self, block))};
    int items = f->event.kind == EVENT_COPY ? 1 : f->event.items, rounds = f->event.loop ? ROUNDS : 1, count = 0;
    term round[ROUNDS] = {0};
    bool named[ROUNDS] = {false};

    if (f->event.kind == EVENT_SEND)
        return truth;
    if (f->event.loop) {
        if (limit)
            round[count++] = term_add(t, limit, -1);
        for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
            round[count++] = list[i];
            round[count++] = term_add(t, list[i], -1);
        }
        if (g->r->log_known)
            round[count++] = term_add(t, term_bits(t, TERM_XOR, block, rank), -1); /* from i = 1 on */
        round[count++] = term_add(t, list[4], 1);
        round[count++] = term_add(t, list[5], 1);
        round[count++] = term_add(t, list[4], -2);
        round[count++] = term_add(t, list[5], -2);
        rounds = count;
    }
    for (int i = 0; i < items; i++) {
        int to = f->event.item[i].buffer, own = to >= BUFFER_BUNDLE ? g->r->owns[to] - 1 : -1;
        bool by_own = to != buffer && own == buffer && prove_is_own_block(g, buffer);

        if (to != buffer && !by_own)
            continue;
        for (int j = 0; j < rounds; j++) {
            struct block_run item = item_elsewhere(g, f, i, x, round[j]);
            term here = term_all(t, elsewhere(g, f, when, x, round[j]), prove_item_covers(g, &item, block));

            if (by_own)
                here = term_all(t, here, term_equal(t, block, rank));
            if (f->event.loop)
                here = term_all(t, here, term_up_to(t, zero, round[j]));
            if (f->event.loop && limit)
                here = term_all(t, here, term_below(t, round[j], limit));
            if (g->sources < SOURCES && g->dropped[g->sources++])
                continue;
            if (g->name && !named[j])
                name_source(g, f, round[j]);
            named[j] = true;
            truth = term_any(t, truth, here);
        }
    }
    return truth;
}

/* The block was in the buffer before m was posted on this path; NULL: on every path. */
static term
prove_block_held(struct proving *g, const struct message *m, const struct moment *on, int buffer, term block)
{
    term truth = initial(g, buffer, block);
    bool some;

    for (size_t i = 0; i < g->p->count; i++) {
        const struct message *f = &g->p->messages[i];
        const struct moment *before = on ? moment_on(f, on->path) : NULL;
        bool same_loop = f->event.loop && f->event.loop == m->event.loop;

        if (f == m || (on && !before))
            continue;
        term when = on ? before->event->guard : f->when;

        if (same_loop && f->event.waits_inside)
            truth = term_any(g->t, truth, came(g, f, when, buffer, block, m->event.loop->k));
        else if (!same_loop && (on ? before->wait < on->post : always(f, m, true, &some) && some))
            truth = term_any(g->t, truth, came(g, f, when, buffer, block, 0));
    }
    return truth;
}

/* What has come at the end of this path; NULL: of every path. */
static term
come_at_end(struct proving *g, const size_t *path, int buffer)
{
    term truth = term_truth(g->t, false);

    if (g->p->collective == PEAL_BROADCAST)
        truth = term_equal(g->t, g->r->number, term_number(g->t, 0));
    for (size_t i = 0; i < g->p->count; i++) {
        const struct message *f = &g->p->messages[i];
        const struct moment *on = path ? moment_on(f, *path) : NULL;

        if (!path || on)
            truth = term_any(g->t, truth, came(g, f, on ? on->event->guard : f->when, buffer, g->p->block, 0));
    }
    return truth;
}

/* What has come at the end; m: before it was posted. */
static term
prove_has(struct proving *g, const struct message *m, int buffer)
{
    return m ? prove_block_held(g, m, NULL, buffer, g->p->block) : come_at_end(g, NULL, buffer);
}

/* Tell which sources are needed for a block, where it is known that some of all are. */
static void
tell_sources(struct proving *g, const struct message *m, int buffer, term when)
{
    struct terms *t = g->t;
    char text[5000];
    struct peal_text names = empty_text(text, sizeof text);

    if (!g->p->tell)
        return;
    memset(g->dropped, 0, sizeof g->dropped);
    g->sources = 0;
    prove_has(g, m, buffer);
    for (int i = 0, count = g->sources; i < count && i < SOURCES; i++) {
        g->dropped[i] = true;
        g->sources = 0;
        g->dropped[i] = smt_possible(g->s, term_all(t, when, term_not(t, prove_has(g, m, buffer)))) == SMT_NO;
    }
    g->sources = g->named = 0;
    g->name = &names;
    term has = prove_has(g, m, buffer);
    g->name = NULL;
    memset(g->dropped, 0, sizeof g->dropped);
    bool first = m ? initial(g, buffer, g->p->block) != term_truth(t, false) : false;

    (void)has;
    if (m)
        prove_tell(g, EVERY_INVARIANT, "what the %s of line %d takes from `%s`%s%s%s", kind_name(m), m->event.line,
                   buffer_name(buffer), first ? " is there from the beginning" : "",
                   text[0] ? first ? ", or came by" : " came by" : "", text);
    else
        prove_tell(g, EVERY_INVARIANT,
                   "at the end the block of each number `block` that is promised came to `%s` by%s%s",
                   buffer_name(buffer), text, g->p->collective == PEAL_BROADCAST ? "; or the node is the root" : "");
}

static void
held_all(struct proving *g)
{
    struct terms *t = g->t;
    term block = g->p->block;

    for (size_t i = 0; i < g->p->count; i++) {
        const struct message *m = &g->p->messages[i];

        for (int j = 0; j < m->event.items; j++) {
            const struct block_run *item = &m->event.item[j];

            if (m->event.kind != EVENT_SEND && !(m->event.kind == EVENT_COPY && j == 1))
                continue;
            for (size_t k = 0; k < m->count; k++) {
                const struct moment *on = &m->moments[k];
                term when = term_all(t, g->r->paths[on->path].brief, on->event->guard);

                must(g, term_all(t, when, prove_item_covers(g, item, block)),
                     prove_block_held(g, m, on, item->buffer, block), "what the %s of line %d sends was there before",
                     kind_name(m), m->event.line);
            }
            tell_sources(g, m, item->buffer, term_all(t, m->when, prove_item_covers(g, item, block)));
        }
        if (m->event.kind == EVENT_COPY) {
            struct whose a = prove_label(g, &m->event.item[0], g->r->number),
                         b = prove_label(g, &m->event.item[1], g->r->number);

            must(g, m->when,
                 term_all(t, term_equal(t, m->event.item[0].count, m->event.item[1].count),
                          term_all(t, term_equal(t, a.block, b.block), term_equal(t, a.other, b.other))),
                 "the copy of line %d is of the block that belongs there", m->event.line);
        }
    }
}

static void
end_all(struct proving *g)
{
    struct terms *t = g->t;
    enum peal_collective collective = g->p->collective;
    int buffer = collective == PEAL_BROADCAST ? BUFFER_VECTOR : BUFFER_OUT;
    term block = g->p->block, root = term_equal(t, g->r->number, term_number(t, 0));
    term promised = collective == PEAL_SCATTER  ? term_equal(t, block, g->r->rank)
                    : collective == PEAL_GATHER ? root
                                                : term_truth(t, true);

    for (size_t path = 0; path < g->r->path_count; path++)
        must(g, term_all(t, g->r->paths[path].brief, promised), come_at_end(g, &path, buffer),
             "at the end every block has come");
    tell_sources(g, NULL, buffer, promised);
}

/* ------------------------------------------------------------------ use while a message is outstanding */

static bool
writes(const struct message *m, int item)
{
    return m->event.kind == EVENT_RECV || (m->event.kind == EVENT_COPY && item == 0);
}

/* Whether b is posted, on some path, while a is outstanding. */
static bool
overlaps(const struct message *a, const struct message *b)
{
    size_t j = 0;

    for (size_t i = 0; i < a->count; i++) {
        while (j < b->count && b->moments[j].path < a->moments[i].path)
            j++;
        if (j < b->count && b->moments[j].path == a->moments[i].path && a->moments[i].post < b->moments[j].post &&
            a->moments[i].wait > b->moments[j].post && !exclusive(a->moments[i].event, b->moments[j].event))
            return true;
    }
    return false;
}

/* Items of two messages of a node, the second in another round unless `round` is 0, that may be of one place. */
static void
apart(struct proving *g, const struct message *a, const struct message *b, term round, term when)
{
    struct terms *t = g->t;
    term block = g->p->block, n = g->r->number;

    for (int i = 0; i < a->event.items; i++)
        for (int j = 0; j < b->event.items; j++) {
            struct block_run x = a->event.item[i], y = item_elsewhere(g, b, j, n, round);
            bool by_own = (x.buffer >= BUFFER_BUNDLE && g->r->owns[x.buffer] - 1 == y.buffer) ||
                          (y.buffer >= BUFFER_BUNDLE && g->r->owns[y.buffer] - 1 == x.buffer);

            if ((x.buffer != y.buffer && !by_own) || (!writes(a, i) && !writes(b, j)) || (a == b && !round && i >= j))
                continue;
            must(g, term_all(t, when, term_all(t, prove_item_covers(g, &x, block), prove_item_covers(g, &y, block))),
                 term_truth(t, false), "lines %d and %d use different places while a message is outstanding",
                 a->event.line, b->event.line);
        }
}

static void
use_all(struct proving *g)
{
    struct prove *p = g->p;
    struct terms *t = g->t;
    term k2 = p->second, n = g->r->number;

    for (size_t i = 0; i < p->count; i++)
        for (size_t j = 0; j < p->count; j++) {
            const struct message *a = &p->messages[i], *b = &p->messages[j];
            bool same_loop = a->event.loop && b->event.loop && a->event.loop == b->event.loop;
            term both = term_all(t, a->when, b->when);

            if (i == j && a->event.items > 1 && a->event.kind == EVENT_RECV)
                apart(g, a, a, 0, a->when);
            if (same_loop && a->event.waits_inside) {
                if (overlaps(a, b))
                    apart(g, a, b, 0, both); /* in the same round */
            } else if (same_loop) {
                both = term_all(t, a->when, elsewhere(g, b, b->when, n, k2));
                both = term_all(t, both, term_not(t, term_equal(t, a->event.loop->k, k2)));
                apart(g, a, b, k2, both);
                if (i != j)
                    apart(g, a, b, 0, term_all(t, a->when, b->when));
            } else if (i != j && overlaps(a, b)) {
                if (b->event.loop && a->event.loop) /* of two loops: rounds of their own */
                    apart(g, a, b, k2, term_all(t, a->when, elsewhere(g, b, b->when, n, k2)));
                else
                    apart(g, a, b, 0, both);
            }
        }
}

/* ------------------------------------------------------------------ all of it */

enum prove_end
prove_copies(struct prove *prove)
{
    struct proving g = {.p = prove, .t = prove->run->terms, .s = prove->run->smt, .r = prove->run, .end = PROVE_DONE};

    if (setjmp(g.stop) != 0)
        return g.end;
    if (!may(&g, term_truth(g.t, true)))
        cannot(&g, "there is a case");
    prove_collect_events(&g);
    tell_events(&g);
    place_all(&g);
    match_all(&g);
    tell_matches(&g);
    order_all(&g);
    held_all(&g);
    end_all(&g);
    use_all(&g);
    return PROVE_DONE;
}

void
prove_fini(struct prove *prove)
{
    for (size_t i = 0; i < prove->count; i++)
        free(prove->messages[i].moments);
    free(prove->messages);
    free(prove->matches);
    prove->messages = NULL;
    prove->matches = NULL;
    prove->count = prove->match_count = prove->capacity = prove->match_capacity = 0;
}
