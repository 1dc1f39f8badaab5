/* SPDX-License-Identifier: MIT */
/* The sizes of the cases of one number of nodes. */
#pragma once

#include "lib/check/cases.h"

/* The names of sizes, unless they were given, by which verdicts list those that were run. */
extern const char *const sizes_of_vectors[], *const sizes_of_blocks[], *const sizes_of_lists[];

/* Bits of a size's names above those: unequal blocks of an algorithm; a size that was made for a precondition. */
enum { SIZES_UNEQUAL = 30, SIZES_FULFIL = 31 };

/* List the sizes, and choose those that are called in other ways than once. */
void sizes_list(struct cases *cases, const struct peal_check *check);

/* The i-th of the sizes given as expressions, for `nodes` nodes.  errors: PEAL_USAGE */
enum peal_status cases_words(const struct peal_check *check, int i, int nodes, size_t *words, struct peal_error *error);

/* Whether a block, or the vector, of a case is empty; whether its blocks are of unequal lengths. */
bool sizes_have_empty(const struct peal_check_case *where);
bool sizes_are_unequal(const struct peal_check_case *where);

/* The algorithm that is checked; NULL: a function. */
const struct peal_algorithm *sizes_algorithm(const struct peal_check *check);
