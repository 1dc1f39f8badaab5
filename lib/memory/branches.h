/* SPDX-License-Identifier: MIT */
/* The code of a function that its runs reached, and the sizes at which it may branch differently.
 *
 * A user's function is compiled so that each basic block calls __sanitizer_cov_trace_pc, and each comparison
 * __sanitizer_cov_trace_cmp8 or its like with both sides (lib/program/instrument.h).  Where their difference grows with
 * the words of the case, two cases give the size at which it is zero, and the next cases can lie around it.
 *
 *   thread   one carrier: one node runs at a time */
#pragma once

#include <stddef.h>

/* Forget the comparisons, since another number of nodes follows.  A case with `words` words begins. */
void branches_forget(void);
void branches_case(size_t words);
/* The check is over. */
void branches_end(void);

/* A size at which the result of a comparison may change. */
struct branch_size {
    size_t words;
    int line; /* of the comparison; 0: unknown, or not in the file of that name */
};

/* List the sizes, ascending, at which the two sides of a comparison are equal or differ by the effect of one word,
 * judging by its values in the cases so far: at most `most` of them, with the lines of those in the file
 * `of`.  Gives their number. */
int branches_sizes(const char *of, struct branch_size *sizes, int most);

/* List the sizes for which an array of fixed length is too short, ascending, in words of `word_bytes` bytes: one
 * element more than it has, or one word more than its bytes hold.  For arrays of file scope, and of functions that runs
 * entered. */
int branches_arrays(size_t word_bytes, struct branch_size *sizes, int most);

/* Write the lines of code in the file that no run reached, "12, 14..21", in functions that runs entered and those that
 * these call; "": none, or unknown: without debugging information, and on processors other than x86-64. */
void branches_unreached(const char *file, char *text, size_t bytes);
