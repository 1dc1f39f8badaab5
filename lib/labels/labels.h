/* SPDX-License-Identifier: MIT */
/* Words that carry their origin.
 *
 * A label is a word of 64 bits: a kind, the run it was made in, and either a node and a place in that node's vector, or
 * the number of a sequence of such leaves in a table.  The operator of a checking run joins sequences.  A sequence has
 * one number however it was built, found by comparing its leaves, so that two labels are the same combination if and
 * only if they are the same word.  A label of an earlier run does not count as a label in this one.
 *
 *   thread   one at a time in a process: the table is the process's, as operators have no argument of their own */
#pragma once

#include "lib/base/text.h"
#include <peal/collective.h>

enum label_kind {
    LABEL_NONE,     /* a number that the program made, or a label of an earlier run */
    LABEL_WORD,     /* word `index` of what node `node` was given */
    LABEL_UNSET,    /* place `index` of node's result, which was never written */
    LABEL_BEYOND,   /* a word before or after one of node's vectors */
    LABEL_SEQUENCE, /* a combination */
};

/* Nodes and places are below these.  For the words of the first of two calls the node is LABEL_EARLIER higher. */
enum { LABEL_NODES = 1 << 12, LABEL_INDICES = 1 << 20, LABEL_EARLIER = 1 << 11 };

/* The contents of fresh memory, and the pattern that gcc writes to an uninitialised local: not a label. */
enum { FRESH_BYTE = 0xFE };
#define FRESH_WORD UINT64_C(0xFEFEFEFEFEFEFEFE)

/* What a sequence is made of. */
struct leaf {
    enum label_kind kind;
    int node;
    uint32_t index;
};

/* Begin a run: labels made before no longer count.  `brackets`: combinations of the same leaves in other brackets are
 * different labels, see label_same and label_brackets.  False without memory. */
void labels_begin(bool brackets);
/* Free the table's memory. */
void labels_end(void);

uint64_t label_make(enum label_kind kind, int node, size_t index);
enum label_kind label_kind(uint64_t label);

/* The label of `left` then `right`; for an operator that commutes, of their leaves sorted. */
uint64_t label_join(uint64_t left, uint64_t right, bool commutative);

/* Whether the labels are the same word, or combine the same leaves in the same order. */
bool label_same(uint64_t a, uint64_t b);

/* The tree of a combination, or of a node's word, in a run with brackets: below.  0: unknown. */
uint32_t label_brackets(uint64_t label);

/* The number of leaves of the label, 1 except for a sequence; the i-th of them. */
size_t label_leaves(uint64_t label);
struct leaf label_leaf(uint64_t label, size_t i);

/* The number of times that the leaf is in the label; the first leaf of `one` that is in it more often than in `other`,
 * false: there is none. */
size_t label_times(uint64_t label, struct leaf leaf);
bool label_surplus(uint64_t one, uint64_t other, struct leaf *leaf);

/* Append "x₁₂", with its place where that is not `index`; "x′₁₂" where it is of the first of two calls. */
void label_say_leaf(struct peal_text text, struct leaf leaf, size_t index);

/* Operators on labels: in the order of the operands; declared commutative. */
extern const struct peal_op label_op, label_op_commutative;

/* Describe the wrong value and the expected one, for a word of a vector (`index`) of node `node`:
 * "holds x₀⊕x₂⊕x₁; rank order is needed".  `combined`: the words are combinations.  Gives the kind of the finding. */
enum peal_failure_kind label_explain(uint64_t is, uint64_t should, int node, size_t index, bool combined, char *text,
                                     size_t bytes);

/* The brackets of combinations: binary trees whose leaves are nodes.  Each tree has one number in the process, so that
 * two are equal if and only if their numbers are.  The two sides of a combination are not ordered: floating-point
 * addition commutes, but is not associative.  Give the tree of a node's own word; of a combination of two.  0: unknown,
 * or out of memory. */
uint32_t bracket_leaf(int node);
uint32_t bracket_join(uint32_t a, uint32_t b);

/* The number of combinations on the longest path from the root to a leaf, which bounds the rounding error of a sum. */
int bracket_depth(uint32_t tree);

/* Write "x₀⊕(x₁⊕x₂)", ending in "…" where it does not fit. */
char *bracket_text(uint32_t tree, char *text, size_t bytes);

/* Forget all trees, and free their memory. */
void brackets_end(void);
