/* SPDX-License-Identifier: MIT */
/* The obligations of a reduction of parts of vectors by an operator that commutes, in any order. */
#include "lib/proof/prove_inside.h"
#include <stdlib.h>

/* One block of the vectors, any one, is followed; its owner is the rank of its number.  What a place has of it is a set
 * of contributions: the node's own vector, and what each receive has brought.  Two sets are combined only where nothing
 * is in both.  Messages are of two kinds, each message and what it may meet of one:
 *
 *   a part    Each node but the owner sends one, once, with its own vector and all that it ever receives of this kind;
 *             the owner sends none.  So the messages of a block are a tree, as none waits for itself in a circle, and
 *             what comes to the owner has every vector once.
 *   a sum     What the owner then has, and what is received of this kind: the combination of all vectors.
 *
 * Which kind a message is of is a guess, on which nothing rests but what can be proved. */

enum { CONTRIBUTIONS = 80, EVENTS = 400 };

/* What a place has of the block: its contributions, or the sum. */
struct content {
    term of[CONTRIBUTIONS], sum;
};

struct once_walk {
    struct proving *g;
    struct terms *t;
    const bool *sums; /* of a message's class: it is of sums */
    const struct path *path;
    const struct message *of[EVENTS]; /* of each event of the path; NULL: it never happens */
    bool settled[EVENTS];
    struct content holds[BUFFERS];
    const struct c_event *from[CONTRIBUTIONS]; /* of the first one, the own vector, NULL */
    int count;
    term own, sent; /* the block is the node's own; it has sent its part by now */
};

static term
once_false(const struct once_walk *w)
{
    return term_truth(w->t, false);
}

/* a and b, which is often wrong because of a part of it. */
static term
once_both(struct once_walk *w, term a, term b)
{
    return prove_contrary(w->g, a, b) ? once_false(w) : term_all(w->t, a, b);
}

static term
once_if(struct once_walk *w, term truth, term a, term b)
{
    if (a == b)
        return a;
    if (term_is(w->t, a, TERM_TRUE))
        return term_any(w->t, truth, b);
    return term_any(w->t, once_both(w, truth, a), once_both(w, term_not(w->t, truth), b));
}

static term
once_same(struct once_walk *w, term a, term b)
{
    return a == b ? term_truth(w->t, true) : once_if(w, a, b, term_not(w->t, b));
}

/* Where an item of an event has the block. */
static term
once_covers(struct once_walk *w, const struct c_event *event, int item)
{
    return term_all(w->t, event->guard, prove_item_covers(w->g, &event->item[item], w->g->p->block));
}

static term
once_has(struct once_walk *w, const struct c_event *event)
{
    term has = once_false(w);

    for (int i = 0; i < event->items; i++)
        has = term_any(w->t, has, once_covers(w, event, i));
    return has;
}

static term
once_some(struct once_walk *w, const struct content *content)
{
    term some = once_false(w);

    for (int i = 0; i < w->count; i++)
        some = term_any(w->t, some, content->of[i]);
    return some;
}

/* It has the own vector, and all that this node ever receives of the block. */
static term
once_all(struct once_walk *w, const struct content *content)
{
    term all = content->of[0];

    for (int i = 1; i < w->count; i++)
        all = term_all(w->t, all, once_same(w, content->of[i], once_has(w, w->from[i])));
    return all;
}

/* It has the combination of all vectors. */
static term
once_sum(struct once_walk *w, const struct content *content)
{
    return term_any(w->t, content->sum, term_all(w->t, w->own, once_all(w, content)));
}

static void
once_write(struct once_walk *w, const struct c_event *event, int item, const struct content *content)
{
    struct content *place = &w->holds[event->item[item].buffer];
    const term here = once_covers(w, event, item), there = event->item[item].room ? event->guard : here;

    for (int i = 0; i < w->count; i++)
        place->of[i] = once_if(w, here, content->of[i], once_both(w, term_not(w->t, there), place->of[i]));
    place->sum = once_if(w, here, content->sum, once_both(w, term_not(w->t, there), place->sum));
}

/* ------------------------------------------------------------------ events */

static void
once_send(struct once_walk *w, const struct c_event *event, bool of_sum)
{
    struct proving *g = w->g;
    struct terms *t = w->t;

    for (int i = 0; i < event->items; i++) {
        const struct content *content = &w->holds[event->item[i].buffer];
        const term covers = once_covers(w, event, i), here = term_all(t, w->path->brief, covers);

        if (of_sum) {
            prove_must(g, here, once_sum(w, content), "the send of line %d has the combination of all vectors",
                       event->line);
            continue;
        }
        prove_must(g, here, term_not(t, w->own), "the send of line %d is of another rank's block", event->line);
        prove_must(g, here, once_all(w, content), "the send of line %d has all that its node ever has of a block",
                   event->line);
        prove_must(g, here, term_not(t, w->sent), "what the send of line %d sends was not sent before", event->line);
        w->sent = term_any(t, w->sent, covers);
    }
}

static void
once_receive(struct once_walk *w, const struct c_event *event, bool of_sum)
{
    struct content content = {.sum = term_truth(w->t, of_sum)};

    for (int i = 0; i < w->count; i++)
        content.of[i] = term_truth(w->t, w->from[i] == event);
    for (int i = 0; i < event->items; i++) {
        for (int j = 0; j < i; j++)
            prove_must(w->g, term_all(w->t, w->path->brief, once_covers(w, event, i)),
                       term_not(w->t, once_covers(w, event, j)), "the receive of line %d has a block once",
                       event->line);
        once_write(w, event, i, &content);
    }
}

static void
once_copy(struct once_walk *w, const struct c_event *event)
{
    struct content from = w->holds[event->item[1].buffer];
    const term here = term_all(w->t, w->path->brief, once_covers(w, event, 0));

    prove_must(w->g, here, once_covers(w, event, 1), "the copy of line %d is of the block that belongs there",
               event->line);
    if (smt_ask(w->g->s, term_all(w->t, here, term_not(w->t, once_sum(w, &from))), SMT_SOME) == SMT_NO) {
        for (int i = 0; i < w->count; i++)
            from.of[i] = term_truth(w->t, false);
        from.sum = term_truth(w->t, true);
    }
    once_write(w, event, 0, &from);
}

static void
once_combine(struct once_walk *w, const struct c_event *event)
{
    struct terms *t = w->t;
    const struct content left = w->holds[event->item[1].buffer], right = w->holds[event->item[2].buffer];
    const term here = term_all(t, w->path->brief, once_covers(w, event, 0));
    struct content both = {.sum = term_truth(t, false)};
    term twice = term_truth(t, false);

    for (int i = 0; i < w->count; i++) {
        twice = term_any(t, twice, term_all(t, left.of[i], right.of[i]));
        both.of[i] = term_any(t, left.of[i], right.of[i]);
    }
    for (int i = 1; i <= 2; i++)
        prove_must(w->g, here, once_covers(w, event, i), "line %d combines the same blocks", event->line);
    prove_must(w->g, here, term_all(t, once_some(w, &left), once_some(w, &right)), "what line %d takes is there",
               event->line);
    prove_must(w->g, here, term_not(t, twice), "line %d combines no vector twice", event->line);
    once_write(w, event, 0, &both);
}

/* ------------------------------------------------------------------ a way through the function */

static bool
once_is_sum(struct once_walk *w, const struct message *m)
{
    return w->sums[prove_message_class(w->g, (size_t)(m - w->g->p->messages))];
}

/* What is received before this time is in its place. */
static void
once_settle(struct once_walk *w, size_t until, int time)
{
    for (size_t i = 0; i < until; i++)
        if (w->of[i] && !w->settled[i] && w->of[i]->event.kind == EVENT_RECV && w->path->events[i].wait < time) {
            once_receive(w, &w->path->events[i], once_is_sum(w, w->of[i]));
            w->settled[i] = true;
        }
}

static void
once_path(struct once_walk *w, size_t path)
{
    struct proving *g = w->g;
    struct terms *t = w->t;

    w->path = &g->r->paths[path];
    if (w->path->count > EVENTS)
        prove_cannot(g, "a way has at most %d messages, copies and combinations", EVENTS);
    for (size_t m = 0; m < g->p->count; m++)
        for (size_t i = 0; i < g->p->messages[m].count; i++)
            if (g->p->messages[m].moments[i].path == path)
                w->of[g->p->messages[m].moments[i].event - w->path->events] = &g->p->messages[m];
    for (size_t i = 0; i < w->path->count; i++)
        if (w->of[i] && w->of[i]->event.kind == EVENT_RECV && !once_is_sum(w, w->of[i])) {
            if (w->count == CONTRIBUTIONS)
                prove_cannot(g, "a node receives at most %d parts", CONTRIBUTIONS - 1);
            w->from[w->count++] = &w->path->events[i];
        }
    for (int i = 0; i < BUFFERS; i++) {
        w->holds[i].sum = term_truth(t, false);
        for (int j = 0; j < w->count; j++)
            w->holds[i].of[j] = term_truth(t, i == g->p->from && j == 0);
    }
    for (size_t i = 0; i < w->path->count; i++) {
        const struct c_event *event = &w->path->events[i];

        once_settle(w, i, event->post);
        if (w->of[i] && event->kind == EVENT_SEND)
            once_send(w, event, once_is_sum(w, w->of[i]));
        else if (w->of[i] && event->kind == EVENT_COPY)
            once_copy(w, event);
        else if (w->of[i] && event->kind == EVENT_COMBINE)
            once_combine(w, event);
    }
    once_settle(w, w->path->count, INT32_MAX);
    prove_must(g, term_all(t, w->path->brief, term_not(t, w->own)), w->sent,
               "every node sends its part of each block that is not its own");
    prove_must(g, g->p->collective == PEAL_ALLREDUCE ? w->path->brief : term_all(t, w->path->brief, w->own),
               once_sum(w, &w->holds[g->p->to]), "at the end the vectors of all ranks are combined, each once");
}

/* A guess of the messages that are sums: those that may be of the own block, and those that are sent later. */
static bool *
guess_sums(struct proving *g, term own)
{
    const struct prove *p = g->p;
    bool *sums = calloc(p->count + 1, sizeof *sums);
    int first = INT32_MAX;

    for (size_t m = 0; sums && m < p->count && p->collective == PEAL_ALLREDUCE; m++)
        for (int i = 0; p->messages[m].event.kind == EVENT_SEND && i < p->messages[m].event.items; i++) {
            const term covers = prove_item_covers(g, &p->messages[m].event.item[i], p->block);
            const term of_own = term_all(g->t, own, term_all(g->t, p->messages[m].when, covers));

            if (p->messages[m].moments[0].post < first && smt_ask(g->s, of_own, SMT_MUCH) != SMT_NO)
                first = p->messages[m].moments[0].post;
        }
    for (size_t m = 0; sums && m < p->count; m++)
        if (p->messages[m].event.kind == EVENT_SEND && p->messages[m].moments[0].post >= first)
            sums[prove_message_class(g, m)] = true;
    return sums;
}

bool
prove_is_once(const struct proving *g)
{
    bool parts = false;

    if (!term_is(g->t, g->p->commutes, TERM_TRUE) ||
        (g->p->collective != PEAL_REDUCE_SCATTER && g->p->collective != PEAL_ALLREDUCE))
        return false;
    for (size_t m = 0; m < g->p->count; m++) {
        const struct c_event *event = &g->p->messages[m].event;

        if (event->loop)
            return false;
        parts = parts || (event->kind == EVENT_SEND && event->item[0].count != g->r->P);
    }
    return parts;
}

void
prove_once_all(struct proving *g)
{
    const term own = term_equal(g->t, g->p->block, g->r->rank);
    jmp_buf outer;
    bool *sums = guess_sums(g, own);

    if (!sums)
        prove_no_memory(g);
    memcpy(outer, g->stop, sizeof outer);
    if (setjmp(g->stop) != 0) {
        free(sums);
        memcpy(g->stop, outer, sizeof outer);
        longjmp(g->stop, 1);
    }
    prove_tell(g, EVERY_INVARIANT,
               "of each block every rank but its own sends a part, once, with all that it has received of others'");
    for (size_t i = 0; i < g->r->path_count; i++) {
        struct once_walk w = {.g = g, .t = g->t, .sums = sums, .own = own, .count = 1, .sent = term_truth(g->t, false)};

        once_path(&w, i);
    }
    free(sums);
    memcpy(g->stop, outer, sizeof outer);
}
