/* SPDX-License-Identifier: MIT */
/* The obligations of a collective that combines, or of a barrier. */
#include "lib/proof/prove_range.h"
#include "lib/proof/words.h"
#include <stdlib.h>

/* One block of the vectors, any one, is followed.  What a place has of it is a range: the combination of the vectors of
 * the ranks start, start + 1, .., `count` of them, modulo P, each once and in this order.  Two ranges are combined only
 * where the second begins at the end of the first, or also the other way round where the operator commutes, and where
 * they have no more than P ranks together.  So no vector is lost, or taken twice.
 *
 * What a send has is a closed form: chosen from a list by examples, then proved by induction, as what is received was
 * sent before.  So is what a place has at the beginning of a round of a loop.  A wrong choice is not proved; nothing is
 * believed of it.
 *
 * A node of a scan may combine what none needs, the vectors of a group that P cuts off.  Nothing is said of such a
 * place but that it has something, nor of what is combined with it: so it is never the result.
 *
 * What a node of a barrier knows is a range, too: of the ranks that have come.  There ranges may overlap. */

enum { SEEN = 4000, AWAITED = 64 };

/* A node's way along a path. */
struct path_walk {
    struct combining *c;
    const struct path *path;
    size_t number;
    bool prove; /* else nothing is proved: what sends have is collected */
    bool quiet; /* not even that */
    struct rank_range holds[BUFFERS];
    struct awaited {
        const struct c_event *event;
        struct rank_range has;
    } awaited[AWAITED];
    int awaited_count;
};

/* ------------------------------------------------------------------ a path */

static bool
is_barrier(const struct combining *c)
{
    return c->g->p->collective == PEAL_BARRIER;
}

static term
walk_when(const struct path_walk *w, const struct c_event *event)
{
    return term_all(w->c->t, event->brief, event->guard);
}

/* Where it happens; in a loop: of its rounds. */
static term
walk_guard(const struct path_walk *w, const struct c_event *event)
{
    struct terms *t = w->c->t;
    term others;

    if (!event->loop)
        return event->guard;
    others = term_all(t, term_all(t, event->brief, event->loop->holds), term_not(t, event->guard));
    return smt_ask(w->c->g->s, others, SMT_MUCH) == SMT_NO ? term_truth(t, true) : event->guard;
}

/* What the items have of the block; *covers: whether it is one of theirs. */
static struct rank_range
walk_read(struct path_walk *w, const struct c_event *event, int from, int to, term *covers)
{
    struct combining *c = w->c;
    struct rank_range has = range_nothing(c->t);

    *covers = term_truth(c->t, false);
    for (int i = from; i < to; i++) {
        term here = prove_item_covers(c->g, &event->item[i], c->g->p->block);

        has = range_if(c->t, here, w->holds[event->item[i].buffer], has);
        *covers = term_any(c->t, *covers, here);
    }
    if (w->prove && !has.start)
        prove_cannot(c->g, "what line %d takes is known", event->line);
    if (w->prove)
        prove_must(c->g, term_all(c->t, walk_when(w, event), *covers), range_some(c, has),
                   "what line %d takes is there", event->line);
    return has;
}

static void
walk_write(struct path_walk *w, const struct c_event *event, const struct block_run *item, struct rank_range has)
{
    struct terms *t = w->c->t;
    struct rank_range *place = &w->holds[item->buffer];
    term covers = prove_item_covers(w->c->g, item, w->c->g->p->block);

    if (is_barrier(w->c))
        has = range_joined(w->c, *place, has);
    term guard = walk_guard(w, event);

    *place = range_if(t, term_all(t, guard, covers), has,
                      item->room ? range_if(t, guard, range_nothing(t), *place) : *place);
    if (!event->loop)
        *place = form_of_range(w->c, event->brief, *place);
}

/* What a receive brings: what the sends that it meets have. */
static struct rank_range
walk_incoming(struct path_walk *w, const struct c_event *event, size_t m)
{
    struct combining *c = w->c;
    struct terms *t = c->t;
    const struct prove *p = c->g->p;
    term root = c->g->r->root, y = root ? prove_wrapped(c->g, term_distance(t, event->peer, root)) : event->peer;
    struct rank_range has = range_unknown();
    bool some = false;

    if (w->prove)
        prove_must(c->g, walk_when(w, event), term_equal(t, term_turn(t, y), event->peer),
                   "the number of the sender of line %d is what it is taken for", event->line);
    for (size_t i = 0; i < p->match_count; i++) {
        const struct match *match = &p->matches[i];
        const struct message *from = &p->messages[match->to];

        if (match->from != m)
            continue;
        const term round = match->round ? term_replace(t, match->round, &p->partner, &y, 1) : 0;
        struct rank_range sent = c->claim[match->to];

        if (!c->meet[i])
            c->meet[i] =
                term_replace(t, prove_messages_meet(c->g, &p->messages[m], from, match->round), &p->partner, &y, 1);
        if (sent.start)
            sent = (struct rank_range){prove_elsewhere(c->g, from, sent.start, y, round),
                                       prove_elsewhere(c->g, from, sent.count, y, round)};
        has = some ? range_if(t, c->meet[i], sent, has) : sent;
        some = true;
    }
    if (w->prove && !has.start)
        prove_cannot(c->g, "what line %d receives is known", event->line);
    return has;
}

/* Put what was received before this time into its places. */
static void
walk_settle(struct path_walk *w, int until)
{
    int left = 0;

    for (int i = 0; i < w->awaited_count; i++) {
        struct awaited *a = &w->awaited[i];

        if (a->event->wait >= until)
            w->awaited[left++] = *a;
        else
            for (int j = 0; j < a->event->items; j++)
                walk_write(w, a->event, &a->event->item[j], a->has);
    }
    w->awaited_count = left;
}

static void
walk_send(struct path_walk *w, const struct c_event *event, size_t m)
{
    struct combining *c = w->c;
    term covers;
    struct rank_range has = walk_read(w, event, 0, event->items, &covers), claim = c->claim[m];
    term when = term_all(c->t, walk_when(w, event), covers);

    for (int i = 0; i < event->items && claim.start; i++) { /* which is shorter, if no node of a barrier knows more */
        struct rank_range *place = &w->holds[event->item[i].buffer];

        *place = range_if(
            c->t, term_all(c->t, walk_guard(w, event), prove_item_covers(c->g, &event->item[i], c->g->p->block)), claim,
            *place);
    }
    if (w->quiet)
        return;
    if (!w->prove) {
        if (has.start && c->seen_count < SEEN)
            c->seen[c->seen_count++] = (struct seen){m, when, has};
    } else if (is_barrier(c)) {
        term skipped = prove_wrapped(c->g, term_minus(c->t, claim.start, has.start));

        prove_must(c->g, when,
                   term_any(c->t, term_equal(c->t, has.count, c->t->P),
                            term_up_to(c->t, term_plus(c->t, skipped, claim.count), has.count)),
                   "before the send of line %d what it tells is known", event->line);
    } else {
        prove_must(c->g, when, range_is(c, has, claim), "the send of line %d has what it is said to have", event->line);
    }
}

static void
walk_combine(struct path_walk *w, const struct c_event *event)
{
    struct combining *c = w->c;
    struct terms *t = c->t;
    term covers;
    struct rank_range left = walk_read(w, event, 1, 2, &covers), right = walk_read(w, event, 2, 3, &covers),
                      both = range_combined(c, left, right);

    if (w->prove) {
        term when = term_all(t, walk_when(w, event), covers);

        prove_must(c->g, when, term_up_to(t, both.count, t->P), "line %d combines no vector twice", event->line);
        prove_must(c->g, when,
                   term_any(t, range_meets(c, left, right), term_all(t, c->commutes, range_meets(c, right, left))),
                   "line %d combines ranges of ranks of which one begins at the end of the other", event->line);
    }
    walk_write(w, event, &event->item[0], both);
}

static void
walk_event(struct path_walk *w, size_t i)
{
    const struct c_event *event = &w->path->events[i];
    size_t m = w->c->message_of[w->number][i];
    term covers;

    if (m == SIZE_MAX) /* it never happens */
        return;
    walk_settle(w, event->post);
    switch (event->kind) {
    case EVENT_SEND:
        walk_send(w, event, m);
        return;
    case EVENT_RECV:
        if (w->awaited_count == AWAITED)
            prove_cannot(w->c->g, "at most %d messages are outstanding", AWAITED);
        w->awaited[w->awaited_count++] = (struct awaited){event, walk_incoming(w, event, m)};
        return;
    case EVENT_COPY:
        walk_write(w, event, &event->item[0], walk_read(w, event, 1, 2, &covers));
        return;
    case EVENT_COMBINE:
        walk_combine(w, event);
        return;
    }
}

/* ------------------------------------------------------------------ loops */

/* A round, from what the places have to what they have after it. */
static void
walk_round(struct path_walk *w, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        walk_event(w, i);
    walk_settle(w, INT32_MAX);
}

static void
walk_dry_round(const struct path_walk *w, const struct rank_range *before, size_t from, size_t to,
               struct rank_range *after)
{
    struct path_walk dry = *w;

    dry.prove = false;
    dry.quiet = true;
    memcpy(dry.holds, before, sizeof dry.holds);
    walk_round(&dry, from, to);
    memcpy(after, dry.holds, sizeof dry.holds);
}

static struct rank_range
range_at(struct path_walk *w, const struct loop *loop, struct rank_range a, term round)
{
    return range_replace(w->c->t, a, &loop->k, &round, 1);
}

/* Whether place i has, at the beginning of each round, what `state` says. */
static bool
walk_is_state(struct path_walk *w, const struct loop *loop, size_t from, size_t to, const struct rank_range *before,
              const struct rank_range *state, int i)
{
    struct terms *t = w->c->t;
    struct rank_range after[BUFFERS], first, next;
    term zero = term_number(t, 0), wrong;

    walk_dry_round(w, state, from, to, after);
    if (!after[i].start || !before[i].start)
        return false;
    first = range_at(w, loop, state[i], zero);
    next = range_at(w, loop, state[i], term_add(t, loop->k, 1));
    wrong = term_all(t, w->path->brief, term_not(t, range_equal(t, before[i], first)));
    if (smt_ask(w->c->g->s, wrong, SMT_MUCH) != SMT_NO)
        return false;
    wrong = term_all(t, term_all(t, w->path->brief, loop->holds), term_not(t, range_equal(t, after[i], next)));
    return smt_ask(w->c->g->s, wrong, SMT_MUCH) == SMT_NO;
}

/* Find what place i has at the beginning of a round; false: no form fits. */
static bool
walk_find_state(struct path_walk *w, const struct loop *loop, size_t from, size_t to, const struct rank_range *before,
                struct rank_range *state, int i)
{
    struct terms *t = w->c->t;
    struct proving *g = w->c->g;
    term k = loop->k, zero = term_number(t, 0), block = g->p->block, rank = g->r->rank;
    struct rank_range after[BUFFERS], first = before[i];
    term last = term_add(t, k, -1);

    /* what a round leaves there, whatever was there before */
    state[i] = range_unknown();
    walk_dry_round(w, state, from, to, after);
    if (after[i].start && first.start) {
        state[i] = range_if(t, term_equal(t, k, zero), first, range_at(w, loop, after[i], last));
        if (walk_is_state(w, loop, from, to, before, state, i))
            return true;
    }
    if (!first.start)
        return false;
    /* a vector more in each round */
    term starts[] = {first.start, prove_wrapped(g, term_minus(t, first.start, k)),
                     prove_wrapped(g, term_plus(t, first.start, k))};
    term counts[] = {
        term_plus(t, first.count, k),
        term_if(t, term_up_to(t, k, term_number(t, 1)), first.count, term_add(t, term_plus(t, first.count, k), -1)),
        first.count};

    for (size_t x = 0; x < sizeof starts / sizeof *starts; x++)
        for (size_t y = 0; y < sizeof counts / sizeof *counts; y++) {
            state[i] = range_of(starts[x], counts[y]);
            if (walk_is_state(w, loop, from, to, before, state, i))
                return true;
        }
    /* those below the rank, from it down to 0, or then those above it, from P-1 on down */
    term passed = term_minus(t, k, rank), some = term_if(t, term_below(t, zero, passed), passed, zero);
    const struct rank_range lower =
        range_of(term_if(t, term_up_to(t, k, first.start), term_minus(t, first.start, k), zero),
                 term_plus(t, first.count, term_if(t, term_up_to(t, k, rank), k, rank)));
    const struct rank_range upper = range_of(term_minus(t, t->P, some), some);

    state[i] = range_if(t, range_some(w->c, first), lower, first);
    if (walk_is_state(w, loop, from, to, before, state, i))
        return true;
    state[i] = range_if(t, term_equal(t, block, rank), upper, range_nothing(t));
    if (walk_is_state(w, loop, from, to, before, state, i))
        return true;
    /* what came in the round of this block */
    state[i] = range_nothing(t);
    walk_dry_round(w, state, from, to, after);
    if (after[i].start) {
        struct rank_range come = after[i];
        term down = prove_wrapped(g, term_distance(t, rank, block)),
             up = prove_wrapped(g, term_distance(t, block, rank));
        term rounds[] = {down, term_add(t, down, -1), term_add(t, down, -2),
                         up,   term_add(t, up, -1),   term_add(t, up, -2)};

        for (size_t x = 0; x < sizeof rounds / sizeof *rounds; x++) {
            struct rank_range then = range_at(w, loop, come, rounds[x]);
            term was =
                term_all(t, term_within(t, rounds[x], zero, k),
                         term_all(t, term_replace(t, loop->holds, &loop->k, &rounds[x], 1), range_some(w->c, then)));

            state[i] = range_if(t, was, then, first);
            if (walk_is_state(w, loop, from, to, before, state, i))
                return true;
        }
    }
    state[i] = range_unknown();
    return false;
}

/* How many rounds the loop has: it ends where a + k <= 0 no longer holds. */
static term
walk_rounds(struct path_walk *w, const struct loop *loop)
{
    struct terms *t = w->c->t;
    term zero = term_number(t, 0), part, rounds, last;

    if (term_is(t, loop->holds, TERM_FALSE))
        return zero;
    if (!term_is(t, loop->holds, TERM_UP_TO_0))
        return 0;
    part = (term)term_parts(t, loop->holds)->of;
    if (term_factor(t, part, loop->k) != 1)
        return 0;
    rounds = term_sum(t, -1, term_replace(t, part, &loop->k, &zero, 1), 0, zero, 1);
    rounds = term_if(t, term_up_to(t, rounds, zero), zero, rounds);
    last = term_add(t, rounds, -1);
    if (w->prove)
        prove_must(w->c->g, w->path->brief,
                   term_all(t, term_not(t, term_replace(t, loop->holds, &loop->k, &rounds, 1)),
                            term_any(t, term_equal(t, rounds, zero), term_replace(t, loop->holds, &loop->k, &last, 1))),
                   "a loop has as many rounds as it is said to have");
    return rounds;
}

static void
walk_loop(struct path_walk *w, size_t from, size_t to)
{
    struct terms *t = w->c->t;
    const struct loop *loop = w->path->events[from].loop;
    struct rank_range before[BUFFERS], after[BUFFERS], state[BUFFERS];
    term zero = term_number(t, 0), rounds;
    bool changed[BUFFERS], found = true;
    int line = w->path->events[from].line;

    walk_settle(w, w->path->events[from].post);
    if (w->prove && w->awaited_count > 0)
        prove_cannot(w->c->g, "no message is outstanding before the loop of line %d", line);
    for (size_t i = from; i < to; i++) /* that no place is used before it is awaited is another obligation */
        for (size_t j = from; j < w->path->count && w->prove && is_barrier(w->c); j++) {
            const struct c_event *a = &w->path->events[i], *b = &w->path->events[j];

            if (a->kind == EVENT_RECV && b->kind == EVENT_SEND && (j < to ? !a->waits_inside : b->post < a->wait))
                prove_cannot(w->c->g, "what line %d receives is awaited before line %d", a->line, b->line);
        }
    memcpy(before, w->holds, sizeof before);
    walk_dry_round(w, before, from, to, after);
    for (int i = 0; i < BUFFERS; i++) {
        changed[i] = memcmp(&after[i], &before[i], sizeof after[i]) != 0;
        state[i] = changed[i] ? range_unknown() : before[i];
    }
    for (bool more = true; more;) {
        more = false;
        found = true;
        for (int i = 0; i < BUFFERS; i++)
            if (changed[i] && !state[i].start) {
                bool one = walk_find_state(w, loop, from, to, before, state, i);

                more = more || one;
                found = found && one;
            }
        if (found)
            break;
    }
    if (w->prove && !found)
        prove_cannot(w->c->g, "what is there in a round of the loop of line %d has a closed form", line);
    memcpy(w->holds, state, sizeof state);
    walk_round(w, from, to);
    for (int i = 0; i < BUFFERS && w->prove; i++) {
        if (!changed[i])
            prove_must(w->c->g, term_all(t, w->path->brief, loop->holds), range_equal(t, w->holds[i], before[i]),
                       "a round of the loop of line %d leaves the places that it does not change", line);
        else
            prove_must(w->c->g, term_all(t, w->path->brief, loop->holds),
                       range_equal(t, w->holds[i], range_at(w, loop, state[i], term_add(t, loop->k, 1))),
                       "a round of the loop of line %d keeps what is said of its places", line);
        if (changed[i])
            prove_must(w->c->g, w->path->brief, range_equal(t, before[i], range_at(w, loop, state[i], zero)),
                       "before the loop of line %d what is said of its places holds", line);
    }
    rounds = walk_rounds(w, loop);
    if (w->prove && !rounds)
        prove_cannot(w->c->g, "the rounds of the loop of line %d have a number", line);
    for (int i = 0; i < BUFFERS; i++)
        w->holds[i] = !changed[i] ? before[i] : rounds ? range_at(w, loop, state[i], rounds) : range_unknown();
}

/* ------------------------------------------------------------------ the whole path */

/* At the end the places have what is promised. */
static void
walk_end(struct path_walk *w)
{
    struct combining *c = w->c;
    struct proving *g = c->g;
    struct terms *t = c->t;
    const enum peal_collective collective = g->p->collective;
    term zero = term_number(t, 0), one = term_number(t, 1), rank = g->r->rank, P = t->P;
    term when = w->path->brief, root = term_equal(t, g->r->number, zero);
    struct rank_range a = w->holds[g->p->to];
    struct rank_range own = range_of(rank, one),
                      prefix = range_of(zero, collective == PEAL_SCAN ? term_add(t, rank, 1) : rank);
    term whole = term_all(t, term_equal(t, a.count, P), term_any(t, c->commutes, term_equal(t, a.start, zero)));

    switch ((int)collective) {
    case PEAL_SCAN:
    case PEAL_EXSCAN:
        when = collective == PEAL_SCAN ? when : term_all(t, when, term_below(t, zero, rank));
        prove_must(g, when, range_equal(t, a, prefix), "at the end the vectors of the ranks up to there are combined");
        return;
    case PEAL_BARRIER:
        prove_must(g, when, term_equal(t, a.count, P), "at the end it is known that all ranks have come");
        return;
    case PEAL_REDUCE_SCATTER:
        when = term_all(t, when, term_equal(t, g->p->block, rank));
        break;
    case PEAL_REDUCE:
        if (g->p->from == g->p->to)
            prove_must(g, term_all(t, when, term_not(t, root)), range_equal(t, a, own),
                       "at the end the vectors of the others are as they were");
        when = term_all(t, when, root);
        break;
    default:
        break;
    }
    prove_must(g, when, whole,
               "at the end the vectors of all ranks are combined, each once, in an order that is allowed");
}

static void
walk_path(struct combining *c, size_t number, bool prove)
{
    struct path_walk w = {.c = c, .path = &c->g->r->paths[number], .number = number, .prove = prove};

    for (int i = 0; i < BUFFERS; i++)
        w.holds[i] = range_nothing(c->t);
    w.holds[c->g->p->from] = range_of(c->g->r->rank, term_number(c->t, 1));
    for (size_t i = 0, end; i < w.path->count; i = end) {
        const struct loop *loop = w.path->events[i].loop;

        for (end = i + 1; loop && end < w.path->count && w.path->events[end].loop == loop;)
            end++;
        if (loop)
            walk_loop(&w, i, end);
        else
            walk_event(&w, i);
    }
    walk_settle(&w, INT32_MAX);
    if (prove && !w.holds[c->g->p->to].start)
        prove_cannot(c->g, "what is there at the end is known");
    if (prove)
        walk_end(&w);
}

/* ------------------------------------------------------------------ what messages have */

/* Whether the form may be wrong where this message was seen; SMT_KNOWN: in the cases that are known.  A start or count
 * of 0: what was seen. */
static enum smt_answer
form_is_wrong(struct combining *c, size_t m, struct rank_range form, enum smt_effort effort)
{
    enum smt_answer answer = SMT_NO;

    for (size_t i = 0; i < c->seen_count && answer == SMT_NO; i++) {
        const struct seen *seen = &c->seen[i];
        const struct rank_range said =
            range_of(form.start ? form.start : seen->has.start, form.count ? form.count : seen->has.count);

        if (seen->message == m)
            answer = smt_ask(c->g->s, term_all(c->t, seen->when, term_not(c->t, range_is(c, seen->has, said))), effort);
        if (effort == SMT_KNOWN && answer == SMT_UNKNOWN)
            answer = SMT_NO;
    }
    return answer;
}

/* Choose forms for what a message was seen to have; false: none fits.  The solver is asked only for what fits in all
 * cases that are known: that a form fits is often hard to show, and of no use without the other one. */
static bool
form_choose(struct combining *c, size_t m)
{
    struct forms starts = {.count = 0}, counts = {.count = 0};
    struct rank_range first = range_unknown();
    size_t times = 0;

    for (size_t i = 0; i < c->seen_count; i++)
        if (c->seen[i].message == m && times++ == 0)
            first = c->seen[i].has;
    if (times < c->g->p->messages[m].count)
        return false;
    forms_make(c, c->g->p->messages[m].event.loop, &starts, &counts);
    form_prefer(&starts, first.start);
    form_prefer(&counts, first.count);
    form_add(&starts, first.start);
    form_add(&counts, first.count);
    for (int i = 0; i < starts.count; i++) {
        const term spare = form_spare(c, starts.list[i]);

        if (form_is_wrong(c, m, range_of(starts.list[i], 0), SMT_KNOWN) == SMT_YES)
            continue;
        for (int j = 0; j < counts.count + (spare != 0); j++) {
            const struct rank_range both = range_of(starts.list[i], j < counts.count ? counts.list[j] : spare);

            if (form_is_wrong(c, m, both, SMT_KNOWN) == SMT_YES)
                continue;
            const enum smt_answer wrong = form_is_wrong(c, m, both, SMT_SOME);

            if (wrong == SMT_NO) /* as it is then proved */
                c->claim[m] = both;
            if (wrong != SMT_YES)
                return wrong == SMT_NO;
        }
    }
    return false;
}

static void
walk_all(struct combining *c)
{
    c->seen_count = 0;
    for (size_t i = 0; i < c->g->r->path_count; i++)
        walk_path(c, i, false);
}

/* A message that depends on itself, in an earlier round, or at a rank before. */
static bool
form_guess(struct combining *c, size_t m)
{
    struct forms starts = {.count = 0}, counts = {.count = 0};

    forms_make(c, c->g->p->messages[m].event.loop, &starts, &counts);
    for (int i = 0; i < starts.count; i++)
        for (int j = 0; j < counts.count; j++) {
            size_t times = 0;

            c->claim[m] = range_of(starts.list[i], counts.list[j]);
            walk_all(c);
            for (size_t k = 0; k < c->seen_count; k++)
                times += c->seen[k].message == m;
            if (times == c->g->p->messages[m].count && form_is_wrong(c, m, c->claim[m], SMT_SOME) == SMT_NO)
                return true;
        }
    c->claim[m] = range_unknown();
    return false;
}

static void
forms_find(struct combining *c)
{
    const struct prove *p = c->g->p;

    for (bool more = true; more;) {
        more = false;
        walk_all(c);
        for (size_t m = 0; m < p->count; m++)
            if (p->messages[m].event.kind == EVENT_SEND && !c->claim[m].start)
                more = form_choose(c, m) || more;
        for (size_t m = 0; m < p->count && !more; m++)
            if (p->messages[m].event.kind == EVENT_SEND && (p->messages[m].event.loop || !c->g->r->log_known) &&
                !c->claim[m].start)
                more = form_guess(c, m);
    }
    for (size_t m = 0; m < p->count; m++)
        if (p->messages[m].event.kind == EVENT_SEND && !c->claim[m].start)
            prove_cannot(c->g, "what the send of line %d has is the combination of a range of ranks, of a closed form",
                         p->messages[m].event.line);
}

/* ------------------------------------------------------------------ all of it */

static bool
combine_room(struct combining *c)
{
    const struct prove *p = c->g->p;
    const struct following *r = c->g->r;

    c->claim = calloc(p->count + 1, sizeof *c->claim);
    c->seen = calloc(SEEN, sizeof *c->seen);
    c->meet = calloc(p->match_count + 1, sizeof *c->meet);
    c->message_of = calloc(r->path_count + 1, sizeof *c->message_of);
    for (size_t i = 0; c->message_of && i < r->path_count; i++) {
        if (!(c->message_of[i] = malloc((r->paths[i].count + 1) * sizeof **c->message_of)))
            return false;
        for (size_t j = 0; j < r->paths[i].count; j++)
            c->message_of[i][j] = SIZE_MAX;
    }
    if (!c->claim || !c->seen || !c->meet || !c->message_of)
        return false;
    for (size_t m = 0; m < p->count; m++)
        for (size_t i = 0; i < p->messages[m].count; i++) {
            const struct moment *on = &p->messages[m].moments[i];

            c->message_of[on->path][on->event - r->paths[on->path].events] = m;
        }
    return true;
}

static void
combine_room_end(struct combining *c)
{
    for (size_t i = 0; c->message_of && i < c->g->r->path_count; i++)
        free(c->message_of[i]);
    free(c->message_of);
    free(c->claim);
    free(c->seen);
    free(c->meet);
    free(c->simple);
}

static void
combine_tell(struct combining *c)
{
    const struct prove *p = c->g->p;

    for (size_t m = 0; m < p->count; m++)
        if (c->claim[m].start) {
            char text[2][400];

            words_term(c->t, c->claim[m].start, empty_text(text[0], sizeof text[0]));
            words_term(c->t, c->claim[m].count, empty_text(text[1], sizeof text[1]));
            prove_tell(c->g, EVERY_INVARIANT,
                       "the send of line %d %s of the ranks from %s on (mod P), their number: %s%s",
                       p->messages[m].event.line,
                       is_barrier(c) ? "announces the arrival" : "has the combination of the vectors", text[0], text[1],
                       term_is(c->t, range_any(c, c->claim[m]), TERM_FALSE) ? "" : " (-1: no node needs it)");
        }
}

void
prove_combine_all(struct proving *g)
{
    struct combining c = {.g = g,
                          .t = g->t,
                          .commutes = g->p->commutes,
                          .spare = g->p->collective == PEAL_SCAN || g->p->collective == PEAL_EXSCAN};
    jmp_buf outer;

    memcpy(outer, g->stop, sizeof outer);
    if (setjmp(g->stop) != 0) { /* what is here is freed */
        combine_room_end(&c);
        memcpy(g->stop, outer, sizeof outer);
        longjmp(g->stop, 1);
    }
    if (!combine_room(&c))
        prove_no_memory(g);
    forms_make(&c, NULL, &c.starts, &c.counts);
    forms_find(&c);
    combine_tell(&c);
    for (size_t i = 0; i < g->r->path_count; i++)
        walk_path(&c, i, true);
    combine_room_end(&c);
    memcpy(g->stop, outer, sizeof outer);
}
