/* SPDX-License-Identifier: MIT */
/* The labels of one case: every node's words before and after, and the comparison.
 *
 * Each node has an input, or a result, or both, with words before and after that must not be written. */
#pragma once

#include "lib/labels/labels.h"
#include <peal/check.h>

/* Words before and after each vector: those next to it are compared after a run, the others show whose vector a wrong
 * access is at. */
enum { VECTORS_GUARD = 4, VECTORS_MARGIN = 64 };

/* How numbers are combined. */
enum numbers_join { NUMBERS_ADD, NUMBERS_MAX, NUMBERS_MIN };

/* One node's vector: NULL where it has none. */
struct row {
    uint64_t *words;
    size_t count; /* of elements */
    size_t gap;   /* elements before each block, which are not the call's */
    bool sends;   /* it is an input */
    bool spare;   /* it is given where it is not significant, and must not be touched */
    int rank;     /* whose it is */
};

struct vectors {
    const struct vectors *earlier;   /* of the call before this one, in the same run; NULL; set before vectors_begin */
    bool is_earlier;                 /* these belong to it; set before vectors_begin, which then begins no run */
    bool brackets;                   /* combinations keep their brackets; set before vectors_begin */
    bool mpi;                        /* nodes have the buffers of MPI's call, see vectors_begin; set before it */
    size_t stride, offset;           /* in words: of elements, and of the label in each; of guards 1 and 0 */
    enum peal_check_element element; /* numbers, or labels; set before vectors_begin */
    enum numbers_join numbers;       /* how numbers are combined; set before vectors_begin */
    int leads;                       /* of maxima and minima: see vectors_leads; set before it; 0 */
    uint64_t key;                    /* of the numbers; set before vectors_begin */
    const uint64_t *keys;            /* not NULL: each word has one of these key_count instead */
    size_t key_count;
    bool unbacked;   /* as unbacked_is_on: only lengths count */
    bool one_buffer; /* with mpi, too, a vector is changed in place; set before it */
    enum peal_collective collective;
    const struct peal_form *form;
    const struct peal_check_case *where;
    struct peal_layout layout; /* of the case */
    const struct peal_op *op;
    struct row *in, *out; /* a row per node */
    uint64_t *total;      /* of a reduction: the combination of all, place by place */
    size_t total_words;
    uint64_t *memory;
    size_t memory_words, row_room;
};

/* The operator of a run: on labels, or without effect in a run on lengths alone. */
const struct peal_op *vectors_op(bool commutative);

/* Lay the case out and fill it with labels of a new run.  data may have been used for another case.
 *
 * With `mpi` a vector is not changed in place: `in` is sendbuf, `out` is recvbuf, where it is significant.  In place
 * (MPI_IN_PLACE) there is no `in` where the call leaves it out, and `out` begins with its words; for a reduce-scatter
 * `out` then has all blocks, and the result at its beginning.
 *
 *   owner    borrows where; vectors_fini frees
 *   errors   PEAL_RESOURCES */
enum peal_status vectors_begin(struct vectors *data, enum peal_collective collective,
                               const struct peal_check_case *where, struct peal_error *error);
void vectors_fini(struct vectors *data);

/* The node beside whose vectors the address is, of this call or of one before it; -1: none.  data may be NULL. */
int vectors_owner(const struct vectors *data, uintptr_t address);

/* The node that has this rank in the calls; the rank of a node, -1: it makes no call. */
int vectors_node(const struct vectors *data, int rank);
int vectors_rank(const struct vectors *data, int node);

/* Whether the ranks are in the reverse order of the nodes. */
bool vectors_reversed(const struct vectors *data);

/* The row of a node that lies within the other one, its own block in its place; NULL: they are separate. */
const struct row *vectors_inner(const struct vectors *data, int rank);

/* The bytes of an element's word: 8 of a label. */
static inline size_t
vectors_width(enum peal_check_element element)
{
    return element == PEAL_ELEMENT_INT || element == PEAL_ELEMENT_FLOAT ? 4 : sizeof(uint64_t);
}

/* The words of memory that the row takes, with its gaps. */
size_t vectors_room(const struct vectors *data, const struct row *row);

/* Where element i lies, among elements and gaps. */
size_t vectors_place(const struct vectors *data, const struct row *row, size_t i);

/* The word of a row that holds element i, a label. */
static inline uint64_t *
vectors_word(const struct vectors *data, const struct row *row, size_t i)
{
    return &row->words[(row->gap ? vectors_place(data, row, i) : i) * data->stride + data->offset];
}

/* The names of the parameters that hold a node's words and its result: "in" and "out", or "a" where the vector is
 * changed in place. */
const char *vectors_input_name(const struct vectors *data);
const char *vectors_result_name(const struct vectors *data);

/* The expected word i of the result of `rank`, and, unless kept is NULL, whether it is the node's own, to be left
 * alone. */
uint64_t vectors_should(const struct vectors *data, int rank, size_t i, bool *kept);

/* How the operator of a check combines numbers; NULL: it adds them.
 *
 * The largest of numbers does not show which others were compared.  A function that only moves numbers and takes the
 * larger of two gives at each place the largest of a set of words; that is right for all numbers if and only if it is
 * right in vectors_leads runs, of data->leads from 1 on: in each one node has larger numbers than all others, and in
 * the second of two for that node they are in the reverse order.  A set that lacks this node's word gives less, and one
 * with a word of another place more. */
enum numbers_join vectors_numbers(const struct peal_op *op);
int vectors_leads(enum numbers_join numbers, int nodes);

/* The number that a node is given as its word `index`, with the key that is data->key, where no node leads; the
 * combination of two.  The word of a row that holds element i, a label or a number. */
uint64_t vectors_number(enum peal_check_element element, uint64_t key, int node, size_t index);
uint64_t vectors_combine(enum peal_check_element element, enum numbers_join numbers, uint64_t a, uint64_t b);
uint64_t vectors_get(const struct vectors *data, const struct row *row, size_t i);

/* The arguments of the call of the node that has this rank in it, but for the lengths of unequal blocks. */
struct peal_arguments vectors_arguments(const struct vectors *data, int rank);

/* Make the call of one node on its vectors. */
void vectors_call(const struct vectors *data, struct peal_node *me, const struct peal_callee *callee);

/* Find the first wrong word of a result, after vectors_check reported it; false: it reported something else. */
bool vectors_find_wrong(const struct vectors *data, int *rank, size_t *word);

/* The result of vectors_check for an input that was written: inputs must not be. */
#define VECTORS_CONST "which is const, was written"

/* The first input that was written; NULL: none. */
const struct row *vectors_written(const struct vectors *data);

/* Compare.  True when all is right; else the finding's kind and message are filled. */
bool vectors_check(const struct vectors *data, struct peal_finding *finding);

/* ------------------------------------------------------------------ private: vectors.c and compared.c */

/* Guard i of a row of the node, first those before the row, then those after it.  No two are equal, so that copying one
 * word too many from row to row is seen. */
uint64_t vectors_guard(const struct vectors *data, const struct row *row, int rank, size_t i);

/* Whether the vector of a reduction lies in sendbuf, and its result in recvbuf. */
bool vectors_are_two(const struct vectors *data);

/* Where the block of a node begins. */
size_t vectors_block_place(const struct vectors *data, const struct row *row, int peer);

/* The bytes of element i. */
char *vectors_element(const struct vectors *data, const struct row *row, size_t i);

/* Whether two elements are equal. */
bool vectors_same(const struct vectors *data, uint64_t a, uint64_t b);

/* The combination of two words. */
uint64_t vectors_join(const struct vectors *data, uint64_t left, uint64_t right);

/* A label of what the node with this rank has, or its number. */
uint64_t vectors_label(const struct vectors *data, enum label_kind kind, int rank, size_t index);

/* The number with these bits. */
int64_t vectors_number_of(enum peal_check_element element, uint64_t bits);
