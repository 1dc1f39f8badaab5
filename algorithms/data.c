/* SPDX-License-Identifier: MIT */
/* Made-up inputs, in which every word can be told from every other, and sequential results to compare with. */
#include "data.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POISON = 0xa5 };

/* ------------------------------------------------------------------ made-up words */

/* A one-to-one map of 64-bit words that scatters neighbours (the finaliser of splitmix64). */
static uint64_t
scatter_bits(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* A word for the operator: sums and products of doubles stay exact, affine maps do not commute. */
static uint64_t
word_for(const struct peal_op *op, int rank, uint64_t index)
{
    uint64_t bits = scatter_bits(((uint64_t)rank << 32) + index);
    double value;

    if (op == NULL)
        return bits;
    if (op == &peal_affine)
        return bits | 1;
    if (op == &peal_prod_double)
        value = (bits & 1 ? 1.0 : -1.0) * (rank % 2 == 0 ? 2.0 : 0.5);
    else if (op == &peal_sum_double || op == &peal_max_double || op == &peal_min_double)
        value = (double)(bits % 1000003);
    else
        return bits % 1000003;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Fill a row with the words of one node, from `first` on. */
static void
fill_row(const struct data *data, char *row, int rank, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        size_t bytes = data->word_bytes;
        char *place = row + i * bytes;

        for (size_t done = 0; done < bytes; done += sizeof(uint64_t)) {
            uint64_t word = word_for(data->op, rank, i + (done << 24));

            memcpy(place + done, &word, bytes - done < sizeof word ? bytes - done : sizeof word);
        }
    }
}

/* ------------------------------------------------------------------ rows */

void *
data_in(const struct data *data, int rank)
{
    if (data->in == NULL || (data->in_rows == 1 && rank != data->root))
        return NULL;
    return data->in + (data->in_rows == 1 ? 0 : (size_t)rank) * data->in_words * data->word_bytes;
}

void *
data_out(const struct data *data, int rank)
{
    if (data->out == NULL || (data->out_rows == 1 && rank != data->root))
        return NULL;
    return data->out + (data->out_rows == 1 ? 0 : (size_t)rank) * data->out_words * data->word_bytes;
}

/* The bytes of so many rows; false when they cannot be counted. */
static bool
bytes_of(const struct data *data, int rows, size_t words, size_t *bytes)
{
    return !__builtin_mul_overflow((size_t)rows, words, bytes)
           && !__builtin_mul_overflow(*bytes, data->word_bytes, bytes) && *bytes <= PTRDIFF_MAX;
}

/* Memory of at least a byte. */
static char *
allocate(size_t bytes)
{
    return malloc(bytes > 0 ? bytes : 1);
}

size_t
data_block_words(const struct data *data, int b)
{
    return data->sizes == NULL ? data->words : data->sizes[(size_t)b % data->size_count];
}

size_t
data_pair_words(const struct data *data, int from, int to)
{
    if (data->sizes == NULL)
        return data->words;
    return data->sizes[((size_t)from * (size_t)data->nodes + (size_t)to) % data->size_count];
}

/* All blocks together; where lengths differ from node to node, those of the node that has or gets the most.  SIZE_MAX, which
 * is found when it is allocated, when they cannot be counted. */
static size_t
words_of_vector(const struct data *data)
{
    size_t nodes = (size_t)data->nodes, most = 0, all;

    if (data->sizes == NULL)
        return __builtin_mul_overflow(data->words, nodes, &all) ? SIZE_MAX : all;
    if (data->collective != PEAL_ALLTOALL) {
        for (int b = 0; b < data->nodes; b++)
            if (__builtin_add_overflow(most, data_block_words(data, b), &most))
                return SIZE_MAX;
        return most;
    }
    for (int i = 0; i < data->nodes; i++) {
        size_t sends = 0, gets = 0;

        for (int j = 0; j < data->nodes; j++)
            if (__builtin_add_overflow(sends, data_pair_words(data, i, j), &sends)
                || __builtin_add_overflow(gets, data_pair_words(data, j, i), &gets))
                return SIZE_MAX;
        most = sends > most ? sends : most;
        most = gets > most ? gets : most;
    }
    return most;
}

/* Who has how much, before and after. */
static void
lay_out(struct data *data)
{
    size_t words = data->words, vector = 0;
    int nodes = data->nodes;

    if (peal_collective_has_blocks(data->collective))
        vector = words_of_vector(data);
    switch (data->collective) {
    case PEAL_SCATTER:
        data->in_rows = 1, data->in_words = vector, data->out_rows = nodes, data->out_words = words;
        data->expected_words = vector;
        break;
    case PEAL_GATHER:
        data->in_rows = nodes, data->in_words = words, data->out_rows = 1, data->out_words = vector;
        data->expected_words = vector;
        break;
    case PEAL_ALLGATHER:
        data->in_rows = nodes, data->in_words = words, data->out_rows = nodes, data->out_words = vector;
        data->expected_words = vector;
        break;
    case PEAL_REDUCE_SCATTER:
        data->in_rows = nodes, data->in_words = vector, data->out_rows = nodes, data->out_words = words;
        data->expected_words = vector;
        break;
    case PEAL_ALLTOALL:
        data->in_rows = nodes, data->in_words = vector, data->out_rows = nodes, data->out_words = vector;
        data->expected_words = vector; /* one node's at a time */
        break;
    case PEAL_BROADCAST:
        data->in_rows = 1, data->in_words = words, data->out_rows = nodes, data->out_words = words;
        data->expected_words = words;
        break;
    case PEAL_REDUCE:
    case PEAL_ALLREDUCE:
    case PEAL_SCAN:
    case PEAL_EXSCAN:
    case PEAL_MULTICAST:
        data->out_rows = nodes, data->out_words = words;
        data->expected_words = words;
        break;
    case PEAL_SHIFT:
        data->in_rows = nodes, data->in_words = words, data->out_rows = nodes, data->out_words = words;
        break;
    case PEAL_BARRIER:
    case PEAL_COLLECTIVES:
        break;
    }
}

/* ------------------------------------------------------------------ what to expect */

/* Combine the vectors of all nodes in the order of the ranks, one after the other, into expected. */
static void
combine_all(struct data *data, const char *rows)
{
    size_t bytes = data->expected_words * data->word_bytes;

    memcpy(data->expected, rows, bytes);
    for (int rank = 1; rank < data->nodes; rank++)
        data->op->combine(data->expected, rows + (size_t)rank * bytes, data->expected, data->expected_words);
}

/* Put the nodes' blocks one behind the other into expected. */
static void
join_blocks(struct data *data)
{
    char *end = data->expected;

    for (int rank = 0; rank < data->nodes; rank++) {
        size_t bytes = data_block_words(data, rank) * data->word_bytes;

        memcpy(end, data_in(data, rank), bytes);
        end += bytes;
    }
}

static void
fill(struct data *data, const struct peal_exercise *exercise)
{
    size_t in_row = data->in_words * data->word_bytes, out_row = data->out_words * data->word_bytes;

    if (data->in != NULL && exercise->input != NULL) {
        memset(data->in, 0, (size_t)data->in_rows * in_row);
        memcpy(data->in, exercise->input, exercise->input_bytes);
    } else if (data->in != NULL) {
        for (int row = 0; row < data->in_rows; row++)
            fill_row(data, data->in + (size_t)row * in_row, data->in_rows == 1 ? data->root : row, data->in_words);
    }
    if (data->out != NULL)
        memset(data->out, POISON, (size_t)data->out_rows * out_row);

    switch (data->collective) {
    case PEAL_SCATTER:
        memcpy(data->expected, data->in, data->expected_words * data->word_bytes);
        break;
    case PEAL_GATHER:
    case PEAL_ALLGATHER:
        join_blocks(data);
        break;
    case PEAL_BROADCAST:
        memcpy(data->expected, data->in, in_row);
        memcpy(data_out(data, data->root), data->in, in_row);
        break;
    case PEAL_REDUCE:
    case PEAL_ALLREDUCE:
        for (int rank = 0; rank < data->nodes; rank++)
            fill_row(data, data_out(data, rank), rank, data->out_words);
        combine_all(data, data->out);
        break;
    case PEAL_SCAN:
    case PEAL_EXSCAN:
    case PEAL_MULTICAST: /* see data_check */
        for (int rank = 0; rank < data->nodes; rank++)
            fill_row(data, data_out(data, rank), rank, data->out_words);
        break;
    case PEAL_REDUCE_SCATTER:
        combine_all(data, data->in);
        break;
    case PEAL_ALLTOALL: /* see data_check */
    case PEAL_SHIFT:
    case PEAL_BARRIER:
    case PEAL_COLLECTIVES:
        break;
    }
}

enum peal_status
data_init(struct data *data, const struct peal_situation *situation, size_t word_bytes,
          const struct peal_exercise *exercise, struct peal_error *error)
{
    const char *name = peal_collective_name(situation->collective);
    size_t in_bytes, out_bytes, expected_bytes;

    *data = (struct data){.collective = situation->collective,
                          .nodes = situation->nodes,
                          .root = situation->root,
                          .by = situation->by,
                          .to = situation->to,
                          .to_count = situation->to_count,
                          .words = situation->words,
                          .sizes = exercise->sizes,
                          .size_count = (size_t)exercise->size_count,
                          .op = situation->op,
                          .word_bytes = word_bytes};
    lay_out(data);
    if (!bytes_of(data, data->in_rows, data->in_words, &in_bytes)
        || !bytes_of(data, data->out_rows, data->out_words, &out_bytes)
        || !bytes_of(data, 1, data->expected_words, &expected_bytes))
        return peal_refuse(error, PEAL_USAGE, "%s of %zu words on %d node%s does not fit in memory: take fewer words", name,
                           situation->words, situation->nodes, situation->nodes == 1 ? "" : "s");
    if (exercise->input != NULL && exercise->input_bytes > in_bytes)
        return peal_refuse(error, PEAL_USAGE, "the input has %zu bytes, more than %s's %d x %zu words of %zu bytes",
                           exercise->input_bytes, name, data->in_rows, data->in_words, word_bytes);

    data->in = data->in_rows > 0 ? allocate(in_bytes) : NULL;
    data->out = data->out_rows > 0 ? allocate(out_bytes) : NULL;
    data->expected = data->out_rows > 0 ? allocate(expected_bytes) : NULL;
    if ((data->in_rows > 0 && data->in == NULL) || (data->out_rows > 0 && (data->out == NULL || data->expected == NULL)))
        return peal_refuse(error, PEAL_RESOURCES, "no memory for the data of %s of %zu words on %d nodes", name,
                           situation->words, situation->nodes);
    fill(data, exercise);
    return PEAL_OK;
}

void
data_fini(struct data *data)
{
    free(data->in);
    free(data->out);
    free(data->expected);
    *data = (struct data){0};
}

/* ------------------------------------------------------------------ the comparison */

/* Write a word as the operator reads it. */
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

/* Put together what a node gets in an all-to-all: its block of every node's input.  Gives how many words. */
static size_t
collect_blocks(const struct data *data, int rank)
{
    size_t words = 0;

    for (int from = 0; from < data->nodes; from++) {
        size_t before = 0, block = data_pair_words(data, from, rank);

        if (data->sizes == NULL)
            before = (size_t)rank * data->words;
        else
            for (int to = 0; to < rank; to++)
                before += data_pair_words(data, from, to);
        memcpy(data->expected + words * data->word_bytes, (char *)data_in(data, from) + before * data->word_bytes,
               block * data->word_bytes);
        words += block;
    }
    return words;
}

static bool
is_among(const int *ranks, int count, int rank)
{
    for (int i = 0; i < count && ranks != NULL; i++)
        if (ranks[i] == rank)
            return true;
    return ranks == NULL;
}

/* What a node should hold, checked rank after rank: `row` has room for a node's vector, expected for what goes from one node
 * to the next.  *words is how many. */
static const char *
should_hold(const struct data *data, int rank, char *row, size_t *words)
{
    size_t bytes = data->out_words * data->word_bytes, before = 0;

    *words = data->out_words;
    switch (data->collective) {
    case PEAL_SCATTER:
    case PEAL_REDUCE_SCATTER:
        *words = data_block_words(data, rank);
        if (data->sizes == NULL)
            return data->expected + (size_t)rank * bytes;
        for (int b = 0; b < rank; b++)
            before += data_block_words(data, b);
        return data->expected + before * data->word_bytes;
    case PEAL_ALLTOALL:
        *words = collect_blocks(data, rank);
        return data->expected;
    case PEAL_REDUCE:
        if (rank == data->root)
            return data->expected;
        fill_row(data, row, rank, data->out_words);
        return row;
    case PEAL_SCAN:
        fill_row(data, row, rank, data->out_words);
        if (rank == 0)
            memcpy(data->expected, row, bytes);
        else
            data->op->combine(data->expected, row, data->expected, data->out_words);
        return data->expected;
    case PEAL_EXSCAN:
        fill_row(data, row, rank == 0 ? 0 : rank - 1, data->out_words);
        if (rank <= 1)
            memcpy(data->expected, row, bytes);
        else
            data->op->combine(data->expected, row, data->expected, data->out_words);
        return data->expected;
    case PEAL_SHIFT:
        return data_in(data, (rank - data->by + data->nodes) % data->nodes);
    case PEAL_MULTICAST:
        fill_row(data, row, is_among(data->to, data->to_count, rank) ? data->root : rank, data->out_words);
        return row;
    case PEAL_GATHER:
    case PEAL_BROADCAST:
    case PEAL_ALLGATHER:
    case PEAL_ALLREDUCE:
    case PEAL_BARRIER:
    case PEAL_COLLECTIVES:
        return data->expected;
    }
    return data->expected;
}

/* Whether the node's row is as it should be; if not and nothing was said before, say which word is not. */
static bool
row_is_right(const struct data *data, int rank, const char *is, const char *should, size_t words, char *wrong,
             size_t bytes)
{
    size_t word = data->word_bytes;
    char is_text[40], should_text[40];

    if (words == 0 || memcmp(is, should, words * word) == 0)
        return true;
    for (size_t i = 0; i < words && wrong[0] == '\0'; i++)
        if (memcmp(is + i * word, should + i * word, word) != 0)
            snprintf(wrong, bytes, "node %d, word %zu: is %s, should be %s", rank, i,
                     word_text(data, is + i * word, is_text, sizeof is_text),
                     word_text(data, should + i * word, should_text, sizeof should_text));
    return false;
}

int
data_check(const struct data *data, char *wrong, size_t bytes)
{
    char *row = data->out_rows > 0 ? allocate(data->out_words * data->word_bytes) : NULL;
    int correct = 0;

    wrong[0] = '\0';
    if (data->out_rows > 0 && row == NULL) {
        snprintf(wrong, bytes, "no memory to check it");
        return 0;
    }
    for (int rank = 0; rank < data->nodes; rank++) {
        const char *is = data_out(data, rank), *should;
        size_t words;

        if (is == NULL) { /* gets nothing, so holds nothing wrong */
            correct++;
            continue;
        }
        should = should_hold(data, rank, row, &words);
        correct += row_is_right(data, rank, is, should, words, wrong, bytes);
    }
    free(row);
    return correct;
}
