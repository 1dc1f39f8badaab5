/* SPDX-License-Identifier: MIT */
/* The search for preconditions with which a wrong function is right. */
#pragma once

#include "lib/base/private.h"
#include <peal/check.h>

/* Whether there is a finding that is not a warning. */
PEAL_PRIVATE bool peal_check_is_wrong(const struct peal_verdict *verdict);

/* Whether to search for one: the check suggests, the function is wrong, and no single case was asked for. */
bool precondition_tries(const struct peal_check *check, const struct peal_verdict *verdict);

/* A case in which the function is wrong, and how it was checked then. */
struct precondition_known {
    struct peal_check_case where;
    enum peal_check_element element;
    const struct peal_op *op;
    bool refuses; /* it refuses the case by itself */
};

enum { PRECONDITION_GROUPS = 6, PRECONDITION_KNOWN = 256 };

/* A search: preconditions, one at most of each group, the fewest first, that exclude every case in which the function
 * is known to be wrong. */
struct precondition_search {
    const struct peal_check *check;
    struct precondition_known known[PRECONDITION_KNOWN];
    int known_count;
    int together, next; /* preconditions at a time; the next combination */
    int chosen[PRECONDITION_GROUPS];
    char only[80];
    struct peal_check narrowed;
};

void precondition_begin(struct precondition_search *search, const struct peal_check *check,
                        const struct peal_verdict *verdict);

/* The check with the next preconditions; NULL after the last. */
const struct peal_check *precondition_next(struct precondition_search *search);

/* This check has found the function wrong in these cases. */
void precondition_learn(struct precondition_search *search, const struct peal_check *check,
                        const struct peal_verdict *verdict);

/* Write the sentence about the last preconditions, with which the function was proved for these numbers of nodes. */
void precondition_suggest(const struct precondition_search *search, const char *bound, char *text, size_t bytes);
