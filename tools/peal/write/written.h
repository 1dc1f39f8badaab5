/* SPDX-License-Identifier: MIT */
/* What a run, a check, an exploration or a grading has found, in the forms that other programs read: SARIF 2.1.0
 * (OASIS, 2020), of editors and forges; JUnit, of test tools. */
#pragma once

#include <peal/machine.h>
#include <stdio.h>

/* Something that was found. */
struct written_fault {
    const struct peal_fault *fault;  /* without a rule: its kind's, but for a note */
    const char *name;                /* of something of no such kind, "failed-test"; NULL */
    const char *message;             /* a longer one than the fault's, of several lines perhaps; NULL */
    const char *again;               /* SARIF: the command that shows it once more; NULL */
    const char *text;                /* JUnit: further words; NULL */
    bool passes;                     /* JUnit: the test does, although this was found */
    const struct peal_place *places; /* the first is where it is, the others are related to it; NULL: the fault's */
    int place_count;
};

/* A command's function that gives all that was found in `what` to a writer. */
typedef void (*written_take)(void *writer, const struct written_fault *one);
typedef void (*written_each)(const void *what, written_take take, void *writer);

/* Write a log in SARIF, of one run of peal.  The rules that it lists are all the kinds of failures. */
void sarif_write(FILE *out, const void *what, written_each each);

/* A suite of so many tests, so many of which fail, or could not be made. */
struct junit_suite {
    const char *name;
    bool inside; /* of a document of several, which the caller begins */
    int tests, failures, errors;
};
struct junit_test {
    const char *class; /* NULL: "peal" */
    const char *name;
    int nodes;           /* it is a run on so many; 0: not said */
    double seconds;      /* -1: not said */
    const char *skipped; /* why nothing is known; NULL */
    const char *error;   /* why it could not be made; NULL */
};

/* Begin a suite; write a test, and the failures found in it; end the suite. */
void junit_begin(FILE *out, const struct junit_suite *suite);
void junit_test(FILE *out, const struct junit_test *test, const void *what, written_each each);
void junit_end(FILE *out);
