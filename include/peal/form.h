/* SPDX-License-Identifier: MIT */
/* The description of a collective.
 *
 * A collective is one row: what it takes, what each node has before and after, which words make up a result, how it is
 * called and what it must move.  Everything that calls, makes, verifies, draws or bounds a collective reads its row:
 * lib/collective/forms/<collective>.c. */
#ifndef PEAL_FORM_H
#define PEAL_FORM_H

#include <peal/collective.h>

PEAL_BEGIN

/* ------------------------------------------------------------------ sizes */

/* The words of block b; those of the block that node `from` has for node `to`, in an all-to-all. */
PEAL_API size_t peal_layout_block(const struct peal_layout *layout, int b);
PEAL_API size_t peal_layout_pair(const struct peal_layout *layout, int from, int to);

/* ------------------------------------------------------------------ the row */

/* What a node has on one side of a call. */
enum peal_side {
    PEAL_SIDE_NONE,
    PEAL_SIDE_BLOCK,       /* its own block */
    PEAL_SIDE_BLOCKS,      /* P blocks */
    PEAL_SIDE_ROOT_BLOCKS, /* P blocks at the root, nothing elsewhere */
    PEAL_SIDE_PAIRS,       /* P blocks, each for or from a node, of lengths of their own */
    PEAL_SIDE_VECTOR
};

/* Where the result begins as the node's own words: a vector that is changed in place. */
enum peal_begins { PEAL_BEGINS_NOWHERE, PEAL_BEGINS_AT_ROOT, PEAL_BEGINS_EVERYWHERE };

/* A stretch of a result: word i of it is the combination of word index + i of the nodes first .. last, in rank
 * order. */
struct peal_origin {
    int first, last; /* equal: that node's word itself */
    size_t index, words;
    bool kept; /* the node's own words, which the call leaves alone */
};

/* All arguments of a call. */
struct peal_arguments {
    const struct peal_op *op;
    const void *in;        /* NULL where the vector is changed in place */
    void *out;             /* the result, or the vector that is changed in place */
    const size_t *lengths; /* of blocks, those to send of an all-to-all; NULL: equal */
    const size_t *receive; /* of an all-to-all: of the blocks to receive */
    PEAL_EMBED(peal_shape, shape, PEAL_SHAPE);
};

/* A function of the user's, declared as the call of its collective.  Collectives that take the same share a member. */
union peal_check_function {
    void (*scatter)(struct peal_node *me, const void *in, size_t m, int root, void *out);
    void (*gather)(struct peal_node *me, const void *in, size_t m, int root, void *out);
    void (*broadcast)(struct peal_node *me, void *a, size_t n, int root);
    void (*reduce)(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root);
    void (*allgather)(struct peal_node *me, const void *in, size_t m, void *out);
    void (*reduce_scatter)(struct peal_node *me, const struct peal_op *op, const void *in, size_t m, void *out);
    void (*allreduce)(struct peal_node *me, const struct peal_op *op, void *a, size_t n);
    void (*alltoall)(struct peal_node *me, const void *in, size_t m, void *out);
    void (*scan)(struct peal_node *me, const struct peal_op *op, void *a, size_t n);
    void (*exscan)(struct peal_node *me, const struct peal_op *op, void *a, size_t n);
    void (*shift)(struct peal_node *me, const void *in, size_t n, int by, void *out);
    void (*multicast)(struct peal_node *me, void *a, size_t n, int root, const int *to, int count);
    void (*barrier)(struct peal_node *me);
    /* with unequal blocks: P lengths, borrowed until it returns */
    void (*scatterv)(struct peal_node *me, const void *in, const size_t *words, int root, void *out);
    void (*gatherv)(struct peal_node *me, const void *in, const size_t *words, int root, void *out);
    void (*allgatherv)(struct peal_node *me, const void *in, const size_t *words, void *out);
    void (*reduce_scatterv)(struct peal_node *me, const struct peal_op *op, const void *in, const size_t *words,
                            void *out);
    void (*alltoallv)(struct peal_node *me, const void *in, const size_t *send, void *out, const size_t *receive);
};

/* What carries a call out: the user's function, or an algorithm. */
struct peal_callee {
    const union peal_check_function *function; /* NULL: */
    const struct peal_algorithm *algorithm;    /* loaded ones too; NULL: the cheapest */
    int parameter;                             /* of the algorithm; 0: its own choice */
};

/* The words that a collective must move, for the lower bounds: see lib/collective/demand.h. */
struct peal_demand;

struct peal_form {
    const char *name;
    const char *unequal; /* the name of its call with unequal blocks; NULL: there is none */
    const char *done;    /* verb of a right result: "hold their block" */
    enum peal_side in, out;
    enum peal_begins begins; /* of out */
    bool root, op, by, to;   /* what else it takes */
    bool from_root;          /* only the root's words reach other nodes */
    bool file;               /* its input may be a file's bytes, which arrive in its result */
    bool waits;              /* no node returns before all have called */
    bool in_place; /* a node's own block may be in its place: the smaller of in and out a block of the other */

    /* Give stretch `part` of the result of node `rank`; a result of blocks from every node has P of them, others
     * one. */
    void (*origin)(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin);
    /* Run an algorithm on a node that has entered the call.  Blocks are cut as `blocks` says, those that an all-to-all
     * receives as `received`. */
    void (*run)(struct peal_node *me, const struct peal_algorithm *algorithm, const struct peal_arguments *arguments,
                const struct peal_blocks *blocks, const struct peal_blocks *received);
    /* Call a function of the user's. */
    void (*call)(struct peal_node *me, const union peal_check_function *function,
                 const struct peal_arguments *arguments);
    /* Give the words that must move, with equal blocks. */
    void (*demand)(const struct peal_situation *situation, struct peal_demand *demand);
    const char *chosen; /* the name of the algorithm that is always chosen; NULL: the cheapest */
};

/* The row of a collective; of PEAL_COLLECTIVES that of a whole program, which has no words. */
PEAL_API const struct peal_form *peal_form_of(enum peal_collective collective);

PEAL_END

#endif
