/* SPDX-License-Identifier: MIT */
/* Tables for people: rows of text in columns, each as wide as its widest cell.  Row 0 is the head. */
#pragma once

#include "show/print.h"
#include <stdint.h>

struct table_column {
    const char *head;
    int gap;    /* blanks before it */
    int least;  /* its least width */
    bool left;  /* words are aligned left, numbers right */
    bool above; /* the last column: on a line of its own, where it is not that of the row before */
};

struct table {
    size_t rows, columns; /* the head is a row, too */
    const struct table_column
        *layout; /* NULL: columns of numbers, 2 blanks before each, their heads set like other cells */
    struct table_cell {
        char *text; /* NULL: nothing */
        enum ink ink;
    } * cells;
    int *widths;
    uint64_t hidden; /* a bit for each of the first 64 columns: it is not printed */
    bool plain_head; /* not in faint ink */
    bool lost;       /* out of memory */
};

/* Begin a table with this many rows below the head.
 *
 *   owner    borrows layout; the caller ends it with table_end                                 */
void table_begin(struct table *table, size_t rows, size_t columns, const struct table_column *layout);

/* Write a cell; a cell that is not written is empty. */
void table_set(struct table *table, size_t row, size_t column, const char *format, ...) PEAL_PRINTF(4, 5);
void table_ink(struct table *table, size_t row, size_t column, enum ink ink);

/* Print the rows first .. end - 1. */
void table_print(FILE *out, const struct table *table, size_t first, size_t end);

/* Print all of it, in as many parts as lines of 80 columns need, each after an empty line; each repeats the first
 * column. */
void table_print_parts(FILE *out, const struct table *table);

/* Print a row for each round that `fill` writes into row `row`: of many rounds only the first and the last.  Rounds are
 * filled in order. */
void table_print_rounds(FILE *out, size_t rounds, size_t columns, const struct table_column *layout,
                        void (*fill)(struct table *table, size_t row, size_t round, void *context), void *context);

/* Free it.  errors: PEAL_RESOURCES when memory ran out, and nothing was printed */
enum peal_status table_end(struct table *table, struct peal_error *error);
