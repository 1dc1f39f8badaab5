/* SPDX-License-Identifier: MIT */
/* Generated inputs, in which all words differ, and sequential results to compare with. */
#include "lib/collective/data.h"
#include "lib/base/text.h"
#include "lib/collective/layout.h"
#include <inttypes.h>
#include <stdlib.h>

enum { POISON = 0xa5 };

/* ------------------------------------------------------------------ generated words */

/* A one-to-one map of 64-bit words that scatters neighbours (the finaliser of splitmix64). */
static uint64_t
scatter_bits(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Words for operators: sums and products of doubles stay exact, affine maps do not commute. */
enum made_words { MADE_ANY, MADE_ODD, MADE_SIGNS, MADE_DOUBLES, MADE_SMALL };

static enum made_words
data_words_for(const struct peal_op *op)
{
    if (op == NULL)
        return MADE_ANY;
    if (op == &peal_affine)
        return MADE_ODD;
    if (op == &peal_prod_double)
        return MADE_SIGNS;
    return op == &peal_sum_double || op == &peal_max_double || op == &peal_min_double ? MADE_DOUBLES : MADE_SMALL;
}

static inline uint64_t
word_for(enum made_words made, int rank, uint64_t index)
{
    uint64_t bits = scatter_bits(((uint64_t)rank << 32) + index);
    double value;

    switch (made) {
    case MADE_ANY:
        return bits;
    case MADE_ODD:
        return bits | 1;
    case MADE_SMALL:
        return bits % 1000003;
    case MADE_DOUBLES:
        value = (double)(int64_t)(bits % 1000003);
        break;
    case MADE_SIGNS:
        value = (bits & 1 ? 1.0 : -1.0) * (rank % 2 == 0 ? 2.0 : 0.5);
        break;
    }
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Fill a row with words of eight bytes; inlined with a constant kind, for which the loop then has no test. */
static inline __attribute__((always_inline)) void
fill_words(enum made_words made, char *row, int rank, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        uint64_t word = word_for(made, rank, i);

        memcpy(row + i * sizeof word, &word, sizeof word);
    }
}

/* Fill a row with the words of one node, from the first on. */
static void
data_fill_row(const struct data *data, char *row, int rank, size_t words)
{
    const enum made_words made = data_words_for(data->op);
    const size_t bytes = data->word_bytes;

    if (bytes == sizeof(uint64_t) && made == MADE_SMALL)
        fill_words(MADE_SMALL, row, rank, words);
    else if (bytes == sizeof(uint64_t) && made == MADE_ANY)
        fill_words(MADE_ANY, row, rank, words);
    else if (bytes == sizeof(uint64_t))
        fill_words(made, row, rank, words);
    else
        for (size_t i = 0; i < words; i++)
            for (size_t done = 0; done < bytes; done += sizeof(uint64_t)) {
                uint64_t word = word_for(made, rank, i + (done << 24));

                memcpy(row + i * bytes + done, &word, bytes - done < sizeof word ? bytes - done : sizeof word);
            }
}

/* ------------------------------------------------------------------ rows */

void *
data_in(const struct data *data, int rank)
{
    if (data->in == NULL || (data->in_rows == 1 && rank != data->layout.root))
        return NULL;
    return data->in + (data->in_rows == 1 ? 0 : (size_t)rank) * data->in_words * data->word_bytes;
}

void *
data_out(const struct data *data, int rank)
{
    if (data->out == NULL || (data->out_rows == 1 && rank != data->layout.root))
        return NULL;
    return data->out + (data->out_rows == 1 ? 0 : (size_t)rank) * data->out_words * data->word_bytes;
}

/* The bytes of this many rows; false if they do not fit. */
static bool
data_rows_bytes(const struct data *data, int rows, size_t words, size_t *bytes)
{
    return !__builtin_mul_overflow((size_t)rows, words, bytes) &&
           !__builtin_mul_overflow(*bytes, data->word_bytes, bytes) && *bytes <= PTRDIFF_MAX;
}

/* Memory of at least a byte. */
static char *
data_allocate(size_t bytes)
{
    return malloc(bytes > 0 ? bytes : 1);
}

/* The most words that any node has in (or, with `out`, gets); SIZE_MAX if they do not fit, which the allocation
 * reports.  *rows is the number of nodes that have any. */
static size_t
data_most_words(const struct data *data, bool out, int *rows)
{
    const struct peal_layout *layout = &data->layout;
    enum peal_side side = out ? data->form->out : data->form->in;
    size_t most = 0;

    *rows = side == PEAL_SIDE_NONE ? 0 : side == PEAL_SIDE_ROOT_BLOCKS ? 1 : layout->nodes;
    if (side == PEAL_SIDE_VECTOR || side == PEAL_SIDE_BLOCK)
        return layout->words;
    if (side == PEAL_SIDE_NONE)
        return 0;
    if (layout->sizes == NULL)
        return __builtin_mul_overflow(layout->words, (size_t)layout->nodes, &most) ? SIZE_MAX : most;
    if (__builtin_mul_overflow(layout->words, (size_t)layout->nodes, &most)) /* layout->words is the longest */
        return SIZE_MAX;
    if (side != PEAL_SIDE_PAIRS)
        return layout_begin(layout, layout->nodes);
    most = 0;
    for (int rank = 0; rank < layout->nodes; rank++) {
        size_t words = out ? layout_out_words(layout, data->form, rank) : layout_in_words(layout, data->form, rank);

        most = words > most ? words : most;
    }
    return most;
}

/* The words of each node, before and after. */
static void
lay_out(struct data *data)
{
    data->out_words = data_most_words(data, true, &data->out_rows);
    data->in_words = data_most_words(data, false, &data->in_rows);
    if (data->form->begins == PEAL_BEGINS_AT_ROOT) {
        data->in_words = data->out_words;
        data->in_rows = 1;
    }
}

/* ------------------------------------------------------------------ filling */

static void
data_fill(struct data *data, const struct peal_exercise *exercise)
{
    size_t in_row = data->in_words * data->word_bytes, out_row = data->out_words * data->word_bytes;
    int root = data->layout.root;

    if (data->in != NULL && exercise->input != NULL) {
        memset(data->in, 0, (size_t)data->in_rows * in_row);
        memcpy(data->in, exercise->input, exercise->input_bytes);
    } else if (data->in != NULL) {
        for (int row = 0; row < data->in_rows; row++)
            data_fill_row(data, data->in + (size_t)row * in_row, data->in_rows == 1 ? root : row, data->in_words);
    }
    if (data->out != NULL)
        memset(data->out, POISON, (size_t)data->out_rows * out_row);
    if (data->form->begins == PEAL_BEGINS_AT_ROOT)
        memcpy(data_out(data, root), data->in, in_row);
    if (data->form->begins == PEAL_BEGINS_EVERYWHERE)
        for (int rank = 0; rank < data->layout.nodes; rank++)
            data_fill_row(data, data_out(data, rank), rank, data->out_words);
}

enum peal_status
data_init(struct data *data, const struct peal_situation *situation, size_t word_bytes,
          const struct peal_exercise *exercise, struct peal_error *error)
{
    const char *name = peal_collective_name(situation->collective);
    size_t in_bytes, out_bytes;

    *data = (struct data){.form = peal_form_of(situation->collective),
                          .layout = situation->layout,
                          .op = situation->op,
                          .word_bytes = word_bytes,
                          .given = exercise->input != NULL};
    lay_out(data);
    if (!data_rows_bytes(data, data->in_rows, data->in_words, &in_bytes) ||
        !data_rows_bytes(data, data->out_rows, data->out_words, &out_bytes))
        return peal_refuse(error, PEAL_USAGE, "%s of %zu word%s on %d node%s does not fit in memory: take fewer words",
                           name, situation->words, plural(situation->words), situation->nodes,
                           plural(situation->nodes));
    if (exercise->input != NULL && exercise->input_bytes > in_bytes)
        return peal_refuse(error, PEAL_USAGE, "the input has %zu bytes, more than %s's %d x %zu words of %zu bytes",
                           exercise->input_bytes, name, data->in_rows, data->in_words, word_bytes);

    data->in = data->in_rows > 0 ? data_allocate(in_bytes) : NULL;
    data->out = data->out_rows > 0 ? data_allocate(out_bytes) : NULL;
    if ((data->in_rows > 0 && data->in == NULL) || (data->out_rows > 0 && data->out == NULL))
        return peal_refuse(error, PEAL_RESOURCES,
                           "no memory for the data of %s of %zu word%s on %d nodes: take fewer words", name,
                           situation->words, plural(situation->words), situation->nodes);
    data_fill(data, exercise);
    return PEAL_OK;
}

void
data_fini(struct data *data)
{
    free(data->in);
    free(data->out);
    *data = (struct data){0};
}

/* ------------------------------------------------------------------ the comparison */

/* Write a word as the operator's type. */
static char *
word_text(const struct data *data, const char *word, char *text, size_t bytes)
{
    const struct peal_op *op = data->op;
    uint64_t value = 0;
    double number;

    memcpy(&value, word, data->word_bytes < sizeof value ? data->word_bytes : sizeof value);
    memcpy(&number, &value, sizeof number);
    if (op == &peal_sum_double || op == &peal_max_double || op == &peal_min_double || op == &peal_prod_double)
        snprintf(text, bytes, "%g", number);
    else if (op != NULL && op != &peal_affine)
        snprintf(text, bytes, "%" PRId64, (int64_t)value);
    else
        snprintf(text, bytes, "0x%" PRIx64, value);
    return text;
}

/* The values that results are compared with: the input of one node, or the combination of several. */
struct expected {
    char *row;      /* room for the words of one node */
    char *combined; /* the inputs of the nodes 0 .. last, combined in the order of the ranks */
    int last;       /* -1: none yet */
    size_t words;   /* of a node's whole input */
};

/* The whole input of a node, as it was before the call. */
static const char *
input_of(const struct data *data, const struct expected *expected, int rank)
{
    if (data->in != NULL)
        return data_in(data, rank);
    data_fill_row(data, expected->row, rank, expected->words);
    return expected->row;
}

/* The expected words of a stretch of a result.  Ranks come in ascending order, so each input is combined once. */
static const char *
should_hold(const struct data *data, struct expected *expected, const struct peal_origin *origin)
{
    size_t begin = origin->index * data->word_bytes;

    if (origin->first == origin->last)
        return input_of(data, expected, origin->first) + begin;
    for (; expected->last < origin->last; expected->last++) {
        const char *next = input_of(data, expected, expected->last + 1);

        if (expected->last < 0)
            memcpy(expected->combined, next, expected->words * data->word_bytes);
        else
            peal_combine(data->op, expected->combined, next, expected->combined, expected->words);
    }
    return expected->combined + begin;
}

/* How many words of all inputs equal `is`, and where the last of them is. */
static size_t
find_word(const struct data *data, struct expected *expected, const char *is, int *node, size_t *index)
{
    size_t found = 0, bytes = data->word_bytes;

    for (int row = 0; row < (data->in != NULL ? data->in_rows : data->layout.nodes); row++) {
        int rank = data->in != NULL && data->in_rows == 1 ? data->layout.root : row;
        const char *words = input_of(data, expected, rank);

        for (size_t i = 0; i < expected->words; i++)
            if (memcmp(words + i * bytes, is, bytes) == 0) {
                found++;
                *node = rank;
                *index = i;
            }
    }
    return found;
}

/* Describe the word at `is`: it was never written, or it is a word of some node, or of none. */
static void
describe_word(const struct data *data, struct expected *expected, const char *is, char *text, size_t bytes)
{
    size_t index = 0, poisoned = 0;
    char value[40];
    int node = 0;

    while (poisoned < data->word_bytes && (unsigned char)is[poisoned] == POISON)
        poisoned++;
    if (poisoned == data->word_bytes)
        snprintf(text, bytes, "was never written");
    else if (find_word(data, expected, is, &node, &index) == 1)
        snprintf(text, bytes, "is word %zu of node %d", index, node);
    else
        snprintf(text, bytes, "is %s, no node's word", word_text(data, is, value, sizeof value));
}

/* Describe a wrong word of the node's result: words that only move are named by their node and place, unless the user
 * gave them; those of an operator by their value. */
static void
describe_wrong(const struct data *data, struct expected *expected, int rank, size_t at,
               const struct peal_origin *origin, size_t i, const char *should, char *wrong, size_t bytes)
{
    const char *is = (const char *)data_out(data, rank) + at * data->word_bytes;
    char is_text[80], should_text[40];

    if (data->op != NULL || data->given) {
        snprintf(wrong, bytes, "node %d, word %zu: is %s, expected %s", rank, at,
                 word_text(data, is, is_text, sizeof is_text),
                 word_text(data, should, should_text, sizeof should_text));
        return;
    }
    describe_word(data, expected, is, is_text, sizeof is_text);
    snprintf(wrong, bytes, "node %d, word %zu: %s; expected word %zu of node %d", rank, at, is_text, origin->index + i,
             origin->first);
}

/* Whether the words of this origin in the node's result, from word `at` on, are as expected; describe the first word
 * that is not. */
static bool
stretch_is_right(const struct data *data, struct expected *expected, int rank, size_t at,
                 const struct peal_origin *origin, char *wrong, size_t bytes)
{
    const char *should = should_hold(data, expected, origin);
    size_t word = data->word_bytes;
    const char *is = (const char *)data_out(data, rank) + at * word;

    if (origin->words == 0 || memcmp(is, should, origin->words * word) == 0)
        return true;
    for (size_t i = 0; i < origin->words && wrong[0] == '\0'; i++)
        if (memcmp(is + i * word, should + i * word, word) != 0)
            describe_wrong(data, expected, rank, at + i, origin, i, should + i * word, wrong, bytes);
    return false;
}

static bool
row_is_right(const struct data *data, struct expected *expected, int rank, char *wrong, size_t bytes)
{
    int parts = data_out(data, rank) != NULL ? layout_parts(&data->layout, data->form) : 0;
    bool right = true;
    size_t at = 0;

    for (int part = 0; part < parts; part++) {
        struct peal_origin origin;

        data->form->origin(&data->layout, rank, part, &origin);
        right &= stretch_is_right(data, expected, rank, at, &origin, wrong, bytes);
        at += origin.words;
    }
    return right;
}

int
data_check(const struct data *data, char *wrong, size_t bytes)
{
    struct expected expected = {.last = -1, .words = data->in != NULL ? data->in_words : data->out_words};
    int correct = 0;

    wrong[0] = '\0';
    expected.row = data_allocate(expected.words * data->word_bytes);
    expected.combined = data->op != NULL ? data_allocate(expected.words * data->word_bytes) : NULL;
    if (expected.row == NULL || (data->op != NULL && expected.combined == NULL))
        snprintf(wrong, bytes, "no memory to check it");
    else
        for (int rank = 0; rank < data->layout.nodes; rank++)
            correct += row_is_right(data, &expected, rank, wrong, bytes);
    free(expected.row);
    free(expected.combined);
    return correct;
}
