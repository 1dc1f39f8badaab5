/* SPDX-License-Identifier: MIT */
/* Rows of labels, with guards around them. */
#include "lib/labels/vectors.h"
#include "lib/base/plural.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = VECTORS_GUARD };

size_t
vectors_block(const struct vectors *data, int b)
{
    const struct peal_check_case *c = data->where;

    return c->sizes ? c->sizes[(size_t)b % (size_t)c->size_count] : c->words;
}

size_t
vectors_pair(const struct vectors *data, int from, int to)
{
    const struct peal_check_case *c = data->where;

    return c->sizes ? c->sizes[((size_t)from * (size_t)c->nodes + (size_t)to) % (size_t)c->size_count] : c->words;
}

size_t
vectors_begin_of(const struct vectors *data, int b)
{
    size_t words = 0;

    if (!data->where->sizes)
        return (size_t)b * data->where->words;
    for (int i = 0; i < b; i++)
        words += vectors_block(data, i);
    return words;
}

size_t
vectors_pair_begin(const struct vectors *data, int from, int to)
{
    size_t words = 0;

    if (!data->where->sizes)
        return (size_t)to * data->where->words;
    for (int i = 0; i < to; i++)
        words += vectors_pair(data, from, i);
    return words;
}

/* How many words the node is given apart from its result, SIZE_MAX for no input at all. */
static size_t
in_words(const struct vectors *data, int rank)
{
    const struct peal_check_case *c = data->where;

    switch (data->collective) {
    case PEAL_SCATTER:
        return rank == c->root ? vectors_begin_of(data, c->nodes) : SIZE_MAX;
    case PEAL_GATHER:
    case PEAL_ALLGATHER:
        return vectors_block(data, rank);
    case PEAL_REDUCE_SCATTER:
        return vectors_begin_of(data, c->nodes);
    case PEAL_ALLTOALL:
        return vectors_pair_begin(data, rank, c->nodes);
    case PEAL_SHIFT:
        return c->words;
    case PEAL_BROADCAST:
    case PEAL_REDUCE:
    case PEAL_ALLREDUCE:
    case PEAL_SCAN:
    case PEAL_EXSCAN:
    case PEAL_MULTICAST:
    case PEAL_BARRIER:
    case PEAL_COLLECTIVES:
        break;
    }
    return SIZE_MAX;
}

static size_t
out_words(const struct vectors *data, int rank)
{
    const struct peal_check_case *c = data->where;
    size_t words = 0;

    switch (data->collective) {
    case PEAL_SCATTER:
    case PEAL_REDUCE_SCATTER:
        return vectors_block(data, rank);
    case PEAL_GATHER:
        return rank == c->root ? vectors_begin_of(data, c->nodes) : SIZE_MAX;
    case PEAL_ALLGATHER:
        return vectors_begin_of(data, c->nodes);
    case PEAL_ALLTOALL:
        for (int from = 0; from < c->nodes; from++)
            words += vectors_pair(data, from, rank);
        return words;
    case PEAL_BROADCAST:
    case PEAL_REDUCE:
    case PEAL_ALLREDUCE:
    case PEAL_SCAN:
    case PEAL_EXSCAN:
    case PEAL_SHIFT:
    case PEAL_MULTICAST:
        return c->words;
    case PEAL_BARRIER:
    case PEAL_COLLECTIVES:
        break;
    }
    return SIZE_MAX;
}

/* Whether the result begins as words of the node's own. */
static bool
begins_full(const struct vectors *data, int rank)
{
    switch (data->collective) {
    case PEAL_BROADCAST:
        return rank == data->where->root;
    case PEAL_REDUCE:
    case PEAL_ALLREDUCE:
    case PEAL_SCAN:
    case PEAL_EXSCAN:
    case PEAL_MULTICAST:
        return true;
    case PEAL_SCATTER:
    case PEAL_GATHER:
    case PEAL_ALLGATHER:
    case PEAL_REDUCE_SCATTER:
    case PEAL_ALLTOALL:
    case PEAL_SHIFT:
    case PEAL_BARRIER:
    case PEAL_COLLECTIVES:
        break;
    }
    return false;
}

/* ------------------------------------------------------------------ laying out */

const struct row *
vectors_inner(const struct vectors *data, int rank)
{
    const struct peal_check_case *c = data->where;

    if (!c->in_place || !peal_collective_allows_in_place(data->collective) ||
        (peal_collective_has_root(data->collective) && rank != c->root))
        return NULL;
    return data->collective == PEAL_SCATTER || data->collective == PEAL_REDUCE_SCATTER ? &data->out[rank]
                                                                                       : &data->in[rank];
}

/* Put the row that lies in the other one into its place. */
static void
lay_inner(struct vectors *data, int rank)
{
    const struct row *inner = vectors_inner(data, rank);

    if (inner == &data->in[rank])
        data->in[rank].words = data->out[rank].words + vectors_begin_of(data, rank);
    else if (inner)
        data->out[rank].words = data->in[rank].words + vectors_begin_of(data, rank);
}

static struct row
lay_row(uint64_t **at, size_t count)
{
    struct row row = {NULL, 0};

    if (count == SIZE_MAX)
        return row;
    row = (struct row){*at + GUARD, count};
    *at += count + 2 * (size_t)GUARD;
    return row;
}

/* Guard i of a row of the node, those behind it after those before it.  No two are equal, so that a word too many that is
 * copied from one row to another is seen. */
static uint64_t
guard_of(const struct vectors *data, const struct row *row, int rank, size_t i)
{
    return label_make(LABEL_BEYOND, rank, i + (row == &data->out[rank] ? 2 * (size_t)GUARD : 0));
}

static void
fill_row(const struct vectors *data, const struct row *row, int rank, enum label_kind kind)
{
    if (!row->words)
        return;
    for (size_t i = 0; i < GUARD && row != vectors_inner(data, rank); i++) {
        row->words[(ptrdiff_t)i - GUARD] = guard_of(data, row, rank, i);
        row->words[row->count + i] = guard_of(data, row, rank, GUARD + i);
    }
    for (size_t i = 0; i < row->count; i++)
        row->words[i] = label_make(kind, rank, i);
}

/* Combine the words of all nodes, place by place. */
static void
combine_all(struct vectors *data)
{
    bool commutative = data->op->commutative;

    for (size_t i = 0; i < data->total_words; i++) {
        data->total[i] = label_make(LABEL_WORD, 0, i);
        for (int rank = 1; rank < data->where->nodes; rank++)
            data->total[i] = label_join(data->total[i], label_make(LABEL_WORD, rank, i), commutative);
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
room_for(size_t words)
{
    return words == SIZE_MAX ? 0 : words + 2 * (size_t)GUARD;
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
    data->total_words = !peal_collective_has_op(collective) ? 0
                        : collective == PEAL_REDUCE_SCATTER ? vectors_begin_of(data, P)
                                                            : where->words;
    for (int rank = 0; rank < P; rank++)
        words += room_for(in_words(data, rank)) + room_for(out_words(data, rank));
    words += data->total_words;
    if (!labels_begin() || !make_rows(data, (size_t)P))
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
        data->in[rank] = lay_row(&at, in_words(data, rank));
        data->out[rank] = lay_row(&at, out_words(data, rank));
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

static bool
is_among(const struct peal_check_case *c, int rank)
{
    for (int i = 0; c->to && i < c->to_count; i++)
        if (c->to[i] == rank)
            return true;
    return !c->to;
}

/* The node and the place in its vector of which word i of the blocks that lie one behind the other at `rank` comes. */
static uint64_t
gathered(const struct vectors *data, int rank, size_t i)
{
    int from = 0;

    for (;; from++) {
        size_t words = data->collective == PEAL_ALLTOALL ? vectors_pair(data, from, rank) : vectors_block(data, from);

        if (i < words)
            break;
        i -= words;
    }
    return label_make(LABEL_WORD, from,
                      data->collective == PEAL_ALLTOALL ? vectors_pair_begin(data, from, rank) + i : i);
}

/* The combination of word i of the nodes 0 .. last. */
static uint64_t
prefix(const struct vectors *data, int last, size_t i)
{
    uint64_t label = label_make(LABEL_WORD, 0, i);

    for (int rank = 1; rank <= last; rank++)
        label = label_join(label, label_make(LABEL_WORD, rank, i), data->op->commutative);
    return label;
}

uint64_t
vectors_should(const struct vectors *data, int rank, size_t i)
{
    const struct peal_check_case *c = data->where;

    switch (data->collective) {
    case PEAL_SCATTER:
        return label_make(LABEL_WORD, c->root, vectors_begin_of(data, rank) + i);
    case PEAL_GATHER:
    case PEAL_ALLGATHER:
    case PEAL_ALLTOALL:
        return gathered(data, rank, i);
    case PEAL_BROADCAST:
        return label_make(LABEL_WORD, c->root, i);
    case PEAL_REDUCE:
        return rank == c->root ? data->total[i] : label_make(LABEL_WORD, rank, i);
    case PEAL_ALLREDUCE:
        return data->total[i];
    case PEAL_REDUCE_SCATTER:
        return data->total[vectors_begin_of(data, rank) + i];
    case PEAL_SCAN:
        return prefix(data, rank, i);
    case PEAL_EXSCAN:
        return prefix(data, rank == 0 ? 0 : rank - 1, i);
    case PEAL_SHIFT:
        return label_make(LABEL_WORD, ((rank - c->by) % c->nodes + c->nodes) % c->nodes, i);
    case PEAL_MULTICAST:
        return label_make(LABEL_WORD, is_among(c, rank) ? c->root : rank, i);
    case PEAL_BARRIER:
    case PEAL_COLLECTIVES:
        break;
    }
    return 0;
}

/* Whether nothing before and behind the row was written. */
static bool
guards_are_whole(const struct vectors *data, const struct row *row, int rank, const char *what,
                 struct peal_finding *finding)
{
    for (size_t i = 0; row->words && i < GUARD && row != vectors_inner(data, rank); i++) {
        bool before = row->words[(ptrdiff_t)i - GUARD] != guard_of(data, row, rank, i);

        if (!before && row->words[row->count + i] == guard_of(data, row, rank, GUARD + i))
            continue;
        finding->kind = PEAL_OUT_OF_BOUNDS;
        if (before)
            snprintf(finding->message, sizeof finding->message, "node %d writes %zu word%s before its `%s`", rank,
                     GUARD - i, plural(GUARD - i), what);
        else
            snprintf(finding->message, sizeof finding->message,
                     "node %d writes word %zu of its `%s`, which has %zu word%s", rank, row->count + i, what,
                     row->count, plural(row->count));
        return false;
    }
    return true;
}

/* Of a block in its place the result tells. */
static bool
input_is_kept(const struct vectors *data, int rank, struct peal_finding *finding)
{
    const struct row *row = &data->in[rank], *inner = vectors_inner(data, rank);

    for (size_t i = 0; row->words && i < row->count && row != inner; i++)
        if (row->words[i] != label_make(LABEL_WORD, rank, i) &&
            !(inner && row->words + i >= inner->words && row->words + i < inner->words + inner->count)) {
            finding->kind = PEAL_WRONG_RESULT;
            snprintf(finding->message, sizeof finding->message,
                     "node %d, word %zu: its `in`, which is const, was written", rank, i);
            return false;
        }
    return true;
}

const char *
vectors_result_name(enum peal_collective collective)
{
    bool in_place = collective == PEAL_BROADCAST || collective == PEAL_REDUCE || collective == PEAL_ALLREDUCE ||
                    collective == PEAL_SCAN || collective == PEAL_EXSCAN || collective == PEAL_MULTICAST;

    return in_place ? "a" : "out";
}

static bool
result_is_right(const struct vectors *data, int rank, struct peal_finding *finding)
{
    const struct row *row = &data->out[rank];

    for (size_t i = 0; row->words && i < row->count; i++) {
        uint64_t should = vectors_should(data, rank, i);
        size_t index = data->collective == PEAL_REDUCE_SCATTER ? vectors_begin_of(data, rank) + i : i;
        char text[600];

        if (row->words[i] == should)
            continue;
        /* A place that was never written is told by its own number. */
        bool unset = row->words[i] == label_make(LABEL_UNSET, rank, i);

        finding->kind = label_explain(row->words[i], should, rank, unset ? i : index,
                                      peal_collective_has_op(data->collective), text, sizeof text);
        snprintf(finding->message, sizeof finding->message, "node %d, word %zu %s%s", rank, i, text,
                 data->collective == PEAL_REDUCE && rank != data->where->root ? " (only the root's a may change)" : "");
        return false;
    }
    return true;
}

bool
vectors_check(const struct vectors *data, struct peal_finding *finding)
{
    const char *name = vectors_result_name(data->collective);

    for (int rank = 0; rank < data->where->nodes; rank++)
        if (!guards_are_whole(data, &data->in[rank], rank, "in", finding) ||
            !guards_are_whole(data, &data->out[rank], rank, name, finding))
            return false;
    for (int rank = 0; rank < data->where->nodes; rank++)
        if (!input_is_kept(data, rank, finding) || !result_is_right(data, rank, finding))
            return false;
    return true;
}

bool
vectors_find_wrong(const struct vectors *data, int *rank, size_t *word)
{
    struct peal_finding told = {.kind = PEAL_FAILURE_KINDS};

    vectors_check(data, &told);
    if (told.kind != PEAL_WRONG_RESULT && told.kind != PEAL_NONCOMMUTATIVE_ORDER)
        return false;
    for (*rank = 0; *rank < data->where->nodes; (*rank)++) {
        const struct row *row = &data->out[*rank];

        if (!input_is_kept(data, *rank, &told))
            return false;
        for (*word = 0; row->words && *word < row->count; (*word)++)
            if (row->words[*word] != vectors_should(data, *rank, *word))
                return true;
    }
    return false;
}
