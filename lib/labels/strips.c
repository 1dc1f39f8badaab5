/* SPDX-License-Identifier: MIT */
/* Follows the events of a run and keeps, for each node and place, the most valuable word or combination so far. */
#include "lib/labels/strips.h"
#include "lib/collective/layout.h"
#include <stdlib.h>

enum { MAX_CELLS = 1 << 12 };

/* ------------------------------------------------------------------ places */

/* Whether each node's whole vector goes elsewhere: then a place holds the node that it is from. */
static bool
moves_vectors(const struct strips *s)
{
    return s->form->in == PEAL_SIDE_VECTOR && !s->form->op;
}

/* Whether the strips hold blocks that each have a source node and a destination node. */
static bool
moves_pairs(const struct strips *s)
{
    return s->form->in == PEAL_SIDE_PAIRS;
}

/* The place of a word in the strips, and its value there when a node has it. */
static size_t
strips_place(struct strips *s, uint64_t label, uint32_t *what)
{
    struct leaf leaf = label_leaf(label, 0);

    if (s->form->op) {
        *what = combinations_number(&s->combinations, label) + 1;
        s->full |= *what == 0;
    } else if (moves_vectors(s))
        *what = (uint32_t)leaf.node + 1;
    else
        *what = !s->form->from_root || leaf.node == s->where->root; /* words of nodes other than the root do not move */
    return s->form->in == PEAL_SIDE_BLOCK ? layout_begin(&s->data->layout, leaf.node) + leaf.index : leaf.index;
}

/* The last node that contributes to what the node must hold in the end; -1: only itself. */
static int
last_useful(const struct strips *s, int node)
{
    struct peal_origin origin;

    s->form->origin(&s->data->layout, node, 0, &origin);
    if (origin.kept && s->form->root) /* the nodes other than the root of a reduction help it */
        return s->nodes - 1;
    return origin.kept ? -1 : origin.last;
}

/* The number of contributors of a combination, whether the node itself is one, and whether all can be part of its
 * result. */
static size_t
contributors(const struct strips *s, uint64_t label, int node, bool *own, bool *useful)
{
    size_t leaves = label_leaves(label);
    int last = last_useful(s, node);

    *own = false;
    *useful = true;
    for (size_t i = 0; i < leaves; i++) {
        int other = label_leaf(label, i).node;

        *own |= other == node;
        *useful &= other <= last;
    }
    return leaves;
}

/* The value of showing a combination: it grows with the contributors, if they are useful to the node; otherwise it is
 * less than that of the node's own word. */
static size_t
worth(const struct strips *s, uint64_t label, int node)
{
    bool own, useful;
    size_t leaves = contributors(s, label, node, &own, &useful);

    return useful ? 4 * leaves + 2 + own : leaves == 1 && own ? 3 : 0;
}

static void
set_changed(struct strips *s, int node)
{
    if (s->is_changed[node])
        return;
    s->is_changed[node] = true;
    s->changed[s->changed_count++] = node;
}

static void
strips_take_word(struct strips *s, int node, uint64_t label)
{
    uint32_t what, *there;
    size_t place = strips_place(s, label, &what);

    if (what == 0 || place >= s->words)
        return;
    there = &s->place[(size_t)node * s->words + place];
    if (*there == what)
        return;
    *there = what;
    set_changed(s, node);
}

/* A node keeps the most valuable combination; `best` remembers it for each place. */
static void
take_combination(struct strips *s, int node, uint64_t label)
{
    size_t index = label_leaf(label, 0).index, at = (size_t)node * s->words + index;

    if (index >= s->words || (s->best[at] && worth(s, s->best[at], node) > worth(s, label, node)))
        return;
    s->best[at] = label;
    strips_take_word(s, node, label);
}

/* ------------------------------------------------------------------ the blocks of an all-to-all */

/* Of an all-to-all: the block whose last word has this label; false when the word is not the last of its block. */
static bool
ends_block(const struct strips *s, uint64_t label, uint32_t *pair)
{
    struct leaf leaf = label_leaf(label, 0);

    if (!s->where->sizes) {
        *pair = (uint32_t)leaf.node * (uint32_t)s->nodes + (uint32_t)(leaf.index / s->where->words);
        return leaf.index % s->where->words == s->where->words - 1;
    }
    for (int to = 0; to < s->nodes; to++) {
        size_t end =
            layout_pair_begin(&s->data->layout, leaf.node, to) + peal_layout_pair(&s->data->layout, leaf.node, to);

        if (leaf.index + (size_t)1 < end)
            return false;
        if (leaf.index + (size_t)1 == end && peal_layout_pair(&s->data->layout, leaf.node, to) > 0) {
            *pair = (uint32_t)leaf.node * (uint32_t)s->nodes + (uint32_t)to;
            return true;
        }
    }
    return false;
}

static int
find_cell(const struct strips *s, int node, uint32_t what)
{
    const uint32_t *place = &s->place[(size_t)node * s->words];

    for (int cell = 0; cell < s->nodes; cell++)
        if (place[cell] == what)
            return cell;
    return -1;
}

static int
find_sent(const struct strips *s, int node)
{
    for (int cell = 0; cell < s->nodes; cell++)
        if (s->sent_on[(size_t)node * s->words + (size_t)cell])
            return cell;
    return find_cell(s, node, 0);
}

static void
strips_put_block(struct strips *s, int node, int cell, uint32_t what)
{
    size_t at = (size_t)node * s->words + (size_t)cell;

    s->place[at] = what;
    s->sent_on[at] = false;
    set_changed(s, node);
}

/* A block came: put it into the cell where it belongs in the end, else into one whose block was sent on. */
static void
take_block(struct strips *s, int node, uint32_t pair)
{
    uint32_t nodes = (uint32_t)s->nodes;
    int cell = (int)(pair % nodes) == node ? (int)(pair / nodes) : find_sent(s, node);

    if (cell < 0)
        return;
    size_t at = (size_t)node * s->words + (size_t)cell;
    uint32_t before = s->place[at];
    bool keeps = before && before != pair + 1 && !s->sent_on[at];

    strips_put_block(s, node, cell, pair + 1);
    cell = keeps ? find_sent(s, node) : -1;
    if (cell >= 0)
        strips_put_block(s, node, cell, before);
}

/* The blocks that move in a round: first all leave, then all arrive. */
static void
move_blocks(struct strips *s, const struct event *events, size_t count)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++)
            for (uint32_t j = 0; j < events[i].count; j++) {
                uint32_t pair;
                int cell;

                if (!ends_block(s, events[i].label + j, &pair))
                    continue;
                if (pass == 1)
                    take_block(s, events[i].node, pair);
                else if ((cell = find_cell(s, events[i].from, pair + 1)) >= 0 && events[i].from != events[i].node)
                    s->sent_on[(size_t)events[i].from * s->words + (size_t)cell] = true;
            }
}

/* ------------------------------------------------------------------ the nodes' data, and the contents of cells */

/* The nodes' inputs; the vectors themselves have their state after the run. */
void
strips_give(struct strips *s)
{
    for (int node = 0; node < s->nodes; node++) {
        const struct row *row = s->data->in[node].words ? &s->data->in[node] : &s->data->out[node];

        if (s->form->from_root && node != s->where->root)
            continue;
        for (size_t i = 0; i < row->count; i++) {
            uint64_t label = label_make(LABEL_WORD, node, i);
            uint32_t pair;

            if (s->form->op)
                take_combination(s, node, label);
            else if (!moves_pairs(s))
                strips_take_word(s, node, label);
            else if (ends_block(s, label, &pair))
                strips_put_block(s, node, (int)(pair % (uint32_t)s->nodes), pair + 1);
        }
    }
}

void
strips_take(struct strips *s, const struct event *events, size_t count)
{
    if (moves_pairs(s)) {
        move_blocks(s, events, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < events[i].count; j++)
            if (s->form->op)
                take_combination(s, events[i].node, events[i].label + j);
            else
                strips_take_word(s, events[i].node, events[i].label + j);
}

/* An all-to-all's blocks lie at the end where the result has them. */
void
strips_settle(struct strips *s)
{
    for (int node = 0; moves_pairs(s) && node < s->nodes; node++)
        for (size_t i = 0, end; i < s->data->out[node].count; i++) {
            uint32_t pair;
            uint64_t label = *vectors_word(s->data, &s->data->out[node], i);

            if (label_kind(label) == LABEL_WORD && ends_block(s, label, &pair))
                strips_put_block(s, node, strips_result_cell(s, node, i, &end), pair + 1);
        }
}

void
strips_told(struct strips *s)
{
    while (s->changed_count > 0)
        s->is_changed[s->changed[--s->changed_count]] = false;
}

int64_t
strips_hold(const struct strips *s, int node, int cell)
{
    const uint32_t *place = &s->place[(size_t)node * s->words];
    uint32_t first = place[s->cell_begin[cell]];
    bool copies = !s->form->op && !moves_vectors(s) && !moves_pairs(s);
    size_t there = 0;

    if (s->cell_begin[cell] == s->cell_begin[cell + 1])
        return HOLDS_NOTHING;
    for (size_t i = s->cell_begin[cell]; i < s->cell_begin[cell + 1]; i++) {
        there += place[i] != 0;
        if (!copies && place[i] != first)
            return HOLDS_PARTS;
    }
    if (there == 0)
        return HOLDS_NOTHING;
    if (copies)
        return there == s->cell_begin[cell + 1] - s->cell_begin[cell] ? cell : HOLDS_PARTS - (int64_t)there;
    return (int64_t)first - 1;
}

/* An all-to-all's: block `cell` of the result ends at *end. */
static int
pair_cell(const struct strips *s, int node, size_t i, size_t *end)
{
    int cell = s->where->sizes ? 0 : (int)(i / s->where->words);

    if (!s->where->sizes)
        *end = ((size_t)cell + 1) * s->where->words;
    else
        for (*end = 0; i >= (*end += peal_layout_pair(&s->data->layout, cell, node)); cell++)
            ;
    return cell;
}

static int
strips_word_cell(const struct strips *s, size_t word)
{
    int low = 0, high = s->cells;

    while (high - low > 1) { /* cell_begin[low] <= word < cell_begin[high] */
        int middle = low + (high - low) / 2;

        if (s->cell_begin[middle] <= word)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int
strips_result_cell(const struct strips *s, int node, size_t i, size_t *end)
{
    size_t begin = s->form->out == PEAL_SIDE_BLOCK ? layout_begin(&s->data->layout, node) : 0;

    if (moves_pairs(s))
        return pair_cell(s, node, i, end);
    int cell = strips_word_cell(s, begin + i);

    *end = s->cell_begin[cell + 1] - begin;
    return cell;
}

int
strips_cells(struct strips *s, const struct event *event, int *end)
{
    uint32_t what;
    size_t place = strips_place(s, event->label, &what);
    bool there = what > 0 && place + event->count <= s->words;

    *end = there ? strips_word_cell(s, place + event->count - 1) + 1 : 0;
    return there ? strips_word_cell(s, place) : 0;
}

/* ------------------------------------------------------------------ cutting */

/* The cells of a collective of blocks are its blocks. */
static void
cut_blocks(struct strips *s)
{
    s->cells = s->nodes;
    for (int b = 0; b <= s->nodes; b++)
        s->cell_begin[b] = moves_pairs(s) ? (size_t)b : layout_begin(&s->data->layout, b);
}

/* Those of a vector are the pieces that it is moved and combined in.  `ends` has a byte for each word, and one more. */
static enum peal_status
cut_vector(struct strips *s, const struct rerun *of, char *ends, struct peal_error *error)
{
    const struct event *last = NULL;

    ends[0] = ends[s->words] = 1;
    for (size_t i = 0; i < of->event_count; i++) {
        const struct event *event = &of->events[i];
        uint32_t what, before = 0;
        size_t place = strips_place(s, event->label, &what), after = last ? strips_place(s, last->label, &before) : 0;
        bool same = last && last->round == event->round && last->node == event->node && last->from == event->from &&
                    after + last->count == place && what == before;

        if (place < s->words && !same)
            ends[place] = 1;
        if (last && !same && after + last->count <= s->words)
            ends[after + last->count] = 1;
        last = event;
    }
    if (last) {
        uint32_t what;
        size_t end = strips_place(s, last->label, &what) + last->count;

        ends[end <= s->words ? end : s->words] = 1;
    }
    for (size_t i = 0; i <= s->words; i++)
        if (ends[i]) {
            if (s->cells >= MAX_CELLS)
                return peal_refuse(error, PEAL_USAGE, "the vector is cut into more than %d pieces", MAX_CELLS - 1);
            s->cell_begin[s->cells++] = i;
        }
    s->cells--;
    return PEAL_OK;
}

enum peal_status
strips_begin(struct strips *s, const struct rerun *of, struct peal_error *error)
{
    const struct peal_form *form = peal_form_of(of->collective);
    bool blocks = form->unequal, sums = form->op;
    size_t nodes = (size_t)of->nodes, cells = blocks ? nodes : MAX_CELLS, places;
    enum peal_status status = PEAL_OK;

    *s = (struct strips){.form = form, .nodes = of->nodes, .where = &of->where, .data = &of->data};
    s->words = moves_pairs(s) ? nodes : blocks ? layout_begin(&s->data->layout, s->nodes) : s->where->words;
    places = nodes * s->words + 1;
    s->cell_begin = calloc(cells + 2, sizeof *s->cell_begin);
    s->place = calloc(places, sizeof *s->place);
    s->best = sums ? calloc(places, sizeof *s->best) : NULL;
    s->sent_on = calloc(places, sizeof *s->sent_on);
    s->changed = calloc(nodes, sizeof *s->changed);
    s->is_changed = calloc(nodes, sizeof *s->is_changed);
    char *ends = calloc(s->words + 2, 1);

    if (!s->cell_begin || !s->place || (sums && !s->best) || !s->sent_on || !s->changed || !s->is_changed || !ends)
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    else if (blocks)
        cut_blocks(s);
    else if (moves_vectors(s))
        s->cell_begin[s->cells = 1] = s->words;
    else
        status = cut_vector(s, of, ends, error);
    free(ends);
    return status;
}

void
strips_fini(struct strips *s)
{
    combinations_fini(&s->combinations);
    free(s->cell_begin);
    free(s->place);
    free(s->best);
    free(s->sent_on);
    free(s->changed);
    free(s->is_changed);
}
