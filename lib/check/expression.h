/* SPDX-License-Identifier: MIT */
/* The expressions and conditions of options: of the numbers of a case. */
#pragma once

#include "lib/base/private.h"
#include <peal/check.h>

/* Compute an expression of whole numbers, P, m, n, q, + - * / % ^, ( ), min, max, ceil, floor, log2, sqrt.
 *
 *   errors   PEAL_USAGE, with the place of the mistake                                                  */
struct peal_check_values {
    double P, m, n, q;
};
PEAL_PRIVATE struct peal_check_values peal_check_values_on(int nodes, double m,
                                                           double n); /* q: the least with 2^q >= P */
PEAL_PRIVATE enum peal_status peal_check_expression(const char *text, struct peal_check_values values, double *value,
                                                    struct peal_error *error);

/* Compare a number with the limit that an expression gives, *most; if it is above that, `text` is "the limit P-1 is 3",
 * or "the limit is 3" where the expression is the number.  errors: as peal_check_expression */
PEAL_PRIVATE enum peal_status peal_check_limit(const char *expression, struct peal_check_values values, int64_t is,
                                               double *most, bool *above, char text[200], struct peal_error *error);

/* Evaluate comparisons of two such expressions each, by = < > <= >= !=, with commas between them: "P = 2^q, n >= P".
 * *holds: all do.
 *
 *   errors   PEAL_USAGE, with the place of the mistake                                                  */
enum peal_status check_condition(const char *text, struct peal_check_values values, bool *holds,
                                 struct peal_error *error);

/* The names of the ways to call and of elements, from that of int on, as the options have them. */
PEAL_PRIVATE extern const char *const peal_check_call_names[PEAL_CALLS + 2];

/* Write the words of a set of ways to call, the first word if it is empty, with `between` between them. */
PEAL_PRIVATE char *peal_check_call_text(unsigned call, const char *const words[], const char *between, char *text,
                                        size_t bytes);

PEAL_PRIVATE extern const char *const peal_check_element_names[PEAL_ELEMENTS];

/* The values of a case; whether it fulfils the preconditions of the check. */
PEAL_PRIVATE struct peal_check_values peal_check_values_of(enum peal_collective collective,
                                                           const struct peal_check_case *where);
bool peal_check_asks_for(const struct peal_check *check, const struct peal_check_case *where);
