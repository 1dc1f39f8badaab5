/* SPDX-License-Identifier: MIT */
/* Compares the labels after a call with what the collective's row says, and explains a wrong one. */
#include "lib/collective/layout.h"
#include "lib/labels/vectors.h"
#include <inttypes.h>
#include <peal/hints.h>

/* The label of word i of a stretch of a result. */
static uint64_t
origin_label(const struct vectors *data, const struct peal_origin *origin, size_t i)
{
    size_t index = origin->index + i;
    uint64_t label = vectors_label(data, LABEL_WORD, origin->first, index);

    if (origin->first == origin->last)
        return label;
    if (origin->first == 0 && origin->last == data->where->nodes - 1)
        return data->total[index];
    for (int rank = origin->first + 1; rank <= origin->last; rank++)
        label = vectors_join(data, label, vectors_label(data, LABEL_WORD, rank, index));
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
    return origin_label(data, &origin, i);
}

/* Whether no word between the blocks of the row was written. */
static bool
gaps_are_whole(const struct vectors *data, const struct row *row, const char *what, struct peal_finding *finding)
{
    for (int peer = 0; row->words && row->gap > 0 && peer < data->where->nodes; peer++) {
        const size_t end = vectors_block_place(data, row, peer) * data->stride;

        for (size_t i = end - row->gap * data->stride; i < end; i++) {
            if (row->words[i] == vectors_label(data, LABEL_BEYOND, row->rank, i))
                continue;
            finding->kind = PEAL_OUT_OF_BOUNDS;
            snprintf(finding->message, sizeof finding->message,
                     "node %d writes word %zu of its `%s`, which lies before the displacement of block %d, %zu",
                     vectors_node(data, row->rank), i / data->stride, what, peer, end / data->stride);
            snprintf(finding->fix, sizeof finding->fix, "%s", PEAL_HINT(displacements));
            return false;
        }
    }
    return true;
}

/* Whether no word before or after the row was written. */
static bool
guards_are_whole(const struct vectors *data, const struct row *row, int rank, const char *what,
                 struct peal_finding *finding)
{
    for (size_t i = 0; row->words && i < VECTORS_GUARD && row != vectors_inner(data, rank); i++) {
        bool before = row->words[(ptrdiff_t)i - VECTORS_GUARD] != vectors_guard(data, row, rank, i);

        if (!before && row->words[vectors_room(data, row) + i] == vectors_guard(data, row, rank, VECTORS_GUARD + i))
            continue;
        finding->kind = PEAL_OUT_OF_BOUNDS;
        if (before)
            snprintf(finding->message, sizeof finding->message, "node %d writes %zu word%s before its `%s`",
                     vectors_node(data, rank), VECTORS_GUARD - i, plural(VECTORS_GUARD - i), what);
        else
            snprintf(finding->message, sizeof finding->message,
                     "node %d writes word %zu of its `%s`, which has %zu word%s", vectors_node(data, rank),
                     row->count + i / data->stride, what, row->count, plural(row->count));
        if (before)
            snprintf(finding->fix, sizeof finding->fix, PEAL_HINT(first_word), "word");
        else if (row->count == 0)
            snprintf(finding->fix, sizeof finding->fix, "%s", PEAL_HINT(no_words));
        else
            snprintf(finding->fix, sizeof finding->fix, PEAL_HINT(last_word), "word", row->count - 1);
        return false;
    }
    return true;
}

/* Whether a row that only the root's call needs was left unwritten. */
static bool
spare_is_whole(const struct vectors *data, const struct row *row, const char *what, struct peal_finding *finding)
{
    for (size_t i = 0; row->spare && i < row->count; i++)
        if (vectors_get(data, row, i) != vectors_label(data, LABEL_BEYOND, row->rank, i)) {
            finding->kind = PEAL_OUT_OF_BOUNDS;
            snprintf(finding->message, sizeof finding->message,
                     "node %d writes word %zu of its `%s`, which counts at the root, node %d, alone",
                     vectors_node(data, row->rank), i, what, vectors_node(data, data->layout.root));
            snprintf(finding->fix, sizeof finding->fix, "%s", PEAL_HINT(root_alone));
            return false;
        }
    return true;
}

/* Whether element i of the row also belongs to the inner row, which may be NULL. */
static bool
lies_in(const struct vectors *data, const struct row *inner, const struct row *row, size_t i)
{
    const char *at = vectors_element(data, row, i), *first = inner ? (const char *)inner->words : NULL;

    return first && at >= first && at < first + inner->count * data->stride * vectors_width(data->element);
}

/* The first word of a node's input that was written; the number of words if none was.  For a block in its place the
 * result decides. */
static size_t
first_written(const struct vectors *data, int rank)
{
    const struct row *row = &data->in[rank], *inner = vectors_inner(data, rank);
    size_t i = row->words && !row->spare && row != inner ? 0 : row->count;

    while (i < row->count &&
           (vectors_get(data, row, i) == vectors_label(data, LABEL_WORD, rank, i) || lies_in(data, inner, row, i)))
        i++;
    return i;
}

static bool
input_is_kept(const struct vectors *data, int rank, struct peal_finding *finding)
{
    const size_t word = first_written(data, rank);

    if (word == data->in[rank].count)
        return true;
    finding->kind = PEAL_WRONG_RESULT;
    snprintf(finding->message, sizeof finding->message, "node %d, word %zu: its `%s`, " VECTORS_CONST,
             vectors_node(data, rank), word, vectors_input_name(data));
    return false;
}

const struct row *
vectors_written(const struct vectors *data)
{
    for (; data; data = data->earlier)
        for (int rank = 0; rank < data->where->nodes; rank++)
            if (first_written(data, rank) < data->in[rank].count)
                return &data->in[rank];
    return NULL;
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
        return data->form->in == PEAL_SIDE_NONE && !vectors_are_two(data) ? "buffer" : "recvbuf";
    return data->form->begins == PEAL_BEGINS_NOWHERE ? "out" : "a";
}

enum { MAX_SUMMED = 12 };

/* Name the node whose word at this place is this number; false: there is none. */
static bool
vectors_say_word(const struct vectors *data, uint64_t is, size_t index, struct peal_text text)
{
    for (int rank = 0; rank < data->where->nodes; rank++)
        if (vectors_label(data, LABEL_WORD, rank, index) == is) {
            label_say_leaf(text, (struct leaf){LABEL_WORD, vectors_node(data, rank), (uint32_t)index}, index);
            return true;
        }
    return false;
}

/* Name the nodes whose words at this place add up to the number, or the one whose word it is; false: there are none. */
static bool
say_sum(const struct vectors *data, uint64_t is, size_t index, struct peal_text text)
{
    if (data->numbers != NUMBERS_ADD)
        return vectors_say_word(data, is, index, text);
    int P = data->where->nodes;
    int64_t number = vectors_number_of(data->element, is);
    const char *between = "";

    for (unsigned set = 1; P <= MAX_SUMMED && set < 1U << P; set++) {
        int64_t sum = 0;

        for (int rank = 0; rank < P; rank++)
            if (set >> rank & 1)
                sum += vectors_number_of(data->element, vectors_label(data, LABEL_WORD, rank, index));
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

/* Whether the word is still as malloc returned it. */
static bool
vectors_word_is_fresh(const struct vectors *data, uint64_t is)
{
    uint64_t fresh = FRESH_WORD;

    return memcmp(&is, &fresh, vectors_width(data->element)) == 0;
}

/* Describe a wrong number, and the expected one. */
static void
explain_number(const struct vectors *data, int rank, size_t i, uint64_t should, size_t index, char text[600])
{
    const struct row *row = &data->out[rank];
    uint64_t is = vectors_get(data, row, i);
    struct peal_text out = empty_text(text, 600);

    if (is == vectors_label(data, LABEL_UNSET, rank, i)) {
        peal_append(out, "is never written");
        return;
    }
    peal_append(out, "holds ");
    bool known = say_sum(data, is, index, out);

    if (!known && vectors_number_of(data->element, is) == INT64_MIN)
        peal_append(out, "a number that is far from those of all nodes");
    else if (!known)
        peal_append(out, "%lld, %s", (long long)vectors_number_of(data->element, is),
                    vectors_word_is_fresh(data, is)                  ? "memory from malloc that was never written"
                    : data->form->op && data->numbers == NUMBERS_ADD ? "no sum of words of this place"
                    : data->form->op                                 ? "not a word of this place"
                                                                     : "not a node's word");
    peal_append(out, "; expected ");
    if (!say_sum(data, should, index, out))
        peal_append(out, "%lld", (long long)vectors_number_of(data->element, should));
    if (data->form->op && data->numbers != NUMBERS_ADD)
        peal_append(out, ", which is the %s", data->numbers == NUMBERS_MAX ? "largest" : "smallest");
}

/* Report what is wrong with word i of the node's result, where another label is expected. */
static void
explain_word(const struct vectors *data, int rank, size_t i, uint64_t should, struct peal_finding *finding)
{
    uint64_t is = vectors_get(data, &data->out[rank], i);
    bool unset = is == vectors_label(data, LABEL_UNSET, rank, i),
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
            snprintf(finding->fix, sizeof finding->fix, "%s", PEAL_HINT(mpi_combines));
    } else
        finding->kind =
            label_explain(is, should, node + (data->is_earlier ? LABEL_EARLIER : 0),
                          i + (unset || !data->form->op ? 0 : origin.index), data->form->op, text, sizeof text);
    snprintf(finding->message, sizeof finding->message, "node %d, word %zu %s%s", node, i, text,
             kept && data->form->root && data->form->op ? " (only the root's a may change)" : "");
    if (finding->kind == PEAL_NONCOMMUTATIVE_ORDER)
        snprintf(finding->fix, sizeof finding->fix, "%s", data->mpi ? PEAL_HINT(lower_in) : PEAL_HINT(lower_left));
}

/* The first word of a node's result that is wrong; false: there is none. */
static bool
find_wrong_word(const struct vectors *data, int rank, size_t *word, uint64_t *should)
{
    const struct row *row = &data->out[rank];
    int parts = row->words && !row->spare ? layout_parts(&data->layout, data->form) : 0;
    struct peal_origin origin;

    *word = 0;
    for (int part = 0; part < parts; part++) {
        data->form->origin(&data->layout, rank, part, &origin);
        for (size_t i = 0; i < origin.words && !(data->mpi && origin.kept); i++, ++*word) { /* not significant */
            *should = origin_label(data, &origin, i);
            if (!vectors_same(data, vectors_get(data, row, *word), *should))
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
            !gaps_are_whole(data, &data->out[rank], name, finding) ||
            !spare_is_whole(data, &data->in[rank], vectors_input_name(data), finding) ||
            !spare_is_whole(data, &data->out[rank], name, finding))
            return false;
    for (int rank = 0; rank < data->where->nodes; rank++)
        if (!input_is_kept(data, rank, finding) || !result_is_right(data, rank, finding))
            return false;
    return true;
}

bool
vectors_check(const struct vectors *data, struct peal_finding *finding)
{
    if (data->unbacked)
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
