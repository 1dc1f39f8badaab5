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

/* Who has how much, before and after. */
static void
lay_out(struct data *data, size_t words)
{
    size_t vector = 0;
    int nodes = data->nodes;

    if (peal_collective_has_blocks(data->collective)
        && __builtin_mul_overflow(words, (size_t)nodes, &vector))
        vector = SIZE_MAX; /* found when it is allocated */
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
        data->out_rows = nodes, data->out_words = words;
        data->expected_words = words;
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
    case PEAL_GATHER:
    case PEAL_ALLGATHER:
        memcpy(data->expected, data->in, data->expected_words * data->word_bytes);
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
    case PEAL_REDUCE_SCATTER:
        combine_all(data, data->in);
        break;
    case PEAL_ALLTOALL: /* see data_check */
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
                          .op = situation->op,
                          .word_bytes = word_bytes};
    lay_out(data, situation->words);
    if (!bytes_of(data, data->in_rows, data->in_words, &in_bytes)
        || !bytes_of(data, data->out_rows, data->out_words, &out_bytes)
        || !bytes_of(data, 1, data->expected_words, &expected_bytes))
        return peal_refuse(error, PEAL_USAGE, "%s of %zu words on %d nodes does not fit in memory: take fewer words", name,
                           situation->words, situation->nodes);
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

/* Put together what a node gets in an all-to-all: its block of every node's input. */
static void
collect_blocks(const struct data *data, int rank)
{
    size_t block = data->out_words / (size_t)data->nodes * data->word_bytes;

    for (int from = 0; from < data->nodes; from++)
        memcpy(data->expected + (size_t)from * block, (char *)data_in(data, from) + (size_t)rank * block, block);
}

/* Whether the node's row is as it should be; if not and nothing was said before, say which word is not. */
static bool
row_is_right(const struct data *data, int rank, const char *is, const char *should, char *wrong, size_t bytes)
{
    size_t word = data->word_bytes;
    char is_text[40], should_text[40];

    if (memcmp(is, should, data->out_words * word) == 0)
        return true;
    for (size_t i = 0; i < data->out_words && wrong[0] == '\0'; i++)
        if (memcmp(is + i * word, should + i * word, word) != 0)
            snprintf(wrong, bytes, "node %d, word %zu: is %s, should be %s", rank, i,
                     word_text(data, is + i * word, is_text, sizeof is_text),
                     word_text(data, should + i * word, should_text, sizeof should_text));
    return false;
}

int
data_check(const struct data *data, char *wrong, size_t bytes)
{
    size_t row_bytes = data->out_words * data->word_bytes;
    char *kept = NULL; /* what another node's vector was before a reduce, which must not change it */
    int correct = 0;

    wrong[0] = '\0';
    if (data->collective == PEAL_REDUCE)
        kept = malloc(row_bytes > 0 ? row_bytes : 1);
    for (int rank = 0; rank < data->nodes; rank++) {
        const char *is = data_out(data, rank), *should = data->expected;

        if (is == NULL) { /* gets nothing, so holds nothing wrong */
            correct++;
            continue;
        }
        if (data->collective == PEAL_SCATTER || data->collective == PEAL_REDUCE_SCATTER)
            should += (size_t)rank * row_bytes;
        if (data->collective == PEAL_ALLTOALL)
            collect_blocks(data, rank);
        if (data->collective == PEAL_REDUCE && rank != data->root) {
            if (kept == NULL) {
                snprintf(wrong, bytes, "no memory to check it");
                return 0;
            }
            fill_row(data, kept, rank, data->out_words);
            should = kept;
        }
        correct += row_is_right(data, rank, is, should, wrong, bytes);
    }
    free(kept);
    return correct;
}
