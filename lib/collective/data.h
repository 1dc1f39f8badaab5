/* SPDX-License-Identifier: MIT */
/* The data of an exercise: the input of every node, the expected result, and the comparison.
 *
 * Inputs and results of all nodes lie in big arrays, one row per node; a node reads and writes its own row only. */
#pragma once

#include <peal/form.h>

struct data {
    const struct peal_form *form;
    struct peal_layout layout;
    const struct peal_op *op; /* NULL without one */
    size_t word_bytes;
    size_t in_words;  /* of a node's input; the longest if they differ */
    int in_rows;      /* 1: only the root has input */
    size_t out_words; /* of a node's result, likewise */
    int out_rows;     /* 1: only the root gets a result */
    bool given;       /* the words are the user's, and may be equal */
    char *in;         /* in_rows rows; if the vector is changed in place from the root's, the root's */
    char *out;        /* out_rows rows */
};

/* Allocate and fill the data of one exercise.
 *
 *   owner    data_fini frees it, also when this failed
 *   errors   PEAL_USAGE when the sizes overflow or the input does not fit; PEAL_RESOURCES without memory */
enum peal_status data_init(struct data *data, const struct peal_situation *situation, size_t word_bytes,
                           const struct peal_exercise *exercise, struct peal_error *error);
void data_fini(struct data *data);

/* The row of a node; NULL if it has none. */
void *data_in(const struct data *data, int rank);
void *data_out(const struct data *data, int rank);

/* Count the nodes with the expected result, and describe the first wrong word. */
int data_check(const struct data *data, char *wrong, size_t bytes);
