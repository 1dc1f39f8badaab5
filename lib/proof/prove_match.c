/* SPDX-License-Identifier: MIT */
/* Which send meets which receive, in which order, and that there is no cycle of waits. */
#include "lib/base/grow.h"
#include "lib/proof/prove_inside.h"
#include <stdlib.h>

/* ------------------------------------------------------------------ match */

/* The condition under which m, here, and f, at the partner in that round, are the two ends of a message. */
term
prove_messages_meet(struct proving *g, const struct message *m, const struct message *f, term round)
{
    struct terms *t = g->t;
    term y = g->p->partner, zero = term_number(t, 0);
    term truth = term_all(t, prove_elsewhere(g, f, f->when, y, round),
                          term_equal(t, prove_elsewhere(g, f, f->event.peer, y, round), g->r->rank));

    if (f->event.items != m->event.items)
        return term_truth(t, false);
    if (m->event.tag)
        truth = term_all(t, truth, term_equal(t, prove_elsewhere(g, f, f->event.tag, y, round), m->event.tag));
    if (round)
        truth = term_all(t, truth, term_up_to(t, zero, round));
    for (int i = 0; i < m->event.items; i++) {
        struct block_run there = prove_item_elsewhere(g, f, i, y, round);
        struct whose a = prove_label(g, &m->event.item[i], g->r->number), b = prove_label(g, &there, y);
        term same = term_all(t, term_equal(t, a.block, b.block), term_equal(t, a.other, b.other));

        truth = term_all(t, truth, term_equal(t, m->event.item[i].count, there.count));
        if (m->event.item[i].step != there.step)
            truth = term_all(t, truth, term_up_to(t, there.count, term_number(t, 1)));
        truth = term_all(t, truth, term_any(t, term_up_to(t, there.count, zero), same));
    }
    return truth;
}

/* Rounds of f's loop in which it may meet m. */
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
    peer = prove_elsewhere(g, f, f->event.peer, y, 0);
    factor = term_factor(t, peer, k);
    if (factor == 1 || factor == -1)
        rounds[count++] = term_sum(t, factor, term_minus(t, g->r->rank, peer), 1, k, 0);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        rounds[count++] = list[i];
        rounds[count++] = term_add(t, list[i], -1);
    }
    return count;
}

size_t
prove_message_class(struct proving *g, size_t i)
{
    while (g->p->messages[i].class != i)
        i = g->p->messages[i].class;
    return i;
}

/* Whether, in the case that was found, another message to the same rank has met this one. */
static bool
is_met(struct proving *g, size_t m, size_t other, const int64_t *found)
{
    const struct prove *p = g->p;

    for (size_t i = 0; i < p->match_count; i++) {
        const struct match *match = &p->matches[i];
        const struct message *from = &p->messages[match->from], *to = &p->messages[match->to];

        if (match->to == other && match->from != m && !from->event.loop && !to->event.loop &&
            term_value(g->t, from->when, found) == 1 &&
            term_value(g->t, from->event.peer, found) == term_value(g->t, p->messages[m].event.peer, found) &&
            term_value(g->t, prove_messages_meet(g, from, to, match->round), found) == 1)
            return true;
    }
    return false;
}

/* Find a message that meets m in the case that was found, the first but one that has met none; NULL `found`: the
 * condition that any meets it. */
static term
another(struct proving *g, size_t m, enum event_kind kind, const int64_t *found, struct match *match)
{
    struct prove *p = g->p;
    term rounds[ROUNDS], any = term_truth(g->t, false), first = 0;

    for (size_t i = 0; i < p->count; i++) {
        if (p->messages[i].event.kind != kind)
            continue;
        int count = rounds_of_match(g, &p->messages[m], &p->messages[i], rounds);

        for (int j = 0; j < count; j++) {
            term truth = prove_messages_meet(g, &p->messages[m], &p->messages[i], rounds[j]);

            any = found ? any : term_any(g->t, any, truth);
            if (!found || term_value(g->t, truth, found) != 1)
                continue;
            const bool met = is_met(g, m, i, found);

            if (!first || !met) {
                *match = (struct match){m, i, rounds[j]};
                first = truth;
            }
            if (!met)
                return truth;
        }
    }
    return first ? first : any;
}

/* Whether a message has no match yet at its peer.  In a class of P a case of this is first looked for among those that
 * are known, with the peer as partner; of few nodes others meet, too, than those that meet everywhere. */
static enum smt_answer
unmatched(struct proving *g, term wrong, term peer)
{
    struct terms *t = g->t;
    struct smt *s = g->s;
    int64_t values[TERM_VARIABLES];

    for (size_t i = g->r->log_known ? s->case_count : 0; i > 0; i--) {
        memcpy(values, s->cases[i - 1], sizeof values);
        const int64_t P = term_value(t, g->r->P, values), root = g->r->root ? term_value(t, g->r->root, values) : 0;

        values[term_place(t, g->p->partner)] = (term_value(t, peer, values) - root + P) % P;
        if (smt_is_case(s, wrong, values))
            return SMT_YES;
    }
    return smt_ask(s, wrong, SMT_MUCH);
}

static void
match_one(struct proving *g, size_t m)
{
    enum { MAX_MATCHES = 200 };
    struct prove *p = g->p;
    const struct message *message = &p->messages[m];
    int64_t found[TERM_VARIABLES];
    enum event_kind other = message->event.kind == EVENT_SEND ? EVENT_RECV : EVENT_SEND;
    term y = p->partner, peer = message->event.peer, met = term_truth(g->t, false), when;
    int count = 0;

    prove_must(g, message->when,
               term_all(g->t, term_within(g->t, peer, term_number(g->t, 0), g->r->P),
                        term_not(g->t, term_equal(g->t, peer, g->r->rank))),
               "the %s of line %d is to another rank", prove_kind_name(message), message->event.line);
    when = term_all(g->t, message->when, term_equal(g->t, prove_rank(g, y), peer));
    for (;;) {
        term wrong = term_all(g->t, when, term_not(g->t, met));
        struct match match;
        enum smt_answer answer = count++ < MAX_MATCHES ? unmatched(g, wrong, peer) : SMT_UNKNOWN;

        p->obligations++;
        if (answer == SMT_NO)
            return;
        if (answer == SMT_UNKNOWN)
            prove_cannot(g, "the %s of line %d meets another of the same blocks", prove_kind_name(message),
                         message->event.line);
        memcpy(found, g->s->found, sizeof found);
        term truth = another(g, m, other, found, &match);

        if (term_is(g->t, truth, TERM_FALSE) || g->t->no_memory) {
            prove_must(g, when, another(g, m, other, NULL, &match),
                       "the %s of line %d meets a %s of the same blocks at its partner", prove_kind_name(message),
                       message->event.line, other == EVENT_RECV ? "receive" : "send");
            continue; /* it does not come here */
        }
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

                if (x == y || (x->event.loop && x->event.loop == y->event.loop) || !prove_always(x, y, false, &some))
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
        if (prove_always(x, y, false, &some) && (!some || meets_before(g, a, b)))
            return;
        if (prove_always(y, x, false, &some) && (!some || meets_before(g, b, a)))
            return;
    }
    both = term_all(t, x->when, prove_elsewhere(g, y, y->when, n, k2));
    both = term_all(t, both, term_equal(t, x->event.peer, prove_elsewhere(g, y, y->event.peer, n, k2)));
    if (x->event.tag) /* what has another tag does not overtake it */
        both = term_all(t, both, term_equal(t, x->event.tag, prove_elsewhere(g, y, y->event.tag, n, k2)));
    if (a == b)
        both = term_all(t, both, term_below(t, x->event.loop->k, k2));
    if (!prove_may(g, both))
        return;
    if (a == b && same_round(g, a))
        return;
    prove_cannot(g, "the messages of lines %d and %d to one rank are received in their order", x->event.line,
                 y->event.line);
}

void
prove_match_all(struct proving *g)
{
    struct prove *p = g->p;

    for (size_t i = 0; i < p->count; i++)
        if (prove_is_sent(&p->messages[i]))
            match_one(g, i);
    for (size_t i = 0; i < p->count; i++)
        for (size_t j = 0; j <= i && prove_is_sent(&p->messages[i]); j++)
            if (p->messages[i].event.kind == p->messages[j].event.kind && (i != j || p->messages[i].event.loop))
                keeps_order(g, j, i);
}

/* ------------------------------------------------------------------ no cycle of waits */

/* Whether there is a path on which a is complete before b is posted. */
static bool
sometimes(const struct message *a, const struct message *b)
{
    for (size_t i = 0, j = 0; prove_both(a, b, &i, &j); i++)
        if (a->moments[i].wait <= b->moments[j].post && !prove_exclusive(a->moments[i].event, b->moments[j].event))
            return true;
    return false;
}

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

/* Whether one end of all messages of a class is the first action of its node, and is followed by no other end of the
 * class.  Then a message waits for its other end only, and those of a node are in the order of the program: they need
 * no other order, nor one of rounds where the loops that they are in have no other messages. */
static bool
is_open(struct proving *g, size_t class, enum event_kind first)
{
    for (size_t i = 0; i < g->p->count; i++)
        for (size_t j = 0; j < g->p->count; j++) {
            const struct message *x = &g->p->messages[i], *y = &g->p->messages[j];
            const bool within = prove_message_class(g, j) == class;

            if (!prove_is_sent(x) || !prove_is_sent(y) || prove_message_class(g, i) != class)
                continue;
            const bool same_loop = x->event.loop && y->event.loop && x->event.loop->node == y->event.loop->node;

            if (x->event.kind == first && (x->event.waits_inside || (same_loop && y->event.waits_inside) ||
                                           sometimes(y, x) || (within && sometimes(x, y))))
                return false;
            if (!within && same_loop)
                return false;
        }
    return true;
}

static bool
needs_no_order(struct proving *g, size_t class)
{
    return is_open(g, class, EVENT_SEND) || is_open(g, class, EVENT_RECV);
}

static void
check_rounds(struct proving *g)
{
    for (size_t i = 0; i < g->p->match_count; i++) {
        const struct match *match = &g->p->matches[i];
        const struct message *a = &g->p->messages[match->from], *b = &g->p->messages[match->to];

        if (needs_no_order(g, prove_message_class(g, match->from)))
            continue;
        if (a->event.waits_inside && b->event.waits_inside &&
            (a->event.loop->node != b->event.loop->node || match->round != a->event.loop->k))
            prove_cannot(g, "the messages of lines %d and %d meet in the same round of their loop", a->event.line,
                         b->event.line);
        if ((a->event.waits_inside && b->event.loop && !b->event.waits_inside) ||
            (b->event.waits_inside && a->event.loop && !a->event.waits_inside))
            prove_cannot(g, "the messages of lines %d and %d wait alike in their loops", a->event.line, b->event.line);
    }
    for (size_t i = 0; i < g->p->count; i++) {
        const struct message *a = &g->p->messages[i];

        if (a->event.waits_inside && !needs_no_order(g, prove_message_class(g, i)) &&
            waiting_loop(g, prove_message_class(g, i)) != a->event.loop->node)
            prove_cannot(g, "the messages of line %d wait in one loop only", a->event.line);
    }
}

/* Whether a class must be over before another begins; within a loop: in one round of it. */
static bool
precedes(struct proving *g, size_t a, size_t b)
{
    for (size_t i = 0; i < g->p->count; i++)
        for (size_t j = 0; j < g->p->count && prove_message_class(g, i) == a; j++) {
            const struct message *x = &g->p->messages[i], *y = &g->p->messages[j];

            if (prove_message_class(g, j) != b || !prove_is_sent(x) || !prove_is_sent(y))
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

/* Where a message is in an order of its class by the numbers of ranks: that of its sender, or of its receiver. */
static term
place_by_rank(struct proving *g, const struct message *m, bool of_sender)
{
    const term root = g->r->root, peer = m->event.peer;

    if (of_sender == (m->event.kind == EVENT_SEND))
        return g->r->number;
    return root ? prove_wrapped(g, term_distance(g->t, peer, root)) : peer;
}

/* Whether the messages of a class are in the order of their senders or receivers, up or down: what is complete before
 * another one is posted comes before it.  Then they need no other order among themselves. */
static bool
is_by_rank(struct proving *g, size_t class)
{
    const struct prove *p = g->p;

    for (int order = 0; order < 4; order++) {
        bool right = true;

        for (size_t i = 0; i < p->count && right; i++)
            for (size_t j = 0; j < p->count && right; j++) {
                const struct message *x = &p->messages[i], *y = &p->messages[j];

                if (prove_message_class(g, i) != class || prove_message_class(g, j) != class || !prove_is_sent(x) ||
                    !prove_is_sent(y) || !sometimes(x, y))
                    continue;
                const term a = place_by_rank(g, x, order & 1), b = place_by_rank(g, y, order & 1);
                const term before = order & 2 ? term_below(g->t, b, a) : term_below(g->t, a, b);

                right = !x->event.loop && !y->event.loop &&
                        !prove_may(g, term_all(g->t, term_all(g->t, x->when, y->when), term_not(g->t, before)));
            }
        if (right)
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

            if (prove_message_class(g, j) == b && prove_is_sent(x) && prove_is_sent(y) && sometimes(x, y) &&
                !(x->event.waits_inside && y->event.waits_inside))
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
            if (i == j && graph->edge[i * graph->count + j] && !is_by_rank(graph->g, graph->classes[i]))
                return true;
            if (i != j && graph->loops[i] && graph->loops[i] == graph->loops[j] &&
                outside_of_loop(graph->g, graph->classes[i], graph->classes[j]))
                return true;
        }
    return false;
}

void
prove_order_all(struct proving *g)
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
            if (prove_message_class(g, i) == i && prove_is_sent(&p->messages[i]))
                graph.classes[graph.count++] = i;
        for (size_t i = 0; i < graph.count; i++) {
            const bool open = needs_no_order(g, graph.classes[i]);

            graph.loops[i] = open ? NULL : waiting_loop(g, graph.classes[i]);
            for (size_t j = 0; j < graph.count; j++)
                graph.edge[i * graph.count + j] = !(open && i == j) && precedes(g, graph.classes[i], graph.classes[j]);
        }
    }
    circle = !graph.state || !graph.edge || !graph.loops || !graph.classes || find_circle(&graph);
    free(graph.classes);
    free(graph.loops);
    free(graph.edge);
    free(graph.state);
    p->obligations++;
    if (circle)
        prove_cannot(g, "no circle of messages waits for each other");
}
