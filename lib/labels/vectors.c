/* SPDX-License-Identifier: MIT */
/* Rows of labels, with guards around them. */
#include "lib/labels/vectors.h"
#include "lib/base/unbacked.h"
#include "lib/collective/layout.h"
#include <peal/loaded.h>
#include <stdlib.h>

enum { GUARD = VECTORS_GUARD, GAP = 2 };

int
vectors_node(const struct vectors *data, int rank)
{
    const int P = data->where->nodes;

    const unsigned call = data->where->call;

    if (call & PEAL_CALL_HALVES)
        return data->is_earlier ? 2 * rank : 2 * P - 1 - 2 * rank;
    if (call & PEAL_CALL_TWO_COMMS && !data->is_earlier)
        return P - 1 - rank;
    if (call & PEAL_CALL_IN_GROUP || (call & PEAL_CALL_OVERLAP && !data->is_earlier))
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

    if (!(data->where->call & PEAL_CALL_HALVES))
        rank = vectors_node(data, node); /* its own inverse */
    else if (node % 2 == 0)
        rank = data->is_earlier ? node / 2 : -1;
    else
        rank = data->is_earlier ? -1 : P - 1 - node / 2;
    return rank < P ? rank : -1;
}

/* ------------------------------------------------------------------ elements */

/* The bits of a whole number that differs for each word, and is small enough for sums of all nodes to be exact. */
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

int64_t
vectors_number_of(enum peal_check_element element, uint64_t bits)
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

/* The bits of a node's word. */
static int
bits_of(enum peal_check_element element)
{
    return element == PEAL_ELEMENT_FLOAT ? 18 : element == PEAL_ELEMENT_INT ? 24 : 40;
}

/* A pseudo-random number, from 1 to 2 to the power of a word's bits. */
static int64_t
vectors_draw(enum peal_check_element element, uint64_t key, enum label_kind kind, int node, size_t index)
{
    uint64_t x = ((uint64_t)node << 40) + index + ((uint64_t)kind << 56) + 1 + key;

    for (int i = 0; i < 3; i++) {
        x *= UINT64_C(0x9E3779B97F4A7C15);
        x ^= x >> 29;
    }
    return (int64_t)(x >> (64 - bits_of(element))) + 1;
}

/* The number of a word of the node of this rank; labels that are not words get numbers beyond all words. */
static int64_t
number_for(const struct vectors *data, uint64_t key, enum label_kind kind, int rank, size_t index)
{
    const int node = vectors_node(data, rank) + (data->is_earlier ? LABEL_EARLIER : 0);
    const int64_t drawn = vectors_draw(data->element, key, kind, node, index), most = INT64_C(1)
                                                                                      << bits_of(data->element);

    if (kind != LABEL_WORD)
        return data->numbers == NUMBERS_MAX ? 2 * most + drawn : -2 * most - drawn;
    if (data->leads == 0)
        return drawn;
    const int64_t led = data->leads % 2 == 0 ? drawn : most + 1 - drawn, leads = rank == (data->leads - 1) / 2;

    return data->numbers == NUMBERS_MAX ? led + leads * most : led - leads * most;
}

uint64_t
vectors_number(enum peal_check_element element, uint64_t key, int node, size_t index)
{
    return number_bits(element, vectors_draw(element, key, LABEL_WORD, node, index));
}

enum numbers_join
vectors_numbers(const struct peal_op *op)
{
    if (op == PEAL_MAX_INT64 || op == PEAL_MAX_DOUBLE)
        return NUMBERS_MAX;
    return op == PEAL_MIN_INT64 || op == PEAL_MIN_DOUBLE ? NUMBERS_MIN : NUMBERS_ADD;
}

int
vectors_leads(enum numbers_join numbers, int nodes)
{
    return numbers == NUMBERS_ADD ? 0 : 2 * nodes;
}

uint64_t
vectors_combine(enum peal_check_element element, enum numbers_join numbers, uint64_t a, uint64_t b)
{
    const int64_t left = vectors_number_of(element, a), right = vectors_number_of(element, b);

    if (numbers == NUMBERS_ADD)
        return number_bits(element, left + right);
    return (left < right) == (numbers == NUMBERS_MAX) ? b : a;
}

uint64_t
vectors_join(const struct vectors *data, uint64_t left, uint64_t right)
{
    if (data->element == PEAL_ELEMENT_LABEL)
        return label_join(left, right, data->op->commutative);
    return vectors_combine(data->element, data->numbers, left, right);
}

bool
vectors_same(const struct vectors *data, uint64_t a, uint64_t b)
{
    return data->element == PEAL_ELEMENT_LABEL ? label_same(a, b) : a == b;
}

char *
vectors_element(const struct vectors *data, const struct row *row, size_t i)
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
        memcpy(&word, vectors_element(data, row, i), sizeof word);
    else
        word = *(uint32_t *)memcpy(&half, vectors_element(data, row, i), sizeof half);
    return word;
}

static void
vectors_put(const struct vectors *data, const struct row *row, size_t i, uint64_t word)
{
    uint32_t half = (uint32_t)word;

    if (vectors_width(data->element) == sizeof word)
        memcpy(vectors_element(data, row, i), &word, sizeof word);
    else
        memcpy(vectors_element(data, row, i), &half, sizeof half);
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

size_t
vectors_block_place(const struct vectors *data, const struct row *row, int peer)
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

uint64_t
vectors_label(const struct vectors *data, enum label_kind kind, int rank, size_t index)
{
    if (data->element != PEAL_ELEMENT_LABEL)
        return number_bits(data->element,
                           number_for(data,
                                      kind == LABEL_WORD && index < data->key_count ? data->keys[index] : data->key,
                                      kind, rank, index));
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

bool
vectors_are_two(const struct vectors *data)
{
    return data->mpi && !data->one_buffer && data->form->op && data->form->begins == PEAL_BEGINS_EVERYWHERE;
}

/* The words that the node has before and after the call; SIZE_MAX: it has no buffer there. */
static size_t
in_words(const struct vectors *data, int rank)
{
    if (takes_from_result(data, rank))
        return SIZE_MAX;
    return vectors_are_two(data) ? data->layout.words : layout_in_words(&data->layout, data->form, rank);
}

static size_t
out_words(const struct vectors *data, int rank)
{
    if (vectors_are_two(data) && data->form->root && rank != data->layout.root)
        return SIZE_MAX;
    if (takes_from_result(data, rank) && data->form->in == PEAL_SIDE_BLOCKS)
        return layout_in_words(&data->layout, data->form, rank);
    return layout_out_words(&data->layout, data->form, rank);
}

/* Whether the result begins as words of the node's own. */
static bool
begins_full(const struct vectors *data, int rank)
{
    if (takes_from_result(data, rank) || vectors_are_two(data))
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

/* Where the block of a node begins in a row of several: its first element; the label may be only a part of that. */
static uint64_t *
block_begin(const struct vectors *data, const struct row *row, int peer)
{
    const size_t before = vectors_block_place(data, row, peer) * data->stride * vectors_width(data->element);

    return (uint64_t *)(void *)((char *)row->words + before);
}

/* Put the row that lies within the other one into its place. */
static void
lay_inner(struct vectors *data, int rank)
{
    const struct row *inner = vectors_inner(data, rank);

    if (inner == &data->in[rank])
        data->in[rank].words = block_begin(data, &data->out[rank], rank);
    else if (inner)
        data->out[rank].words = block_begin(data, &data->in[rank], rank);
}

/* Whether the call has displacements for the blocks of this row. */
static bool
has_displacements(const struct vectors *data, bool sends)
{
    enum peal_side side = sends ? data->form->in : data->form->out;

    return data->where->call & PEAL_CALL_GAPS && !data->form->op &&
           (side == PEAL_SIDE_BLOCKS || side == PEAL_SIDE_ROOT_BLOCKS || side == PEAL_SIDE_PAIRS);
}

/* Whether the call gives the node a buffer on this side that is significant only at the root. */
static bool
is_spare(const struct vectors *data, int rank, bool sends)
{
    const enum peal_side side = sends ? data->form->in : data->form->out;

    return data->where->call & PEAL_CALL_GIVEN && rank != data->layout.root &&
           (side == PEAL_SIDE_ROOT_BLOCKS || (!sends && data->form->root && vectors_are_two(data)));
}

/* The words of a row; SIZE_MAX: it is not there. */
static size_t
row_words(const struct vectors *data, int rank, bool sends)
{
    const int of = is_spare(data, rank, sends) ? data->layout.root : rank;

    if (of != rank) /* as many as at the root */
        return sends ? layout_in_words(&data->layout, data->form, of) : layout_out_words(&data->layout, data->form, of);
    return sends ? in_words(data, rank) : out_words(data, rank);
}

/* A row without its place. */
static struct row
vectors_row(const struct vectors *data, int rank, bool sends)
{
    size_t count = row_words(data, rank, sends);
    bool all = !data->form->root || rank == data->layout.root;

    return (struct row){.count = count == SIZE_MAX ? 0 : count,
                        .gap = count != SIZE_MAX && all && has_displacements(data, sends) ? GAP : 0,
                        .sends = sends,
                        .spare = is_spare(data, rank, sends),
                        .rank = rank};
}

static void
vectors_lay_row(const struct vectors *data, struct row *row, uint64_t **at, size_t count)
{
    if (count == SIZE_MAX)
        return;
    row->words = *at + VECTORS_MARGIN;
    *at += vectors_room(data, row) + 2 * (size_t)VECTORS_MARGIN;
}

uint64_t
vectors_guard(const struct vectors *data, const struct row *row, int rank, size_t i)
{
    return vectors_label(data, LABEL_BEYOND, rank, i + (row == &data->out[rank] ? 2 * (size_t)GUARD : 0));
}

static void
vectors_fill_row(const struct vectors *data, const struct row *row, int rank, enum label_kind kind)
{
    if (!row->words)
        return;
    const size_t room = vectors_room(data, row);
    bool only = data->stride == 1 && row->gap == 0;

    for (size_t i = 0; i < GUARD && row != vectors_inner(data, rank); i++) {
        row->words[(ptrdiff_t)i - GUARD] = vectors_guard(data, row, rank, i);
        row->words[room + i] = vectors_guard(data, row, rank, GUARD + i);
    }
    for (size_t i = 0; i < room && !only && row != vectors_inner(data, rank); i++) /* the gaps, too */
        row->words[i] = vectors_label(data, LABEL_BEYOND, rank, i);
    if (data->element == PEAL_ELEMENT_LABEL)
        for (size_t i = 0; i < row->count; i++)
            *vectors_word(data, row, i) = vectors_label(data, kind, rank, i);
    else
        for (size_t i = 0; i < row->count; i++)
            vectors_put(data, row, i, vectors_label(data, kind, rank, i));
}

/* Combine the words of all nodes, place by place. */
static void
combine_all(struct vectors *data)
{
    for (size_t i = 0; i < data->total_words; i++) {
        data->total[i] = vectors_label(data, LABEL_WORD, 0, i);
        for (int rank = 1; rank < data->where->nodes; rank++)
            data->total[i] = vectors_join(data, data->total[i], vectors_label(data, LABEL_WORD, rank, i));
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
    if (unbacked_is_on())
        return commutative ? &nothing_commutative : &nothing;
    return commutative ? &label_op_commutative : &label_op;
}

/* A row that is not stored. */
static bool
lay_unbacked(const struct vectors *data, struct row *row, size_t count, int rank)
{
    size_t bytes = vectors_room(data, row) * sizeof(uint64_t);

    row->words = count == SIZE_MAX ? NULL : (uint64_t *)(void *)unbacked_get(0, bytes, vectors_node(data, rank));
    return row->words || count == SIZE_MAX;
}

static bool
lay_all_unbacked(struct vectors *data)
{
    unbacked_clear();
    for (int rank = 0; rank < data->where->nodes; rank++) {
        if (!lay_unbacked(data, &data->in[rank], row_words(data, rank, true), rank) ||
            !lay_unbacked(data, &data->out[rank], row_words(data, rank, false), rank))
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
vectors_row_room(const struct vectors *data, const struct row *row, size_t count)
{
    return count == SIZE_MAX ? 0 : vectors_room(data, row) + 2 * (size_t)VECTORS_MARGIN;
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
    data->unbacked = unbacked_is_on();
    data->form = peal_form_of(collective);
    data->layout = where->layout;
    data->stride = where->call & (PEAL_CALL_SPACED | PEAL_CALL_STRUCT) ? 2 : 1;
    data->offset = where->call & PEAL_CALL_STRUCT ? 1 : 0;
    data->total_words = !data->form->op || data->unbacked    ? 0
                        : data->form->in == PEAL_SIDE_BLOCKS ? layout_begin(&data->layout, P)
                                                             : where->words;
    if (!data->is_earlier)
        labels_begin(data->brackets);
    if (!make_rows(data, (size_t)P))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for labels");
    for (int rank = 0; rank < P; rank++) {
        data->in[rank] = vectors_row(data, rank, true);
        data->out[rank] = vectors_row(data, rank, false);
        words += vectors_row_room(data, &data->in[rank], row_words(data, rank, true)) +
                 vectors_row_room(data, &data->out[rank], row_words(data, rank, false));
    }
    words += data->total_words;
    if (data->unbacked)
        return lay_all_unbacked(data) ? PEAL_OK
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
        vectors_lay_row(data, &data->in[rank], &at, row_words(data, rank, true));
        vectors_lay_row(data, &data->out[rank], &at, row_words(data, rank, false));
        lay_inner(data, rank);
        if (&data->out[rank] != vectors_inner(data, rank)) /* else it begins as a block of the input */
            vectors_fill_row(data, &data->out[rank], rank,
                             data->out[rank].spare     ? LABEL_BEYOND
                             : begins_full(data, rank) ? LABEL_WORD
                                                       : LABEL_UNSET);
        vectors_fill_row(data, &data->in[rank], rank, data->in[rank].spare ? LABEL_BEYOND : LABEL_WORD);
    }
    if (data->total_words > 0)
        combine_all(data);
    return PEAL_OK;
}

int
vectors_owner(const struct vectors *data, uintptr_t address)
{
    const uintptr_t margin = VECTORS_MARGIN * sizeof *data->memory;

    for (; data; data = data->earlier)
        for (int rank = 0;
             rank < data->where->nodes && address - (uintptr_t)data->memory < data->memory_words * sizeof *data->memory;
             rank++)
            for (int i = 0; i < 2; i++) {
                const struct row *row = i == 0 ? &data->in[rank] : &data->out[rank];
                const uintptr_t begin = (uintptr_t)row->words - margin;

                if (row->words && row != vectors_inner(data, rank) &&
                    address - begin < vectors_room(data, row) * sizeof *row->words + 2 * margin)
                    return vectors_node(data, rank);
            }
    return -1;
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
