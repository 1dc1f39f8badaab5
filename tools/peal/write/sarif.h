/* SPDX-License-Identifier: MIT */
/* Findings in the forms that other programs read: SARIF 2.1.0 (OASIS, 2020), of editors; JUnit, of tests. */
#pragma once

#include "lib/record/json.h"
#include <peal/machine.h>

/* A result: what was found, of which kind, where. */
struct sarif_result {
    enum peal_failure_kind kind;
    const char *name;  /* of a result of no such kind, "failed-test"; NULL */
    const char *level; /* "error", "warning", "note" */
    const char *message;
    const char *rule;                /* NULL: that of the kind */
    const char *fix;                 /* NULL, "": not known */
    const struct peal_place *places; /* the first is the result's, the others are related to it */
    int place_count;
};

/* Begin a log of one run of peal, write a result, and end it.  The rules that it lists are all the kinds of failures.
 *
 *   owner    borrows out until sarif_end */
void sarif_begin(struct peal_json *json, FILE *out);
void sarif_result(struct peal_json *json, const struct sarif_result *result);
void sarif_end(struct peal_json *json);

/* Begin a suite of one test, the run of a program on so many nodes, which may have failures; end it. */
void junit_begin(FILE *out, const char *suite, const char *program, int nodes, double seconds, bool fails);
void junit_end(FILE *out);

/* Write a failure of a test, with `text` (NULL: "") in it. */
void junit_failure(FILE *out, enum peal_failure_kind kind, const char *message, const char *text);
