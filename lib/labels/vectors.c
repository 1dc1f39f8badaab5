/* SPDX-License-Identifier: MIT */
/* Rows of labels, with guards around them. */
#include "lib/labels/vectors.h"
#include "lib/base/hollow.h"
#include "lib/base/text.h"
#include "lib/collective/layout.h"
#include <inttypes.h>
#include <peal/hints.h>
#include <peal/loaded.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = VECTORS_GUARD, GAP = 2 };

int
vectors_node(const struct vectors *data, int rank)
{
    const int P = data->where->nodes;

    const enum peal_check_call call = data->where->call;

    if (call == PEAL_CALL_HALVES)
        return data->is_earlier ? 2 * rank : 2 * P - 1 - 2 * rank;
    if (call == PEAL_CALL_TWO_COMMS && !data->is_earlier)
        return P - 1 - rank;
    if (call == PEAL_CALL_IN_GROUP || (call == PEAL_CALL_OVERLAP && !data->is_earlier))
        return P - rank;
    return rank;
}

bool
vectors_reversed(const struct vectors *data)
{
    return data->where->nodes > 1 && vectors_node(data, 1) < vectors_node(data, 0);
}

int
vectors_rank(const struct vectors *data, int node)
{
    const int P = data->where->nodes;
    int rank;

    if (data->where->call != PEAL_CALL_HALVES)
        rank = vectors_node(data, node); /* its own inverse */
    else if (node % 2 == 0)
        rank = data->is_earlier ? node / 2 : -1;
    else
        rank = data->is_earlier ? -1 : P - 1 - node / 2;
    return rank < P ? rank : -1;
}

/* ------------------------------------------------------------------ elements */

/* The bits of a whole number, small enough for sums of all nodes to be exact, and different for each word. */
static uint64_t
number_bits(enum peal_check_element element, int64_t number)
{
    const float small = (float)number;
    const double real = (double)number;
    uint32_t half = (uint32_t)(int32_t)number;
    uint64_t bits = (uint64_t)number;

    if (element == PEAL_ELEMENT_FLOAT)
        memcpy(&half, &small, sizeof half);
    if (element == PEAL_ELEMENT_DOUBLE)
        memcpy(&bits, &real, sizeof bits);
    return vectors_width(element) == sizeof half ? half : bits;
}

static int64_t
number_of_bits(enum peal_check_element element, uint64_t bits)
{
    uint32_t half = (uint32_t)bits;
    float small;
    double real;

    memcpy(&small, &half, sizeof small);
    memcpy(&real, &bits, sizeof real);
    if (element == PEAL_ELEMENT_FLOAT)
        return small >= -0x1p60F && small <= 0x1p60F ? (int64_t)small : INT64_MIN;
    if (element == PEAL_ELEMENT_DOUBLE)
        return real >= -0x1p60 && real <= 0x1p60 ? (int64_t)real : INT64_MIN;
    return element == PEAL_ELEMENT_INT ? (int64_t)(int32_t)half : (int64_t)bits;
}

static uint64_t
number_for(enum peal_check_element element, uint64_t key, enum label_kind kind, int node, size_t index)
{
    const int bits = element == PEAL_ELEMENT_FLOAT ? 18 : element == PEAL_ELEMENT_INT ? 24 : 40;
    uint64_t x = ((uint64_t)node << 40) + index + ((uint64_t)kind << 56) + 1 + key;

    for (int i = 0; i < 3; i++) {
        x *= UINT64_C(0x9E3779B97F4A7C15);
        x ^= x >> 29;
    }
    int64_t number = (int64_t)(x >> (64 - bits)) + 1;

    return number_bits(element, kind == LABEL_WORD ? number : -number);
}

uint64_t
vectors_number(enum peal_check_element element, uint64_t key, int node, size_t index)
{
    return number_for(element, key, LABEL_WORD, node, index);
}

uint64_t
vectors_add(enum peal_check_element element, uint64_t a, uint64_t b)
{
    return number_bits(element, number_of_bits(element, a) + number_of_bits(element, b));
}

/* The combination of two words. */
static uint64_t
join(const struct vectors *data, uint64_t left, uint64_t right)
{
    if (data->element == PEAL_ELEMENT_LABEL)
        return label_join(left, right, data->op->commutative);
    return vectors_add(data->element, left, right);
}

static bool
same(const struct vectors *data, uint64_t a, uint64_t b)
{
    return data->element == PEAL_ELEMENT_LABEL ? label_same(a, b) : a == b;
}

static char *
element_at(const struct vectors *data, const struct row *row, size_t i)
{
    return (char *)row->words +
           (vectors_place(data, row, i) * data->stride + data->offset) * vectors_width(data->element);
}

uint64_t
vectors_get(const struct vectors *data, const struct row *row, size_t i)
{
    uint64_t word = 0;

    if (data->element == PEAL_ELEMENT_LABEL)
        return *vectors_word(data, row, i);
    uint32_t half;

    if (vectors_width(data->element) == sizeof word)
        memcpy(&word, element_at(data, row, i), sizeof word);
    else
        word = *(uint32_t *)memcpy(&half, element_at(data, row, i), sizeof half);
    return word;
}

static void
put(const struct vectors *data, const struct row *row, size_t i, uint64_t word)
{
    uint32_t half = (uint32_t)word;

    if (vectors_width(data->element) == sizeof word)
        memcpy(element_at(data, row, i), &word, sizeof word);
    else
        memcpy(element_at(data, row, i), &half, sizeof half);
}

/* The length of the block of `peer` in a row of several. */
static size_t
block_length(const struct vectors *data, const struct row *row, int peer)
{
    if (data->form->out != PEAL_SIDE_PAIRS)
        return peal_layout_block(&data->layout, peer);
    return row->sends ? peal_layout_pair(&data->layout, row->rank, peer)
                      : peal_layout_pair(&data->layout, peer, row->rank);
}

/* Where the block of a node begins. */
static size_t
block_place(const struct vectors *data, const struct row *row, int peer)
{
    size_t begin = 0;

    for (int i = 0; i < peer; i++)
        begin += block_length(data, row, i);
    return begin + row->gap * ((size_t)peer + 1);
}

size_t
vectors_place(const struct vectors *data, const struct row *row, size_t i)
{
    int peer = 0;

    if (row->gap == 0)
        return i;
    for (size_t end = 0; peer < data->where->nodes - 1 && i >= (end += block_length(data, row, peer));)
        peer++;
    return i + row->gap * ((size_t)peer + 1);
}

size_t
vectors_room(const struct vectors *data, const struct row *row)
{
    size_t all = row->count + row->gap * (size_t)data->where->nodes;

    return (all * data->stride * vectors_width(data->element) + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

/* A label of what the node with this rank has, or its number. */
static uint64_t
label_for(const struct vectors *data, enum label_kind kind, int rank, size_t index)
{
    if (data->element != PEAL_ELEMENT_LABEL)
        return number_for(data->element, data->key, kind,
                          vectors_node(data, rank) + (data->is_earlier ? LABEL_EARLIER : 0), index);
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
    return has_two_vectors(data) ? data->layout.words : layout_in_words(&data->layout, data->form, rank);
}

static size_t
out_words(const struct vectors *data, int rank)
{
    if (has_two_vectors(data) && data->form->root && rank != data->layout.root)
        return SIZE_MAX;
    if (takes_from_result(data, rank) && data->form->in == PEAL_SIDE_BLOCKS)
        return layout_in_words(&data->layout, data->form, rank);
    return layout_out_words(&data->layout, data->form, rank);
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
    const size_t begin = layout_begin(&data->layout, rank);

    if (inner == &data->in[rank])
        data->in[rank].words = (uint64_t *)(void *)element_at(data, &data->out[rank], begin);
    else if (inner)
        data->out[rank].words = (uint64_t *)(void *)element_at(data, &data->in[rank], begin);
}

/* Whether displacements of the call say where the blocks of this row are. */
static bool
has_displacements(const struct vectors *data, bool sends)
{
    enum peal_side side = sends ? data->form->in : data->form->out;

    return data->where->call == PEAL_CALL_GAPS && !data->form->op &&
           (side == PEAL_SIDE_BLOCKS || side == PEAL_SIDE_ROOT_BLOCKS || side == PEAL_SIDE_PAIRS);
}

/* A row without its place. */
static struct row
row_of(const struct vectors *data, int rank, bool sends)
{
    size_t count = sends ? in_words(data, rank) : out_words(data, rank);
    bool all = !data->form->root || rank == data->layout.root;

    return (struct row){.count = count == SIZE_MAX ? 0 : count,
                        .gap = count != SIZE_MAX && all && has_displacements(data, sends) ? GAP : 0,
                        .sends = sends,
                        .rank = rank};
}

static void
lay_row(const struct vectors *data, struct row *row, uint64_t **at, size_t count)
{
    if (count == SIZE_MAX)
        return;
    row->words = *at + GUARD;
    *at += vectors_room(data, row) + 2 * (size_t)GUARD;
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
    const size_t room = vectors_room(data, row);
    bool only = data->stride == 1 && row->gap == 0;

    for (size_t i = 0; i < GUARD && row != vectors_inner(data, rank); i++) {
        row->words[(ptrdiff_t)i - GUARD] = guard_of(data, row, rank, i);
        row->words[room + i] = guard_of(data, row, rank, GUARD + i);
    }
    for (size_t i = 0; i < room && !only; i++) /* the gaps, too */
        row->words[i] = label_for(data, LABEL_BEYOND, rank, i);
    if (data->element == PEAL_ELEMENT_LABEL)
        for (size_t i = 0; i < row->count; i++)
            *vectors_word(data, row, i) = label_for(data, kind, rank, i);
    else
        for (size_t i = 0; i < row->count; i++)
            put(data, row, i, label_for(data, kind, rank, i));
}

/* Combine the words of all nodes, place by place. */
static void
combine_all(struct vectors *data)
{
    for (size_t i = 0; i < data->total_words; i++) {
        data->total[i] = label_for(data, LABEL_WORD, 0, i);
        for (int rank = 1; rank < data->where->nodes; rank++)
            data->total[i] = join(data, data->total[i], label_for(data, LABEL_WORD, rank, i));
    }
}

/* Operators of a run on lengths alone. */
static void
combine_nothing(const void *left, const void *right, void *result, size_t words)
{
    (void)left, (void)right, (void)result, (void)words;
}

static const struct peal_op nothing = {.name = "lengths", .word_bytes = sizeof(uint64_t), .combine = combine_nothing};
static const struct peal_op nothing_commutative = {
    .name = "lengths", .word_bytes = sizeof(uint64_t), .combine = combine_nothing, .commutative = true};

const struct peal_op *
vectors_op(bool commutative)
{
    if (hollow_is_on())
        return commutative ? &nothing_commutative : &nothing;
    return commutative ? &label_op_commutative : &label_op;
}

/* A row that is not stored. */
static bool
lay_hollow(const struct vectors *data, struct row *row, size_t count, int rank)
{
    size_t bytes = vectors_room(data, row) * sizeof(uint64_t);

    row->words = count == SIZE_MAX ? NULL : (uint64_t *)(void *)hollow_get(0, bytes, vectors_node(data, rank));
    return row->words || count == SIZE_MAX;
}

static bool
lay_all_hollow(struct vectors *data)
{
    hollow_clear();
    for (int rank = 0; rank < data->where->nodes; rank++) {
        if (!lay_hollow(data, &data->in[rank], in_words(data, rank), rank) ||
            !lay_hollow(data, &data->out[rank], out_words(data, rank), rank))
            return false;
        lay_inner(data, rank);
    }
    return true;
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
room_for(const struct vectors *data, const struct row *row, size_t count)
{
    return count == SIZE_MAX ? 0 : vectors_room(data, row) + 2 * (size_t)GUARD;
}

enum peal_status
vectors_begin(struct vectors *data, enum peal_collective collective, const struct peal_check_case *where,
              struct peal_error *error)
{
    int P = where->nodes;
    size_t words = 0;

    data->collective = collective;
    data->where = where;
    data->op = vectors_op(where->commutative);
    data->hollow = hollow_is_on();
    data->form = peal_form_of(collective);
    data->layout = where->layout;
    data->stride = where->call == PEAL_CALL_SPACED || where->call == PEAL_CALL_STRUCT ? 2 : 1;
    data->offset = where->call == PEAL_CALL_STRUCT;
    data->total_words = !data->form->op || data->hollow      ? 0
                        : data->form->in == PEAL_SIDE_BLOCKS ? layout_begin(&data->layout, P)
                                                             : where->words;
    if (!data->is_earlier)
        labels_begin(data->brackets);
    if (!make_rows(data, (size_t)P))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for labels");
    for (int rank = 0; rank < P; rank++) {
        data->in[rank] = row_of(data, rank, true);
        data->out[rank] = row_of(data, rank, false);
        words += room_for(data, &data->in[rank], in_words(data, rank)) +
                 room_for(data, &data->out[rank], out_words(data, rank));
    }
    words += data->total_words;
    if (data->hollow)
        return lay_all_hollow(data) ? PEAL_OK
                                    : peal_refuse(error, PEAL_RESOURCES, "no address space for %zu words", words);
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
        lay_row(data, &data->in[rank], &at, in_words(data, rank));
        lay_row(data, &data->out[rank], &at, out_words(data, rank));
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
        label = join(data, label, label_for(data, LABEL_WORD, rank, index));
    return label;
}

uint64_t
vectors_should(const struct vectors *data, int rank, size_t i, bool *kept)
{
    struct peal_origin origin = {0};
    int parts = layout_parts(&data->layout, data->form);

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

/* Whether no word between the blocks of the row was written. */
static bool
gaps_are_whole(const struct vectors *data, const struct row *row, const char *what, struct peal_finding *finding)
{
    for (int peer = 0; row->words && row->gap > 0 && peer < data->where->nodes; peer++)
        for (size_t i = block_place(data, row, peer) - row->gap; i < block_place(data, row, peer); i++)
            if (row->words[i] != label_for(data, LABEL_BEYOND, row->rank, i)) {
                finding->kind = PEAL_OUT_OF_BOUNDS;
                snprintf(finding->message, sizeof finding->message,
                         "node %d writes word %zu of its `%s`, which lies before the displacement of block %d, %zu",
                         vectors_node(data, row->rank), i, what, peer, block_place(data, row, peer));
                snprintf(finding->fix, sizeof finding->fix, "%s", PEAL_HINT_displacements);
                return false;
            }
    return true;
}

/* Whether no word before or after the row was written. */
static bool
guards_are_whole(const struct vectors *data, const struct row *row, int rank, const char *what,
                 struct peal_finding *finding)
{
    for (size_t i = 0; row->words && i < GUARD && row != vectors_inner(data, rank); i++) {
        bool before = row->words[(ptrdiff_t)i - GUARD] != guard_of(data, row, rank, i);

        if (!before && row->words[vectors_room(data, row) + i] == guard_of(data, row, rank, GUARD + i))
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

/* Whether element i of the row is one of the inner one, too, which may be NULL. */
static bool
lies_in(const struct vectors *data, const struct row *inner, const struct row *row, size_t i)
{
    const char *at = element_at(data, row, i), *first = inner ? (const char *)inner->words : NULL;

    return first && at >= first && at < first + inner->count * data->stride * vectors_width(data->element);
}

/* For a block in its place the result decides. */
static bool
input_is_kept(const struct vectors *data, int rank, struct peal_finding *finding)
{
    const struct row *row = &data->in[rank], *inner = vectors_inner(data, rank);

    for (size_t i = 0; row->words && i < row->count && row != inner; i++)
        if (vectors_get(data, row, i) != label_for(data, LABEL_WORD, rank, i) && !lies_in(data, inner, row, i)) {
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

enum { MAX_SUMMED = 12 };

/* Say which nodes' words the number is the sum of, of those at this place; false: of none. */
static bool
say_sum(const struct vectors *data, uint64_t is, size_t index, struct peal_text text)
{
    int P = data->where->nodes;
    int64_t number = number_of_bits(data->element, is);
    const char *between = "";

    for (unsigned set = 1; P <= MAX_SUMMED && set < 1U << P; set++) {
        int64_t sum = 0;

        for (int rank = 0; rank < P; rank++)
            if (set >> rank & 1)
                sum += number_of_bits(data->element, label_for(data, LABEL_WORD, rank, index));
        if (sum != number)
            continue;
        for (int rank = 0; rank < P; rank++)
            if (set >> rank & 1) {
                peal_append(text, "%s", between);
                label_say_leaf(text, (struct leaf){LABEL_WORD, vectors_node(data, rank), (uint32_t)index}, index);
                between = " + ";
            }
        return true;
    }
    return false;
}

/* Describe a wrong number, and the expected one. */
static void
explain_number(const struct vectors *data, int rank, size_t i, uint64_t should, size_t index, char text[600])
{
    const struct row *row = &data->out[rank];
    uint64_t is = vectors_get(data, row, i);
    struct peal_text out = empty_text(text, 600);

    if (is == label_for(data, LABEL_UNSET, rank, i)) {
        peal_append(out, "is never written");
        return;
    }
    peal_append(out, "holds ");
    if (!say_sum(data, is, index, out))
        peal_append(out, "%lld, no sum of words of this place", (long long)number_of_bits(data->element, is));
    peal_append(out, "; expected ");
    if (!say_sum(data, should, index, out))
        peal_append(out, "%lld", (long long)number_of_bits(data->element, should));
}

/* Report what is wrong with word i of the node's result, where another label is expected. */
static void
explain_word(const struct vectors *data, int rank, size_t i, uint64_t should, struct peal_finding *finding)
{
    uint64_t is = vectors_get(data, &data->out[rank], i);
    bool unset = is == label_for(data, LABEL_UNSET, rank, i),
         kept; /* a place that was never written has its own number */
    struct peal_origin origin;
    char text[600];

    data->form->origin(&data->layout, rank, 0, &origin);
    vectors_should(data, rank, i, &kept);
    int node = vectors_node(data, rank);

    if (data->element != PEAL_ELEMENT_LABEL) {
        finding->kind = PEAL_WRONG_RESULT;
        explain_number(data, rank, i, should, origin.index + (data->form->op ? i : 0), text);
    } else if (data->mpi && label_kind(is) == LABEL_NONE && is != 0) {
        finding->kind = PEAL_WRONG_RESULT;
        snprintf(text, sizeof text, "holds %#" PRIx64 ", a number that is not a node's word%s", is,
                 is == FRESH_WORD ? ": memory from malloc that was never written" : "");
        if (is != FRESH_WORD && data->form->op)
            snprintf(finding->fix, sizeof finding->fix, "%s", PEAL_HINT_mpi_combines);
    } else
        finding->kind =
            label_explain(is, should, node + (data->is_earlier ? LABEL_EARLIER : 0),
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
    int parts = row->words ? layout_parts(&data->layout, data->form) : 0;
    struct peal_origin origin;

    *word = 0;
    for (int part = 0; part < parts; part++) {
        data->form->origin(&data->layout, rank, part, &origin);
        for (size_t i = 0; i < origin.words && !(data->mpi && origin.kept); i++, ++*word) { /* not significant */
            *should = label_of(data, &origin, i);
            if (!same(data, vectors_get(data, row, *word), *should))
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
            !guards_are_whole(data, &data->out[rank], rank, name, finding) ||
            !gaps_are_whole(data, &data->in[rank], vectors_input_name(data), finding) ||
            !gaps_are_whole(data, &data->out[rank], name, finding))
            return false;
    for (int rank = 0; rank < data->where->nodes; rank++)
        if (!input_is_kept(data, rank, finding) || !result_is_right(data, rank, finding))
            return false;
    return true;
}

bool
vectors_check(const struct vectors *data, struct peal_finding *finding)
{
    if (data->hollow)
        return true;
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

    arguments.lengths = layout_lengths(&data->layout, data->form, me);
    arguments.receive = arguments.lengths ? arguments.lengths + data->where->nodes : NULL;
    peal_make_call(me, data->form, callee, &arguments);
}
