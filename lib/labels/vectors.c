/* SPDX-License-Identifier: MIT */
/* Rows of labels, with guards around them. */
#include "lib/labels/vectors.h"
#include "lib/base/text.h"
#include <peal/hints.h>
#include <peal/loaded.h>
#include <stdio.h>
#include <stdlib.h>

enum { GUARD = VECTORS_GUARD };

int
vectors_node(const struct vectors *data, int rank)
{
    return data->where->call == PEAL_CALL_IN_GROUP ? data->where->nodes - rank : rank;
}

int
vectors_rank(const struct vectors *data, int node)
{
    int rank = vectors_node(data, node); /* its own inverse */

    return rank < data->where->nodes ? rank : -1;
}

/* A label of what the node with this rank has. */
static uint64_t
label_for(const struct vectors *data, enum label_kind kind, int rank, size_t index)
{
    return label_make(kind, vectors_node(data, rank) + (data->is_earlier ? LABEL_EARLIER : 0), index);
}

/* Whether MPI's call takes the vector, or the blocks, of this node from recvbuf: MPI_IN_PLACE stands for sendbuf. */
static bool
takes_from_result(const struct vectors *data, int rank)
{
    const struct peal_form *form = data->form;
    bool all = (form->op && form->begins == PEAL_BEGINS_EVERYWHERE) || form->out == PEAL_SIDE_PAIRS ||
               (form->op && form->in == PEAL_SIDE_BLOCKS);

    return data->mpi && data->where->in_place && all && (!form->root || rank == data->layout.root);
}

/* Whether the vector of a reduction lies in sendbuf, and its result in recvbuf. */
static bool
has_two_vectors(const struct vectors *data)
{
    return data->mpi && !data->one_buffer && data->form->op && data->form->begins == PEAL_BEGINS_EVERYWHERE;
}

/* The words that the node has before and after the call; SIZE_MAX: it has no buffer there. */
static size_t
in_words(const struct vectors *data, int rank)
{
    if (takes_from_result(data, rank))
        return SIZE_MAX;
    return has_two_vectors(data) ? data->layout.words : peal_form_in_words(data->form, &data->layout, rank);
}

static size_t
out_words(const struct vectors *data, int rank)
{
    if (has_two_vectors(data) && data->form->root && rank != data->layout.root)
        return SIZE_MAX;
    if (takes_from_result(data, rank) && data->form->in == PEAL_SIDE_BLOCKS)
        return peal_form_in_words(data->form, &data->layout, rank);
    return peal_form_out_words(data->form, &data->layout, rank);
}

/* Whether the result begins as words of the node's own. */
static bool
begins_full(const struct vectors *data, int rank)
{
    if (takes_from_result(data, rank) || has_two_vectors(data))
        return takes_from_result(data, rank);
    return data->form->begins == PEAL_BEGINS_EVERYWHERE ||
           (data->form->begins == PEAL_BEGINS_AT_ROOT && rank == data->layout.root);
}

/* ------------------------------------------------------------------ laying out */

const struct row *
vectors_inner(const struct vectors *data, int rank)
{
    const struct peal_check_case *c = data->where;

    if (!c->in_place || !data->form->in_place || (data->form->root && rank != c->root) || takes_from_result(data, rank))
        return NULL;
    return data->form->out == PEAL_SIDE_BLOCK ? &data->out[rank] : &data->in[rank];
}

/* Put the row that lies in the other one into its place. */
static void
lay_inner(struct vectors *data, int rank)
{
    const struct row *inner = vectors_inner(data, rank);

    if (inner == &data->in[rank])
        data->in[rank].words = data->out[rank].words + peal_layout_begin(&data->layout, rank) * data->stride;
    else if (inner)
        data->out[rank].words = data->in[rank].words + peal_layout_begin(&data->layout, rank) * data->stride;
}

static struct row
lay_row(uint64_t **at, size_t count, size_t stride)
{
    struct row row = {NULL, 0};

    if (count == SIZE_MAX)
        return row;
    row = (struct row){*at + GUARD, count};
    *at += count * stride + 2 * (size_t)GUARD;
    return row;
}

/* Guard i of a row of the node, those after it after those before it.  No two are equal, so that a word too many that
 * is copied from one row to another is seen. */
static uint64_t
guard_of(const struct vectors *data, const struct row *row, int rank, size_t i)
{
    return label_for(data, LABEL_BEYOND, rank, i + (row == &data->out[rank] ? 2 * (size_t)GUARD : 0));
}

static void
fill_row(const struct vectors *data, const struct row *row, int rank, enum label_kind kind)
{
    if (!row->words)
        return;
    for (size_t i = 0; i < GUARD && row != vectors_inner(data, rank); i++) {
        row->words[(ptrdiff_t)i - GUARD] = guard_of(data, row, rank, i);
        row->words[row->count * data->stride + i] = guard_of(data, row, rank, GUARD + i);
    }
    for (size_t i = 0; i < row->count * data->stride; i++) /* the gaps, too */
        row->words[i] = label_for(data, data->stride == 1 ? kind : LABEL_BEYOND, rank, i);
    for (size_t i = 0; i < row->count; i++)
        *vectors_word(data, row, i) = label_for(data, kind, rank, i);
}

/* Combine the words of all nodes, place by place. */
static void
combine_all(struct vectors *data)
{
    bool commutative = data->op->commutative;

    for (size_t i = 0; i < data->total_words; i++) {
        data->total[i] = label_for(data, LABEL_WORD, 0, i);
        for (int rank = 1; rank < data->where->nodes; rank++)
            data->total[i] = label_join(data->total[i], label_for(data, LABEL_WORD, rank, i), commutative);
    }
}

static bool
make_rows(struct vectors *data, size_t nodes)
{
    if (nodes > data->row_room) {
        free(data->in);
        free(data->out);
        data->in = calloc(nodes, sizeof *data->in);
        data->out = calloc(nodes, sizeof *data->out);
        data->row_room = data->in && data->out ? nodes : 0;
    }
    return nodes <= data->row_room;
}

static size_t
room_for(size_t words, size_t stride)
{
    return words == SIZE_MAX ? 0 : words * stride + 2 * (size_t)GUARD;
}

enum peal_status
vectors_begin(struct vectors *data, enum peal_collective collective, const struct peal_check_case *where,
              struct peal_error *error)
{
    int P = where->nodes;
    size_t words = 0;

    data->collective = collective;
    data->where = where;
    data->op = where->commutative ? &label_op_commutative : &label_op;
    data->form = peal_form_of(collective);
    data->layout = where->layout;
    data->stride = where->call >= PEAL_CALL_SPACED ? 2 : 1;
    data->offset = where->call == PEAL_CALL_STRUCT;
    data->total_words = !data->form->op                      ? 0
                        : data->form->in == PEAL_SIDE_BLOCKS ? peal_layout_begin(&data->layout, P)
                                                             : where->words;
    for (int rank = 0; rank < P; rank++)
        words += room_for(in_words(data, rank), data->stride) + room_for(out_words(data, rank), data->stride);
    words += data->total_words;
    if (!data->is_earlier)
        labels_begin(data->brackets);
    if (!make_rows(data, (size_t)P))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for labels");
    if (words > data->memory_words) {
        free(data->memory);
        data->memory = calloc(words, sizeof *data->memory);
        data->memory_words = data->memory ? words : 0;
        if (!data->memory)
            return peal_refuse(error, PEAL_RESOURCES, "not enough memory for %zu labels", words);
    }
    uint64_t *at = data->memory + data->total_words;

    data->total = data->memory;
    for (int rank = 0; rank < P; rank++) {
        data->in[rank] = lay_row(&at, in_words(data, rank), data->stride);
        data->out[rank] = lay_row(&at, out_words(data, rank), data->stride);
        lay_inner(data, rank);
        if (&data->out[rank] != vectors_inner(data, rank)) /* else it begins as a block of the input */
            fill_row(data, &data->out[rank], rank, begins_full(data, rank) ? LABEL_WORD : LABEL_UNSET);
        fill_row(data, &data->in[rank], rank, LABEL_WORD);
    }
    if (data->total_words > 0)
        combine_all(data);
    return PEAL_OK;
}

void
vectors_fini(struct vectors *data)
{
    free(data->in);
    free(data->out);
    free(data->memory);
    *data = (struct vectors){.where = NULL};
    labels_end();
}

/* ------------------------------------------------------------------ comparing */

/* The label of word i of a stretch of a result. */
static uint64_t
label_of(const struct vectors *data, const struct peal_origin *origin, size_t i)
{
    size_t index = origin->index + i;
    uint64_t label = label_for(data, LABEL_WORD, origin->first, index);

    if (origin->first == origin->last)
        return label;
    if (origin->first == 0 && origin->last == data->where->nodes - 1)
        return data->total[index];
    for (int rank = origin->first + 1; rank <= origin->last; rank++)
        label = label_join(label, label_for(data, LABEL_WORD, rank, index), data->op->commutative);
    return label;
}

uint64_t
vectors_should(const struct vectors *data, int rank, size_t i, bool *kept)
{
    struct peal_origin origin = {0};
    int parts = peal_form_parts(data->form, &data->layout);

    for (int part = 0; part < parts; part++) {
        data->form->origin(&data->layout, rank, part, &origin);
        if (i < origin.words)
            break;
        i -= origin.words;
    }
    if (kept)
        *kept = origin.kept;
    return label_of(data, &origin, i);
}

/* Whether no word before or after the row was written. */
static bool
guards_are_whole(const struct vectors *data, const struct row *row, int rank, const char *what,
                 struct peal_finding *finding)
{
    for (size_t i = 0; row->words && i < GUARD && row != vectors_inner(data, rank); i++) {
        bool before = row->words[(ptrdiff_t)i - GUARD] != guard_of(data, row, rank, i);

        if (!before && row->words[row->count * data->stride + i] == guard_of(data, row, rank, GUARD + i))
            continue;
        finding->kind = PEAL_OUT_OF_BOUNDS;
        if (before)
            snprintf(finding->message, sizeof finding->message, "node %d writes %zu word%s before its `%s`",
                     vectors_node(data, rank), GUARD - i, plural(GUARD - i), what);
        else
            snprintf(finding->message, sizeof finding->message,
                     "node %d writes word %zu of its `%s`, which has %zu word%s", vectors_node(data, rank),
                     row->count + i / data->stride, what, row->count, plural(row->count));
        if (before)
            snprintf(finding->fix, sizeof finding->fix, PEAL_HINT_first_word, "word");
        else if (row->count == 0)
            snprintf(finding->fix, sizeof finding->fix, "%s", PEAL_HINT_no_words);
        else
            snprintf(finding->fix, sizeof finding->fix, PEAL_HINT_last_word, "word", row->count - 1);
        return false;
    }
    return true;
}

/* For a block in its place the result decides. */
static bool
input_is_kept(const struct vectors *data, int rank, struct peal_finding *finding)
{
    const struct row *row = &data->in[rank], *inner = vectors_inner(data, rank);

    for (size_t i = 0; row->words && i < row->count && row != inner; i++)
        if (*vectors_word(data, row, i) != label_for(data, LABEL_WORD, rank, i) &&
            !(inner && row->words + i * data->stride >= inner->words &&
              row->words + i * data->stride < inner->words + inner->count * data->stride)) {
            finding->kind = PEAL_WRONG_RESULT;
            snprintf(finding->message, sizeof finding->message,
                     "node %d, word %zu: its `%s`, which is const, was written", vectors_node(data, rank), i,
                     vectors_input_name(data));
            return false;
        }
    return true;
}

const char *
vectors_input_name(const struct vectors *data)
{
    return data->mpi ? "sendbuf" : "in";
}

const char *
vectors_result_name(const struct vectors *data)
{
    if (data->mpi)
        return data->form->in == PEAL_SIDE_NONE && !has_two_vectors(data) ? "buffer" : "recvbuf";
    return data->form->begins == PEAL_BEGINS_NOWHERE ? "out" : "a";
}

/* Report what is wrong with word i of the node's result, where another label is expected. */
static void
explain_word(const struct vectors *data, int rank, size_t i, uint64_t should, struct peal_finding *finding)
{
    uint64_t is = *vectors_word(data, &data->out[rank], i);
    bool unset = is == label_for(data, LABEL_UNSET, rank, i),
         kept; /* a place that was never written has its own number */
    struct peal_origin origin;
    char text[600];

    data->form->origin(&data->layout, rank, 0, &origin);
    vectors_should(data, rank, i, &kept);
    int node = vectors_node(data, rank);

    finding->kind = label_explain(is, should, node + (data->is_earlier ? LABEL_EARLIER : 0),
                                  i + (unset || !data->form->op ? 0 : origin.index), data->form->op, text, sizeof text);
    snprintf(finding->message, sizeof finding->message, "node %d, word %zu %s%s", node, i, text,
             kept && data->form->root && data->form->op ? " (only the root's a may change)" : "");
    if (finding->kind == PEAL_NONCOMMUTATIVE_ORDER)
        snprintf(finding->fix, sizeof finding->fix, "%s", data->mpi ? PEAL_HINT_lower_in : PEAL_HINT_lower_left);
}

/* The first word of a node's result that is wrong; false: there is none. */
static bool
find_wrong_word(const struct vectors *data, int rank, size_t *word, uint64_t *should)
{
    const struct row *row = &data->out[rank];
    int parts = row->words ? peal_form_parts(data->form, &data->layout) : 0;
    struct peal_origin origin;

    *word = 0;
    for (int part = 0; part < parts; part++) {
        data->form->origin(&data->layout, rank, part, &origin);
        for (size_t i = 0; i < origin.words && !(data->mpi && origin.kept); i++, ++*word) { /* not significant */
            *should = label_of(data, &origin, i);
            if (!label_same(*vectors_word(data, row, *word), *should))
                return true;
        }
    }
    return false;
}

static bool
result_is_right(const struct vectors *data, int rank, struct peal_finding *finding)
{
    size_t word;
    uint64_t should;

    if (!find_wrong_word(data, rank, &word, &should))
        return true;
    explain_word(data, rank, word, should, finding);
    return false;
}

static bool
check_one(const struct vectors *data, struct peal_finding *finding)
{
    const char *name = vectors_result_name(data);

    for (int rank = 0; rank < data->where->nodes; rank++)
        if (!guards_are_whole(data, &data->in[rank], rank, vectors_input_name(data), finding) ||
            !guards_are_whole(data, &data->out[rank], rank, name, finding))
            return false;
    for (int rank = 0; rank < data->where->nodes; rank++)
        if (!input_is_kept(data, rank, finding) || !result_is_right(data, rank, finding))
            return false;
    return true;
}

bool
vectors_check(const struct vectors *data, struct peal_finding *finding)
{
    if (!check_one(data, finding))
        return false;
    if (!data->earlier || check_one(data->earlier, finding))
        return true;
    peal_append(IN_ARRAY(finding->message), " (in the first call)");
    return false;
}

bool
vectors_find_wrong(const struct vectors *data, int *rank, size_t *word)
{
    struct peal_finding found = {.kind = PEAL_FAILURE_KINDS};

    vectors_check(data, &found);
    if (found.kind != PEAL_WRONG_RESULT && found.kind != PEAL_NONCOMMUTATIVE_ORDER)
        return false;
    uint64_t should;

    for (*rank = 0; *rank < data->where->nodes; (*rank)++) {
        if (!input_is_kept(data, *rank, &found))
            return false;
        if (find_wrong_word(data, *rank, word, &should))
            return true;
    }
    return false;
}

struct peal_arguments
vectors_arguments(const struct vectors *data, int rank)
{
    return (struct peal_arguments){
        .op = data->op, .in = data->in[rank].words, .out = data->out[rank].words, .shape = data->where->shape};
}

void
vectors_call(const struct vectors *data, struct peal_node *me, const struct peal_callee *callee)
{
    struct peal_arguments arguments = vectors_arguments(data, peal_rank(me));

    arguments.lengths = peal_form_lengths(data->form, &data->layout, me);
    arguments.receive = arguments.lengths ? arguments.lengths + data->where->nodes : NULL;
    peal_make_call(me, data->form, callee, &arguments);
}
