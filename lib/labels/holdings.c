/* SPDX-License-Identifier: MIT */
/* The data that every node holds after each round of a recorded run, as JSON: the run is repeated with labels
 * (holdings_rerun.h), their words are kept as strips of cells (strips.h), and this file writes the changes from round
 * to round, the cells that are wrong in the end, and their expected contents.
 *
 *   source   the pictures: van de Geijn, Goto: notes of the course; Chan et al. 2007, figures 1 and 2 */
#include "lib/collective/layout.h"
#include "lib/labels/strips.h"
#include "lib/record/json.h"
#include <inttypes.h>
#include <stdlib.h>

struct holdings_page {
    struct peal_json json;
    const struct rerun *of;
    struct strips strips;
    int64_t *shown; /* nodes × cells: what was written last */
    size_t round;   /* that is written; 0: the beginning */
    /* For copies that are numbered like their cells, nodes × cells: the last round in which the node sent it, 0: none.
     * NULL where that is not wanted, or unknown. */
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
            page->sent[holdings_place(page, events[i].from, cell)] = page->round;
    }
}

/* Write the cells that each round empties: sent for the last time, and not kept. */
static void
put_leaves(struct holdings_page *page)
{
    size_t cells = (size_t)page->strips.cells, *first = page->sent ? calloc(page->round + 1, sizeof *first) : NULL;

    page->strips.full |= page->sent && !first;
    if (!first)
        return;
    for (size_t at = holdings_place(page, page->of->nodes, 0); at-- > 0;)
        if (page->sent[at] > 0) {
            size_t round = page->sent[at];

            page->sent[at] = first[round]; /* from here on the round's next one, counted from 1 */
            first[round] = at + 1;
        }
    peal_json_put(&page->json, PEAL_LINE(0), PEAL_OPEN("leaves", '['));
    for (size_t round = 0; round <= page->round; round++) {
        peal_json_put(&page->json, PEAL_OPEN(NULL, '['));
        for (size_t at = first[round]; at > 0; at = page->sent[at - 1])
            peal_json_put(&page->json, PEAL_OPEN(NULL, '['), PEAL_UINT(NULL, (at - 1) / cells),
                          PEAL_UINT(NULL, (at - 1) % cells), PEAL_INT(NULL, 1), PEAL_CLOSE(']'));
        peal_json_put(&page->json, PEAL_CLOSE(']'));
    }
    peal_json_put(&page->json, PEAL_CLOSE(']'));
    free(first);
}

/* ------------------------------------------------------------------ what is there */

/* Write one change: what `count` cells from `cell` on hold; a number is the first one's. */
static void
put_change(struct holdings_page *page, int node, int cell, int count, int64_t holds, const char *mark)
{
    struct peal_json *json = &page->json;
    char text[50];

    if (holds != cell)
        forget_sent(page);
    peal_json_put(json, PEAL_OPEN(NULL, '['), PEAL_INT(NULL, node), PEAL_INT(NULL, cell), PEAL_INT(NULL, count));
    if (holds == HOLDS_NOTHING) {
        peal_json_put(json, PEAL_NULL(NULL));
    } else if (holds <= HOLDS_PARTS) {
        snprintf(text, sizeof text, holds == HOLDS_PARTS ? "parts" : "%" PRId64 "/%zu", HOLDS_PARTS - holds,
                 page->strips.cell_begin[cell + 1] - page->strips.cell_begin[cell]);
        peal_json_put(json, PEAL_STRING(NULL, text));
    } else if (page->strips.form->op) {
        peal_json_put(json, PEAL_TEXT(NULL, page->strips.combinations.text[holds]));
    } else {
        peal_json_put(json, PEAL_INT(NULL, holds));
    }
    if (mark)
        peal_json_put(json, PEAL_STRING(NULL, mark));
    peal_json_put(json, PEAL_CLOSE(']'));
}

/* Whether the next cell continues the change that began with `holds`, `i` cells before. */
static bool
continues(const struct holdings_page *page, int64_t holds, int i, int64_t next)
{
    if (holds < HOLDS_PARTS)
        return false;
    return holds < 0 || page->strips.form->op ? next == holds : next == holds + i;
}

/* Write the cells that differ from those written last, of the nodes that changed; for all-to-alls `shown` is what is
 * present. */
static void
put_changes(struct holdings_page *page)
{
    peal_json_put(&page->json, PEAL_OPEN(NULL, '['));
    for (int d = 0; d < page->strips.changed_count; d++) {
        int node = page->strips.changed[d];
        int64_t *shown = &page->shown[holdings_place(page, node, 0)], first = 0;
        int begin = 0, count = 0;

        for (int cell = 0; cell < page->strips.cells; cell++) {
            int64_t holds = strips_hold(&page->strips, node, cell);

            if (count > 0 && (holds == shown[cell] || !continues(page, first, count, holds))) {
                put_change(page, node, begin, count, first, NULL);
                count = 0;
            }
            if (holds != shown[cell] && count++ == 0) {
                begin = cell;
                first = holds;
            }
            shown[cell] = holds;
        }
        if (count > 0)
            put_change(page, node, begin, count, first, NULL);
    }
    strips_told(&page->strips);
}

/* Mark the cells of results that are wrong. */
static void
put_marks(struct holdings_page *page)
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
                put_change(page, node, cell, 1, HOLDS_NOTHING, "never");
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
            put_change(page, node, cell, 1, holds, "wrong");
        }
    }
}

/* The expected contents of `count` cells of a node from `cell` on: combinations of the nodes first .. last, or the
 * numbers of cells, from `first` on. */
struct want {
    int cell, count;
    int64_t first;
    int last;
};

static void
put_want(struct holdings_page *page, int node, const struct want *want)
{
    if (want->count == 0)
        return;
    peal_json_put(&page->json, PEAL_OPEN(NULL, '['), PEAL_INT(NULL, node), PEAL_INT(NULL, want->cell),
                  PEAL_INT(NULL, want->count));
    if (page->strips.form->op)
        peal_json_put(&page->json, PEAL_OPEN(NULL, '['), PEAL_INT(NULL, want->first), PEAL_INT(NULL, want->last),
                      PEAL_CLOSE(']'));
    else
        peal_json_put(&page->json, PEAL_INT(NULL, want->first));
    peal_json_put(&page->json, PEAL_CLOSE(']'));
    for (int i = 0; page->sent && i < want->count; i++)
        page->sent[holdings_place(page, node, want->cell + i)] = 0;
}

/* The expected final contents of a cell that a stretch of a result covers. */
static struct want
want_in(const struct holdings_page *page, int node, int cell, const struct peal_origin *origin)
{
    struct want want = {.cell = cell, .count = 1, .first = cell, .last = origin->last};

    if (page->strips.form->in == PEAL_SIDE_PAIRS)
        want.first = (int64_t)origin->first * page->of->nodes + node;
    else if (page->strips.form->in == PEAL_SIDE_VECTOR || page->strips.form->op)
        want.first = origin->first;
    return want;
}

/* Whether `next` begins where `want` ends. */
static bool
want_joins(const struct holdings_page *page, const struct want *want, const struct want *next)
{
    bool numbered = !page->strips.form->op;

    return want->count > 0 && page->strips.form->in != PEAL_SIDE_PAIRS && next->cell == want->cell + want->count &&
           next->first == want->first + (numbered ? want->count : 0) && (numbered || next->last == want->last);
}

static void
put_wanted_of(struct holdings_page *page, int node)
{
    const struct vectors *data = &page->of->data;
    int parts = data->out[node].words ? layout_parts(&data->layout, data->form) : 0;
    struct want want = {0};
    size_t word = 0;

    for (int part = 0; part < parts; part++) {
        struct peal_origin origin;
        size_t stop, end;

        data->form->origin(&data->layout, node, part, &origin);
        stop = word + (origin.kept ? 0 : origin.words);
        for (; word < stop; word = end < stop ? end : stop) {
            int cell = strips_result_cell(&page->strips, node, word, &end);
            struct want next = want_in(page, node, cell, &origin);

            if (want_joins(page, &want, &next)) {
                want.count++;
                continue;
            }
            put_want(page, node, &want);
            want = next;
        }
    }
    put_want(page, node, &want);
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

static enum peal_status
holdings_write_all(struct holdings_page *page, size_t most, struct peal_error *error)
{
    struct peal_json *json = &page->json;
    const struct rerun *of = page->of;
    size_t at = 0, words = cell_words(page), rounds = of->run->schedule.round_count;

    peal_json_put(json, PEAL_OPEN(NULL, '{'), PEAL_STRING("kind", page->strips.form->op ? "sum" : "copy"),
                  PEAL_INT("cells", page->strips.cells), PEAL_UINT_IF("cell_words", words > 0, words),
                  PEAL_STRING("label", page->strips.form->in == PEAL_SIDE_PAIRS ? "pair" : "number"), PEAL_LINE(0),
                  PEAL_KEY("start"));
    strips_give(&page->strips);
    for (uint32_t round = 0; round <= rounds; round++) {
        size_t begin = at;

        while (at < of->event_count && of->events[at].round <= round)
            at++;
        page->round = round;
        note_sent(page, of->events + begin, at - begin);
        strips_take(&page->strips, of->events + begin, at - begin);
        if (round == rounds)
            strips_settle(&page->strips);
        if (round > 0)
            peal_json_put(json, PEAL_LINE(0));
        put_changes(page);
        if (round == rounds)
            put_marks(page);
        peal_json_put(json, PEAL_CLOSE(']'));
        if (round == 0)
            peal_json_put(json, PEAL_LINE(0), PEAL_OPEN("rounds", '['));
        if (ftello(json->out) > (off_t)most)
            break;
    }
    peal_json_put(json, PEAL_CLOSE(']'), PEAL_LINE(0), PEAL_OPEN("wanted", '['));
    for (int node = 0; node < of->nodes; node++)
        put_wanted_of(page, node);
    peal_json_put(json, PEAL_CLOSE(']'));
    put_leaves(page);
    if (page->strips.full)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (ftello(json->out) > (off_t)most)
        return peal_refuse(error, PEAL_USAGE, "the words of %d nodes after each round take more than %zu bytes",
                           of->nodes, most);
    peal_json_put(json, PEAL_CLOSE('}'));
    return PEAL_OK;
}

/* Nothing has been written yet. */
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
holdings_write(FILE *out, struct rerun *of, size_t most, struct peal_error *error)
{
    struct holdings_page page = {.json = {.out = out, .tight = true}, .of = of};
    enum peal_status status = of->full ? peal_refuse(error, PEAL_USAGE, "the run moves more words than a page can show")
                                       : strips_begin(&page.strips, of, error);

    if (status == PEAL_OK)
        status = show_nothing(&page, error);
    if (status == PEAL_OK)
        status = holdings_write_all(&page, most, error);
    free(page.shown);
    free(page.sent);
    strips_fini(&page.strips);
    return status;
}

enum peal_status
peal_check_holdings(FILE *out, const struct peal_record *run, const union peal_check_function *function, size_t most,
                    struct peal_error *error)
{
    struct rerun again;
    struct peal_error ignored;
    size_t bytes = 0;
    char *text = NULL;

    if (!error)
        error = &ignored;
    FILE *memory = open_memstream(&text, &bytes);

    if (!memory)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    enum peal_status status = rerun_make(&again, run, function, error);

    if (status == PEAL_OK)
        status = holdings_write(memory, &again, most, error);
    if (fclose(memory) != 0 && status == PEAL_OK)
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (status == PEAL_OK)
        fwrite(text, 1, bytes, out);
    free(text);
    rerun_fini(&again);
    return status;
}
