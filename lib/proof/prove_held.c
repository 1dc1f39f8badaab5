/* SPDX-License-Identifier: MIT */
/* Blocks lie in their places, what is sent was there before, and what is promised has come. */
#include "lib/proof/prove_inside.h"
#include "lib/proof/words.h"

/* ------------------------------------------------------------------ places, and what is in them */

/* The item lies where its blocks belong. */
static term
in_place(struct proving *g, const struct block_run *item, term node)
{
    struct terms *t = g->t;
    term zero = term_number(t, 0), one = term_number(t, 1), rank = prove_rank(g, node);
    term empty = term_up_to(t, item->count, zero), single = term_equal(t, item->count, one);

    if (item->room)
        return term_all(t, single, term_equal(t, item->at, zero));
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
    term root = term_equal(t, g->r->number, term_number(t, 0)),
         own = term_equal(t, prove_distance(g, block, g->r->rank), term_number(t, 0));
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
    if ((g->p->collective == PEAL_GATHER || g->p->collective == PEAL_REDUCE) && buffer == BUFFER_OUT)
        return root;
    return term_truth(t, true); /* of a broadcast's root, too: by what is there already */
}

void
prove_place_all(struct proving *g)
{
    for (size_t i = 0; i < g->p->count; i++) {
        const struct message *m = &g->p->messages[i];

        for (int j = 0; j < m->event.items; j++) {
            const struct block_run *item = &m->event.item[j];

            if (g->p->combines && item->cut != g->p->cut)
                prove_cannot(g, "the %s of line %d is of blocks as the collective has them", prove_kind_name(m),
                             m->event.line);
            if (item->buffer < BUFFER_BUNDLE || g->p->combines || g->r->owns[item->buffer] > 0)
                prove_must(g, m->when, in_place(g, item, g->r->number),
                           "the %s of line %d is of blocks in their places", prove_kind_name(m), m->event.line);
            else
                prove_cannot(g, "the %s of line %d is of blocks in their places", prove_kind_name(m), m->event.line);
            if (prove_writes(m, j))
                prove_must(g, m->when, writable(g, item->buffer), "the %s of line %d writes what may be written",
                           prove_kind_name(m), m->event.line);
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
    peal_append(*g->name, "%s the %s of line %d%s", g->named > 1 ? ", or" : "", prove_kind_name(f), f->event.line,
                text);
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
    term list[] = {zero,
                   block,
                   rank,
                   x,
                   prove_wrapped(g, term_distance(t, block, self)),
                   prove_wrapped(g, term_distance(t, self, block))};
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
        if (g->r->log_known && term_at(t, block)->low >= 0 && term_at(t, rank)->low >= 0)
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
            struct block_run item = prove_item_elsewhere(g, f, i, x, round[j]);
            term here = term_all(t, prove_elsewhere(g, f, when, x, round[j]), prove_item_covers(g, &item, block));

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
        else if (!same_loop && (on ? before->wait < on->post : prove_always(f, m, true, &some) && some))
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

/* Name the sources that are needed for a block, where all of them together are known to suffice. */
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
        g->dropped[i] = smt_ask(g->s, term_all(t, when, term_not(t, prove_has(g, m, buffer))), SMT_SOME) == SMT_NO;
    }
    g->sources = g->named = 0;
    g->name = &names;
    term has = prove_has(g, m, buffer);
    g->name = NULL;
    memset(g->dropped, 0, sizeof g->dropped);
    bool first = m ? initial(g, buffer, g->p->block) != term_truth(t, false) : false;

    (void)has;
    if (m)
        prove_tell(g, EVERY_INVARIANT, "what the %s of line %d takes from `%s`%s%s%s", prove_kind_name(m),
                   m->event.line, prove_buffer_name(g, buffer), first ? " is there from the beginning" : "",
                   text[0] ? first ? ", or came by" : " came by" : "", text);
    else
        prove_tell(
            g, EVERY_INVARIANT, "at the end the block of each number `block` that is promised came to `%s` by%s%s",
            prove_buffer_name(g, buffer), text, g->p->collective == PEAL_BROADCAST ? "; or the node is the root" : "");
}

void
prove_held_all(struct proving *g)
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
                term when = term_all(t, on->event->brief, on->event->guard);

                prove_must(g, term_all(t, when, prove_item_covers(g, item, block)),
                           prove_block_held(g, m, on, item->buffer, block),
                           "what the %s of line %d sends was there before", prove_kind_name(m), m->event.line);
            }
            tell_sources(g, m, item->buffer, term_all(t, m->when, prove_item_covers(g, item, block)));
        }
        if (m->event.kind == EVENT_COPY) {
            struct whose a = prove_label(g, &m->event.item[0], g->r->number),
                         b = prove_label(g, &m->event.item[1], g->r->number);

            prove_must(g, m->when,
                       term_all(t, term_equal(t, m->event.item[0].count, m->event.item[1].count),
                                term_all(t, term_equal(t, a.block, b.block), term_equal(t, a.other, b.other))),
                       "the copy of line %d is of the block that belongs there", m->event.line);
        }
    }
}

void
prove_end_all(struct proving *g)
{
    struct terms *t = g->t;
    enum peal_collective collective = g->p->collective;
    int buffer = collective == PEAL_BROADCAST ? BUFFER_VECTOR : BUFFER_OUT;
    term block = g->p->block, root = term_equal(t, g->r->number, term_number(t, 0));
    term promised = collective == PEAL_SCATTER  ? term_equal(t, block, g->r->rank)
                    : collective == PEAL_GATHER ? root
                                                : term_truth(t, true);

    for (size_t path = 0; path < g->r->path_count; path++)
        prove_must(g, term_all(t, g->r->paths[path].brief, promised), come_at_end(g, &path, buffer),
                   "at the end every block has come");
    tell_sources(g, NULL, buffer, promised);
}

/* ------------------------------------------------------------------ use while a message is outstanding */

/* Whether b is posted, on some path, while a is outstanding. */
static bool
overlaps(const struct message *a, const struct message *b)
{
    for (size_t i = 0, j = 0; prove_both(a, b, &i, &j); i++)
        if (a->moments[i].post < b->moments[j].post && a->moments[i].wait > b->moments[j].post &&
            !prove_exclusive(a->moments[i].event, b->moments[j].event))
            return true;
    return false;
}

/* Two messages of a node, the second in another round unless `round` is 0, share no place that either writes. */
static void
apart(struct proving *g, const struct message *a, const struct message *b, term round, term when)
{
    struct terms *t = g->t;
    term block = g->p->block, n = g->r->number;

    for (int i = 0; i < a->event.items; i++)
        for (int j = 0; j < b->event.items; j++) {
            struct block_run x = a->event.item[i], y = prove_item_elsewhere(g, b, j, n, round);
            bool by_own = (x.buffer >= BUFFER_BUNDLE && g->r->owns[x.buffer] - 1 == y.buffer) ||
                          (y.buffer >= BUFFER_BUNDLE && g->r->owns[y.buffer] - 1 == x.buffer);

            if ((x.buffer != y.buffer && !by_own) || (!prove_writes(a, i) && !prove_writes(b, j)) ||
                (a == b && !round && i >= j))
                continue;
            term both = term_all(t, prove_item_covers(g, &x, block), prove_item_covers(g, &y, block));

            prove_must(g, x.room ? when : term_all(t, when, both), /* in a room all blocks lie in one place */
                       term_truth(t, false), "lines %d and %d use different places while a message is outstanding",
                       a->event.line, b->event.line);
        }
}

void
prove_use_all(struct proving *g)
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
                both = term_all(t, a->when, prove_elsewhere(g, b, b->when, n, k2));
                both = term_all(t, both, term_not(t, term_equal(t, a->event.loop->k, k2)));
                apart(g, a, b, k2, both);
                if (i != j)
                    apart(g, a, b, 0, term_all(t, a->when, b->when));
            } else if (i != j && overlaps(a, b)) {
                if (b->event.loop && a->event.loop) /* of two loops: rounds of their own */
                    apart(g, a, b, k2, term_all(t, a->when, prove_elsewhere(g, b, b->when, n, k2)));
                else
                    apart(g, a, b, 0, both);
            }
        }
}
