/* SPDX-License-Identifier: MIT */
/* Questions about terms, answered by a solver: a process that reads SMT-LIB text. */
#pragma once

#include "lib/proof/term.h"
#include "lib/proof/version.h"
#include <peal/base.h>
#include <stdio.h>
#include <sys/types.h>

enum smt_answer { SMT_NO, SMT_YES, SMT_UNKNOWN };

/* How much work an answer is worth.  KNOWN: a look at cases and former answers; LITTLE: of z3 with integers alone. */
enum smt_effort { SMT_KNOWN, SMT_LITTLE, SMT_SOME, SMT_MUCH };

/* How a question is written: as integers, or as vectors of bits, where the terms have bits or the first is too hard. */
enum smt_logic { SMT_INTEGERS, SMT_BITS, SMT_LOGICS };

struct smt_process {
    pid_t id; /* 0: not started */
    int to;
    FILE *from;
    int declared; /* variables */
    bool asked;   /* there is a question, to be taken back before the next one */
};

struct smt {
    struct terms *terms;
    const char *program; /* "z3" or "cvc5" */
    bool bits;           /* rests are of many powers of two: vectors of bits are better from the beginning */
    term given;          /* what holds of all questions */
    struct smt_process process[SMT_LOGICS];
    unsigned char *tried; /* of each term: how hard an answer was looked for in vain, or that it is never true */
    size_t tried_capacity;
    int64_t (*cases)[TERM_VARIABLES];
    int64_t found[TERM_VARIABLES]; /* what makes the last term true */
    size_t case_count, case_capacity;
    int *named, assertions; /* the assertion in which each term was last named; their number */
    size_t named_capacity;
    int asked;               /* the questions that a process has answered */
    struct peal_error error; /* the solver failed: every answer is SMT_UNKNOWN from then on */
};

void smt_fini(struct smt *s);

/* Whether the truth can be true together with what is given: SMT_YES, with an example in s->found; SMT_NO, never;
 * SMT_UNKNOWN: the solver has done as much work as it may, which depends on no clock. */
enum smt_answer smt_ask(struct smt *s, term truth, enum smt_effort effort);

/* Whether the values make the truth and what is given true: then they are in s->found. */
bool smt_is_case(struct smt *s, term truth, const int64_t *values);

/* Whether a solver is installed, and its version.
 *
 *   errors   PEAL_USAGE for a name that is not known, PEAL_RESOURCES if it is missing or too old */
enum peal_status smt_find(const char *program, char version[VERSION_TEXT], struct peal_error *error);
