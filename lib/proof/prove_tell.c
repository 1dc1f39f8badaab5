/* SPDX-License-Identifier: MIT */
/* What a node does, and what meets, in words. */
#include "lib/proof/prove_inside.h"
#include "lib/proof/words.h"

/* ------------------------------------------------------------------ in words */

const char *
prove_buffer_name(const struct proving *g, int buffer)
{
    const bool mpi = g->r->mpi;

    return buffer == BUFFER_IN       ? mpi ? "sendbuf" : "in"
           : buffer == BUFFER_OUT    ? mpi ? "recvbuf" : "out"
           : buffer == BUFFER_VECTOR ? mpi ? "buffer" : "a"
           : g->p->combines          ? "own memory"
                                     : "the bundle";
}

static void
words_item(struct proving *g, const struct block_run *item, struct peal_text to)
{
    struct terms *t = g->t;
    const char *block = item->cut == CUT_VECTOR ? "part" : "block";

    if (item->count == g->r->P && item->lo == term_number(t, 0)) {
        peal_append(to, "all of `%s`", prove_buffer_name(g, item->buffer));
        return;
    }
    if (item->count == term_number(t, 1)) {
        peal_append(to, "%s ", block);
    } else {
        words_term(t, item->count, to);
        peal_append(to, " %ss from ", block);
    }
    words_term(t, item->lo, to);
    if (item->step != 0)
        peal_append(to, ", each %d %s the other,", item->step > 0 ? item->step : -item->step,
                    item->step > 0 ? "after" : "before");
    peal_append(to, " of `%s`", prove_buffer_name(g, item->buffer));
}

/* "line 31, in round `round`, if round < P - 1: send block (rank - round) mod P of `out` to (rank + 1) mod P" */
void
prove_tell_events(struct proving *g)
{
    for (size_t i = 0; g->p->tell && i < g->p->count; i++) {
        const struct message *m = &g->p->messages[i];
        char text[900], when[400];
        struct peal_text to = empty_text(text, sizeof text), guard = empty_text(when, sizeof when);

        peal_append(to, "line %d", m->event.line);
        words_term(g->t, m->when, guard);
        if (!term_is(g->t, m->when, TERM_TRUE))
            peal_append(to, ", %s %s", m->event.loop ? "for each round with" : "if", when);
        peal_append(to, ": %s ", m->event.kind == EVENT_COMBINE ? "combine into" : prove_kind_name(m));
        for (int j = 0; j < m->event.items; j++) {
            peal_append(to, "%s",
                        j == 0                           ? ""
                        : m->event.kind == EVENT_COPY    ? " from "
                        : m->event.kind == EVENT_COMBINE ? j == 1 ? ": " : ", then "
                                                         : " and ");
            words_item(g, &m->event.item[j], to);
        }
        if (prove_is_sent(m)) {
            peal_append(to, m->event.kind == EVENT_SEND ? " to " : " from ");
            words_term(g->t, m->event.peer, to);
        }
        if (m->event.tag) {
            peal_append(to, ", with tag ");
            words_term(g->t, m->event.tag, to);
        }
        prove_tell(g, EVERY_EVENT, "%s", text);
    }
}

void
prove_tell_matches(struct proving *g)
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
        peal_append(to, " meets the receive there of line %d%s", b->event.line,
                    a->event.tag ? ", which has the same tag" : "");
        if (match->round && a->event.loop && match->round == a->event.loop->k) {
            peal_append(to, ", in the same round");
        } else if (match->round) {
            peal_append(to, ", in round ");
            words_term(g->t, match->round, to);
        }
        prove_tell(g, EVERY_MEETS, "%s", text);
    }
}
