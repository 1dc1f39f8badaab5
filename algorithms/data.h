/* SPDX-License-Identifier: MIT */
/* The data of an exercise: what every node starts with, what it must end with, and the comparison.
 *
 * Inputs and results of all nodes lie in big arrays, a row a node; a node reads and writes its own row only. */
#ifndef ALGORITHMS_DATA_H
#define ALGORITHMS_DATA_H

#include <peal/collective.h>

struct data {
    enum peal_collective collective;
    int nodes, root;
    const struct peal_op *op; /* NULL without one */
    size_t word_bytes;
    int by;             /* of a shift */
    const int *to;      /* of a multicast */
    int to_count;
    size_t words;       /* of the vector, or of the longest block */
    const size_t *sizes; /* of blocks of unequal lengths, size_count of them over and over; NULL: all of `words` */
    size_t size_count;
    size_t in_words;    /* of a node's input; of the longest where they differ */
    int in_rows;        /* 1: only the root has input */
    size_t out_words;   /* of a node's result, likewise */
    int out_rows;       /* 1: only the root gets a result */
    char *in;           /* in_rows rows */
    char *out;          /* out_rows rows; vectors that are changed in place begin as their input */
    char *expected;     /* what the result is compared with: see data_check */
    size_t expected_words;
};

/* Allocate and fill the data of one exercise.
 *
 *   owner    data_fini gives it back, also when this failed
 *   errors   PEAL_USAGE when the sizes overflow or the input does not fit; PEAL_RESOURCES without memory */
enum peal_status data_init(struct data *data, const struct peal_situation *situation, size_t word_bytes,
                           const struct peal_exercise *exercise, struct peal_error *error);
void data_fini(struct data *data);

/* How many words block b has; the block that node `from` has for node `to` in an all-to-all. */
size_t data_block_words(const struct data *data, int b);
size_t data_pair_words(const struct data *data, int from, int to);

/* The row of a node; NULL when it has none. */
void *data_in(const struct data *data, int rank);
void *data_out(const struct data *data, int rank);

/* Count the nodes that hold what they should, and describe the first word that is wrong. */
int data_check(const struct data *data, char *wrong, size_t bytes);

#endif
