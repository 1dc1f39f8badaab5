/* SPDX-License-Identifier: MIT */
/* What was found (lib/record/json_found.h), in three forms: text, for people; SARIF 2.1.0 (OASIS, 2020), for editors
 * and forges; JUnit, for test tools. */
#pragma once

#include "lib/record/json_found.h"

/* A command's function that gives all that was found in `what` to a writer. */
typedef void (*written_take)(void *writer, const struct peal_found *one);
typedef void (*written_each)(const void *what, written_take take, void *writer);

/* How texts begin, and name what follows below. */
enum text_shape {
    TEXT_PLACED,   /* as compilers do: "prog.c:12: finding: kind: message"; "  fix    ..." */
    TEXT_ENDED,    /* what ended a run: "peal: kind: message (prog.c:12)"; the same */
    TEXT_INDENTED, /* of a check: "  warning: kind: prog.c:12: message"; "  fix: ..." */
    TEXT_LABELLED, /* of a schedule: "wrong           kind: message" */
};

/* Print what was found for people: the message, other places, the cycle, the rule that is broken, how the program is
 * corrected. */
void text_write(FILE *out, enum text_shape shape, const struct peal_found *one);

/* Print only what comes after the message; one more text of this name, nothing if it is NULL or "". */
void text_rest(FILE *out, enum text_shape shape, const struct peal_found *one);
void text_more(FILE *out, enum text_shape shape, const char *name, const char *text);

/* Print what ended a run; `ruled`: with the rule that it breaks. */
void text_failure(FILE *out, const struct peal_failure *failure, bool ruled);

/* Write the message, and the place unless the message names it. */
enum { TEXT_MESSAGE = sizeof((struct peal_fault *)0)->message + 600 };
const char *text_message(const struct peal_fault *fault, char text[TEXT_MESSAGE]);

/* Write a log in SARIF, of one run of peal.  The rules that it lists are all the kinds of failures.  Define a
 * document_writer of it. */
enum peal_status sarif_write(FILE *out, const void *what, written_each each);
#define SARIF_WRITER(name, each)                                                                                       \
    enum peal_status name(FILE *out, const void *what, struct peal_error *error)                                       \
    {                                                                                                                  \
        (void)error;                                                                                                   \
        return sarif_write(out, what, each);                                                                           \
    }

/* A suite: how many tests it has, and how many of them fail, or could not be made. */
struct junit_suite {
    const char *name;
    bool inside; /* one of several in a document, between junit_all_begin and junit_all_end */
    int tests, failures, errors;
};
struct junit_test {
    const char *class; /* NULL: "peal" */
    const char *name;
    int nodes;           /* it is a run on this many nodes; 0: not given */
    double seconds;      /* -1: not said */
    const char *skipped; /* why nothing is known; NULL */
    const char *error;   /* why it could not be made; NULL */
    const char *output;  /* what else is said of it; NULL */
};

/* Begin and end a document of several suites. */
void junit_all_begin(FILE *out, const char *name);
void junit_all_end(FILE *out);

/* Begin a suite; write a test, and the failures found in it; end the suite. */
void junit_begin(FILE *out, const struct junit_suite *suite);
void junit_test(FILE *out, const struct junit_test *test, const void *what, written_each each);
void junit_end(FILE *out);

/* Write a suite of one test. */
void junit_alone(FILE *out, const char *suite, const struct junit_test *test, bool fails, const void *what,
                 written_each each);
