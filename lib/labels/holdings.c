/* SPDX-License-Identifier: MIT */
/* The data that every node holds after each round of a recorded run: the run is repeated with labels
 * (holdings_rerun.h), their words are kept as strips of cells (strips.h), and this file notes the changes from round to
 * round, the cells that are wrong in the end, and their expected contents.
 *
 *   source   the pictures: van de Geijn, Goto: notes of the course; Chan et al. 2007, figures 1 and 2 */
#include "lib/base/grow.h"
#include "lib/collective/layout.h"
#include "lib/labels/strips.h"
#include <inttypes.h>
#include <stdlib.h>

struct holdings_page {
    struct peal_holdings *to;
    const struct rerun *of;
    struct strips strips;
    int64_t *shown; /* nodes × cells: what was noted last */
    bool full;      /* memory ran out */
    /* For copies that are numbered like their cells, nodes × cells: the last round in which the node sent the cell, 0:
     * none.  NULL where that is not wanted, or unknown. */
    size_t *sent;
};

/* The place of a cell in lists of nodes × cells. */
static size_t
holdings_place(const struct holdings_page *page, int node, int cell)
{
    return (size_t)node * (size_t)page->strips.cells + (size_t)cell;
}

/* ------------------------------------------------------------------ what is sent on */

static void
forget_sent(struct holdings_page *page)
{
    free(page->sent);
    page->sent = NULL;
}

static void
note_sent(struct holdings_page *page, const struct event *events, size_t count)
{
    for (size_t i = 0; page->sent && i < count; i++) {
        int end, cell = strips_cells(&page->strips, &events[i], &end);

        for (; events[i].from >= 0 && cell < end; cell++)
            page->sent[holdings_place(page, events[i].from, cell)] = page->to->rounds;
    }
}

/* Note the cells that each round empties: sent for the last time, and not kept. */
static void
note_leaves(struct holdings_page *page)
{
    struct peal_holdings *to = page->to;
    size_t cells = (size_t)page->strips.cells, count = 0;
    size_t *first = page->sent ? calloc(to->rounds + 1, sizeof *first) : NULL;

    page->full |= page->sent && !first;
    if (!first)
        return;
    for (size_t at = holdings_place(page, page->of->nodes, 0); at-- > 0;)
        if (page->sent[at] > 0) {
            size_t round = page->sent[at];

            page->sent[at] = first[round]; /* from here on the round's next cell, counted from 1 */
            first[round] = at + 1;
            count++;
        }
    to->leaves = calloc(count + 1, sizeof *to->leaves);
    to->leave_end = first;
    page->full |= !to->leaves;
    count = 0;
    for (size_t round = 0; round <= to->rounds && to->leaves; round++) {
        for (size_t at = first[round]; at > 0; at = page->sent[at - 1])
            to->leaves[count++] = (struct peal_leave){(int)((at - 1) / cells), (int)((at - 1) % cells)};
        to->leave_end[round] = count;
    }
}

/* ------------------------------------------------------------------ what is there */

/* Note one change: what `count` cells from `cell` on hold; a number is the first one's. */
static void
note_change(struct holdings_page *page, int node, int cell, int count, int64_t holds, const char *mark)
{
    struct peal_change change = {.node = node, .cell = cell, .count = count, .mark = mark};

    if (holds != cell)
        forget_sent(page);
    if (holds == HOLDS_PARTS) {
        snprintf(change.text, sizeof change.text, "parts");
    } else if (holds < HOLDS_PARTS) {
        snprintf(change.text, sizeof change.text, "%" PRId64 "/%zu", HOLDS_PARTS - holds,
                 page->strips.cell_begin[cell + 1] - page->strips.cell_begin[cell]);
    } else if (holds != HOLDS_NOTHING && page->strips.form->op) {
        change.sum = page->strips.combinations.list[holds];
    } else if (holds != HOLDS_NOTHING) {
        change.numbered = true;
        change.number = holds;
    }
    page->full |= !peal_holdings_add(page->to, &change);
}

/* Whether the next cell continues the change that began with `holds`, `i` cells before. */
static bool
continues(const struct holdings_page *page, int64_t holds, int i, int64_t next)
{
    if (holds < HOLDS_PARTS)
        return false;
    return holds < 0 || page->strips.form->op ? next == holds : next == holds + i;
}

/* Note the cells that differ from those noted last, of the nodes that changed; for all-to-alls `shown` is what is
 * present. */
static void
note_changes(struct holdings_page *page)
{
    for (int d = 0; d < page->strips.changed_count; d++) {
        int node = page->strips.changed[d];
        int64_t *shown = &page->shown[holdings_place(page, node, 0)], first = 0;
        int begin = 0, count = 0;

        for (int cell = 0; cell < page->strips.cells; cell++) {
            int64_t holds = strips_hold(&page->strips, node, cell);

            if (count > 0 && (holds == shown[cell] || !continues(page, first, count, holds))) {
                note_change(page, node, begin, count, first, NULL);
                count = 0;
            }
            if (holds != shown[cell] && count++ == 0) {
                begin = cell;
                first = holds;
            }
            shown[cell] = holds;
        }
        if (count > 0)
            note_change(page, node, begin, count, first, NULL);
    }
    strips_told(&page->strips);
}

/* Mark the cells of results that are wrong. */
static void
note_marks(struct holdings_page *page)
{
    for (int node = 0; node < page->of->nodes; node++) {
        const struct row *row = &page->of->data.out[node];
        int marked = -1;

        for (size_t i = 0, end; row->words && i < row->count; i++) {
            uint64_t is = *vectors_word(&page->of->data, row, i);
            int cell;

            if (is == vectors_should(&page->of->data, node, i, NULL) ||
                (cell = strips_result_cell(&page->strips, node, i, &end)) == marked)
                continue;
            marked = cell;
            if (label_kind(is) == LABEL_UNSET) {
                note_change(page, node, cell, 1, HOLDS_NOTHING, "never");
                continue;
            }
            int64_t holds = page->shown[holdings_place(page, node, cell)];

            if (page->strips.form->op && label_kind(is) != LABEL_NONE && label_kind(is) != LABEL_BEYOND) {
                uint32_t number = combinations_number(&page->strips.combinations, is);

                page->strips.full |= number == UINT32_MAX;
                if (page->strips.full)
                    return;
                holds = number;
            }
            note_change(page, node, cell, 1, holds, "wrong");
        }
    }
}

static void
note_want(struct holdings_page *page, const struct peal_want *want)
{
    struct peal_holdings *to = page->to;

    if (want->count == 0)
        return;
    if (grow_by_one(&to->wanted, to->wanted_count, sizeof *to->wanted))
        to->wanted[to->wanted_count++] = *want;
    else
        page->full = true;
    for (int i = 0; page->sent && i < want->count; i++)
        page->sent[holdings_place(page, want->node, want->cell + i)] = 0;
}

/* The expected final contents of a cell that a stretch of a result covers. */
static struct peal_want
want_in(const struct holdings_page *page, int node, int cell, const struct peal_origin *origin)
{
    struct peal_want want = {.node = node, .cell = cell, .count = 1, .first = cell, .last = origin->last};

    if (page->strips.form->in == PEAL_SIDE_PAIRS)
        want.first = (int64_t)origin->first * page->of->nodes + node;
    else if (page->strips.form->in == PEAL_SIDE_VECTOR || page->strips.form->op)
        want.first = origin->first;
    return want;
}

/* Whether `next` begins where `want` ends. */
static bool
want_joins(const struct holdings_page *page, const struct peal_want *want, const struct peal_want *next)
{
    bool numbered = !page->strips.form->op;

    return want->count > 0 && page->strips.form->in != PEAL_SIDE_PAIRS && next->cell == want->cell + want->count &&
           next->first == want->first + (numbered ? want->count : 0) && (numbered || next->last == want->last);
}

static void
note_wanted_of(struct holdings_page *page, int node)
{
    const struct vectors *data = &page->of->data;
    int parts = data->out[node].words ? layout_parts(&data->layout, data->form) : 0;
    struct peal_want want = {0};
    size_t word = 0;

    for (int part = 0; part < parts; part++) {
        struct peal_origin origin;
        size_t stop, end;

        data->form->origin(&data->layout, node, part, &origin);
        stop = word + (origin.kept ? 0 : origin.words);
        for (; word < stop; word = end < stop ? end : stop) {
            int cell = strips_result_cell(&page->strips, node, word, &end);
            struct peal_want next = want_in(page, node, cell, &origin);

            if (want_joins(page, &want, &next)) {
                want.count++;
                continue;
            }
            note_want(page, &want);
            want = next;
        }
    }
    note_want(page, &want);
}

/* The number of words of a cell in the recorded run; 0 when they differ, or the run was made with fewer. */
static size_t
cell_words(const struct holdings_page *page)
{
    bool blocks = page->strips.form->unequal;
    size_t words = page->strips.cell_begin[1];

    if (blocks)
        return page->of->where.sizes ? 0 : page->of->run->block_words;
    if (page->strips.cells == 1)
        return page->of->run->vector_words;
    for (int cell = 0; cell < page->strips.cells; cell++)
        if (page->strips.cell_begin[cell + 1] - page->strips.cell_begin[cell] != words)
            return 0;
    return page->of->where.words == page->of->run->vector_words ? words : 0;
}

/* Note all rounds; each change takes at least 10 of at most `most` bytes of JSON. */
static enum peal_status
note_rounds(struct holdings_page *page, size_t most, struct peal_error *error)
{
    struct peal_holdings *to = page->to;
    const struct rerun *of = page->of;
    size_t at = 0, rounds = of->run->schedule.round_count;

    strips_give(&page->strips);
    for (;;) {
        size_t begin = at;

        while (at < of->event_count && of->events[at].round <= to->rounds)
            at++;
        note_sent(page, of->events + begin, at - begin);
        strips_take(&page->strips, of->events + begin, at - begin);
        if (to->rounds == rounds)
            strips_settle(&page->strips);
        note_changes(page);
        if (to->rounds == rounds)
            note_marks(page);
        page->full |= !peal_holdings_end_round(to);
        if (page->full || page->strips.full)
            return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
        if (to->change_end[to->rounds - 1] > most / 10)
            return holdings_refuse(to, most, error);
        if (to->rounds > rounds)
            break;
    }
    to->rounds = rounds;
    for (int node = 0; node < of->nodes; node++)
        note_wanted_of(page, node);
    note_leaves(page);
    return page->full ? peal_refuse(error, PEAL_RESOURCES, "not enough memory") : PEAL_OK;
}

/* Nothing has been noted yet. */
static enum peal_status
show_nothing(struct holdings_page *page, struct peal_error *error)
{
    size_t cells = holdings_place(page, page->of->nodes, 0);

    page->shown = calloc(cells + 1, sizeof *page->shown);
    if (!page->shown)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (size_t i = 0; i < cells; i++)
        page->shown[i] = HOLDS_NOTHING;
    if (page->of->borrowed || page->strips.form->op || page->strips.form->in == PEAL_SIDE_PAIRS)
        return PEAL_OK;
    page->sent = calloc(cells + 1, sizeof *page->sent);
    return page->sent ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "not enough memory");
}

enum peal_status
holdings_find(struct peal_holdings *holdings, struct rerun *of, size_t most, struct peal_error *error)
{
    struct holdings_page page = {.to = holdings, .of = of};
    enum peal_status status = of->full ? peal_refuse(error, PEAL_USAGE, "the run moves more words than a page can show")
                                       : strips_begin(&page.strips, of, error);

    *holdings = (struct peal_holdings){.nodes = of->nodes, .cells = page.strips.cells};
    if (status == PEAL_OK)
        status = show_nothing(&page, error);
    if (status == PEAL_OK) {
        holdings->kind = page.strips.form->op ? PEAL_HOLDS_SUMS : PEAL_HOLDS_COPIES;
        holdings->label = page.strips.form->in == PEAL_SIDE_PAIRS ? "pair" : "number";
        holdings->cell_words = cell_words(&page);
        status = note_rounds(&page, most, error);
    }
    holdings->contributors = page.strips.combinations.list;
    holdings->contributors_count = page.strips.combinations.count;
    page.strips.combinations.list = NULL;
    page.strips.combinations.count = 0;
    free(page.shown);
    free(page.sent);
    strips_fini(&page.strips);
    return status;
}

enum peal_status
peal_holdings_make(struct peal_holdings *holdings, const struct peal_record *run,
                   const union peal_check_function *function, size_t most, struct peal_error *error)
{
    struct rerun again;
    enum peal_status status = rerun_make(&again, run, function, error);

    *holdings = (struct peal_holdings){.nodes = 0};
    if (status == PEAL_OK)
        status = holdings_find(holdings, &again, most, error);
    rerun_fini(&again);
    return status;
}

enum peal_status
peal_check_holdings(FILE *out, const struct peal_record *run, const union peal_check_function *function, size_t most,
                    struct peal_error *error)
{
    struct peal_holdings holdings;
    struct peal_error ignored;

    if (!error)
        error = &ignored;
    enum peal_status status = peal_holdings_make(&holdings, run, function, most, error);
    char *text = status == PEAL_OK ? peal_holdings_json(&holdings, most, error) : NULL;

    if (text)
        fputs(text, out);
    free(text);
    peal_holdings_fini(&holdings);
    return text || status != PEAL_OK ? status : error->status;
}
