/* SPDX-License-Identifier: MIT */
/* Ranges of ranks, and the closed forms that they may have. */
#include "lib/proof/prove_range.h"
#include "lib/base/grow.h"

/* ------------------------------------------------------------------ ranges */

struct rank_range
range_unknown(void)
{
    return (struct rank_range){0, 0};
}

struct rank_range
range_of(term start, term count)
{
    return (struct rank_range){start, count};
}

struct rank_range
range_nothing(struct terms *t)
{
    return range_of(term_number(t, 0), term_number(t, 0));
}

struct rank_range
range_if(struct terms *t, term truth, struct rank_range a, struct rank_range b)
{
    if (term_is(t, truth, TERM_TRUE))
        return a;
    if (term_is(t, truth, TERM_FALSE))
        return b;
    if (!a.start || !b.start)
        return range_unknown();
    return (struct rank_range){term_if(t, truth, a.start, b.start), term_if(t, truth, a.count, b.count)};
}

struct rank_range
range_replace(struct terms *t, struct rank_range a, const term *variables, const term *by, int count)
{
    if (!a.start)
        return a;
    return (struct rank_range){term_replace(t, a.start, variables, by, count),
                               term_replace(t, a.count, variables, by, count)};
}

term
range_any(struct combining *c, struct rank_range a)
{
    return c->spare ? term_below(c->t, a.count, term_number(c->t, 0)) : term_truth(c->t, false);
}

term
range_some(struct combining *c, struct rank_range a)
{
    return term_any(c->t, range_any(c, a), term_below(c->t, term_number(c->t, 0), a.count));
}

term
range_equal(struct terms *t, struct rank_range a, struct rank_range b)
{
    return term_all(t, term_equal(t, a.count, b.count),
                    term_any(t, term_equal(t, a.count, term_number(t, 0)), term_equal(t, a.start, b.start)));
}

term
range_is(struct combining *c, struct rank_range a, struct rank_range said)
{
    struct terms *t = c->t;
    term is = term_any(t, range_equal(t, a, said), term_all(t, range_any(c, said), range_some(c, a)));

    if (c->g->p->collective == PEAL_BARRIER) /* all ranks have come, whichever is named first */
        is = term_any(t, is, term_all(t, term_equal(t, a.count, t->P), term_equal(t, said.count, t->P)));
    return is;
}

/* The second begins where the first ends. */
term
range_meets(struct combining *c, struct rank_range a, struct rank_range b)
{
    struct terms *t = c->t;
    term d = term_minus(t, term_plus(t, a.start, a.count), b.start);

    return term_any(t, term_any(t, term_equal(t, d, term_number(t, 0)), term_equal(t, d, t->P)),
                    term_any(t, range_any(c, a), range_any(c, b)));
}

struct rank_range
range_combined(struct combining *c, struct rank_range a, struct rank_range b)
{
    struct terms *t = c->t;

    if (!a.start || !b.start)
        return range_unknown();
    term start = term_is(t, c->commutes, TERM_FALSE) ? a.start : term_if(t, range_meets(c, a, b), a.start, b.start);

    return range_of(start, term_if(t, term_any(t, range_any(c, a), range_any(c, b)), term_number(t, -1),
                                   term_plus(t, a.count, b.count)));
}

/* All that a node of a barrier knows from both, if that is a range, else `a`. */
struct rank_range
range_joined(struct combining *c, struct rank_range a, struct rank_range b)
{
    struct terms *t = c->t;
    term P = t->P, zero = term_number(t, 0), left, right, more;

    if (!a.start || !b.start)
        return range_unknown();
    left = prove_wrapped(c->g, term_minus(t, a.start, b.start)); /* how far after b a begins */
    right = prove_wrapped(c->g, term_minus(t, b.start, a.start));
    more = term_plus(t, left, a.count);
    more = term_if(t, term_up_to(t, P, more), P, term_if(t, term_up_to(t, more, b.count), b.count, more));
    struct rank_range before = range_of(b.start, more);

    more = term_plus(t, right, b.count);
    more = term_if(t, term_up_to(t, P, more), P, term_if(t, term_up_to(t, more, a.count), a.count, more));
    struct rank_range after = range_of(a.start, more);

    return range_if(
        t, term_up_to(t, b.count, zero), a,
        range_if(t, term_up_to(t, right, a.count), after, range_if(t, term_up_to(t, left, b.count), before, a)));
}

/* ------------------------------------------------------------------ closed forms */

void
form_add(struct forms *forms, term form)
{
    for (int i = 0; i < forms->count; i++)
        if (forms->list[i] == form)
            return;
    if (forms->count < (int)(sizeof forms->list / sizeof *forms->list))
        forms->list[forms->count++] = form;
}

/* Try this form first, if it is one. */
void
form_prefer(struct forms *forms, term form)
{
    for (int i = 0; i < forms->count; i++)
        if (forms->list[i] == form) {
            forms->list[i] = forms->list[0];
            forms->list[0] = form;
        }
}

static term
form_least(struct terms *t, term a, term b)
{
    return term_if(t, term_up_to(t, a, b), a, b);
}

/* The number by which the peer of an event differs from the rank; 0: that is none. */
static int64_t
form_distance(struct combining *c, const struct c_event *event)
{
    int64_t by;

    if (event->kind > EVENT_RECV ||
        !term_known(c->t, term_before_modulo(c->t, term_far(c->t, event->peer, c->g->r->rank)), &by))
        return 0;
    return by < 0 ? -by : by;
}

/* Ranges of up to m ranks, before and after the rank, and in groups of m. */
static void
forms_of_size(struct combining *c, int64_t m, struct forms *starts, struct forms *counts)
{
    struct proving *g = c->g;
    struct terms *t = c->t;
    term rank = g->r->rank, x = g->r->number, P = t->P, zero = term_number(t, 0), size = term_number(t, m);
    term below = term_add(t, rank, 1 - m), before = term_add(t, rank, -m);

    if (m <= 0 || m > 2 * term_at(t, P)->high)
        return;
    form_add(starts, prove_wrapped(g, below));
    form_add(starts, term_if(t, term_up_to(t, zero, below), below, zero));
    form_add(starts, term_if(t, term_up_to(t, zero, before), before, zero));
    form_add(counts, form_least(t, size, P));
    form_add(counts, form_least(t, size, term_minus(t, P, x)));
    form_add(counts, form_least(t, size, term_add(t, rank, 1)));
    form_add(counts, form_least(t, size, rank));
    if ((m & (m - 1)) != 0)
        return;
    term group = term_minus(t, rank, term_divided(t, TERM_REST, rank, m));

    form_add(starts, group);
    form_add(counts, form_least(t, size, term_minus(t, P, group)));
    if (!c->spare)
        return;
    term below_rank = term_minus(t, rank, group);

    form_add(counts, term_add(t, below_rank, 1));
    form_add(counts, term_if(t, term_equal(t, below_rank, zero), term_number(t, 1), below_rank));
    if (starts == &c->starts && 2 * m <= term_at(t, P)->high) {
        form_add(&c->groups, group);
        form_add(&c->spares, term_if(t, term_up_to(t, term_plus(t, group, size), P), size, term_number(t, -1)));
    }
}

/* What ranges begin with, and how many ranks they have, in rounds of loops, or of doublings. */
void
forms_make(struct combining *c, const struct loop *loop, struct forms *starts, struct forms *counts)
{
    struct proving *g = c->g;
    struct terms *t = c->t;
    term rank = g->r->rank, P = t->P, zero = term_number(t, 0), one = term_number(t, 1);

    form_add(starts, rank);
    form_add(starts, zero);
    form_add(counts, one);
    form_add(counts, P);
    form_add(counts, term_add(t, rank, 1));
    form_add(counts, rank);
    form_add(starts, prove_wrapped(g, term_add(t, g->p->block, 1)));
    if (loop) {
        form_add(starts, prove_wrapped(g, term_minus(t, rank, loop->k)));
        form_add(starts, prove_wrapped(g, term_minus(t, term_add(t, rank, -1), loop->k)));
        form_add(starts, prove_wrapped(g, term_plus(t, rank, loop->k)));
        form_add(counts, term_add(t, loop->k, 1));
        form_add(counts, term_add(t, loop->k, 2));
    }
    for (int j = 0; c->g->r->log_known && (INT64_C(1) << j) <= 2 * term_at(t, P)->high; j++)
        forms_of_size(c, INT64_C(1) << j, starts, counts);
    for (size_t i = 0; i < g->p->count && c->g->r->log_known; i++) { /* which is often what was combined before */
        const int64_t by = form_distance(c, &g->p->messages[i].event);

        if ((by & (by - 1)) != 0)
            forms_of_size(c, by, starts, counts);
        if (by > 0) {
            forms_of_size(c, by + 1, starts, counts);
            forms_of_size(c, by - 1, starts, counts);
        }
    }
}

/* The number of ranks of a group that begins so, and is anything where P cuts it off; 0: there is none. */
term
form_spare(const struct combining *c, term start)
{
    for (int i = 0; i < c->groups.count; i++)
        if (c->groups.list[i] == start)
            return c->spares.list[i];
    return 0;
}

/* Of a known number of nodes: so far before an even rank, and so far before an odd one, as in the cases that are known.
 * 0: there is none. */
static term
form_by_parity(struct combining *c, term when, term start)
{
    struct terms *t = c->t;
    const struct smt *s = c->g->s;
    const term rank = c->g->r->rank;
    int64_t P, by[2] = {0, 0};

    if (!term_known(t, t->P, &P))
        return 0;
    for (size_t i = 0; i < s->case_count; i++)
        if (term_value(t, when, s->cases[i]) == 1) {
            const int64_t r = term_value(t, rank, s->cases[i]);

            by[r % 2] = ((r - term_value(t, start, s->cases[i])) % P + P) % P;
        }
    const term even = term_equal(t, term_divided(t, TERM_REST, rank, 2), term_number(t, 0));

    return prove_wrapped(c->g, term_minus(t, rank, term_if(t, even, term_number(t, by[0]), term_number(t, by[1]))));
}

/* The first form that is right of a range wherever `when` holds, as its start or as its count; if none is, what it is
 * now. */
static term
form_of(struct combining *c, term when, struct rank_range a, bool start, const struct forms *forms)
{
    const term by_parity = start ? form_by_parity(c, when, a.start) : 0;

    for (int i = by_parity ? -1 : 0; i < forms->count; i++) {
        const term form = i < 0 ? by_parity : forms->list[i];
        const term right = range_is(c, a, start ? range_of(form, a.count) : range_of(a.start, form));

        if (smt_ask(c->g->s, term_all(c->t, when, term_not(c->t, right)), SMT_MUCH) == SMT_NO)
            return form;
    }
    return start ? a.start : a.count;
}

/* The range in closed form, if it has one wherever `when` holds: so terms stay small from round to round. */
struct rank_range
form_of_range(struct combining *c, term when, struct rank_range a)
{
    struct terms *t = c->t;
    struct rank_range after;
    term spare;

    if (!c->g->r->log_known || !a.start || c->starts.count == 0 ||
        (term_at(t, a.start)->count == 0 && term_at(t, a.count)->count == 0))
        return a;
    for (size_t at = 0; at < c->simple_count; at++)
        if (c->simple[at].when == when && c->simple[at].before.start == a.start &&
            c->simple[at].before.count == a.count)
            return c->simple[at].after;
    after.start = form_of(c, when, a, true, &c->starts);
    after.count = form_of(c, when, a, false, &c->counts);
    if (after.count == a.count && (spare = form_spare(c, after.start)) &&
        smt_ask(c->g->s, term_all(t, when, term_not(t, range_is(c, a, range_of(after.start, spare)))), SMT_MUCH) ==
            SMT_NO)
        after.count = spare;
    if (array_grow(&c->simple, &c->simple_capacity, c->simple_count + 1, sizeof *c->simple))
        c->simple[c->simple_count++] = (struct simple){when, a, after};
    return after;
}
