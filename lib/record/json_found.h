/* SPDX-License-Identifier: MIT */
/* What a run, a check, an exploration, a schedule or a grading found, as the writers take it: JSON here; text, SARIF
 * 2.1.0 and JUnit in the command's folder `write`. */
#pragma once

#include "lib/record/json.h"

/* Something that was found. */
struct peal_found {
    const struct peal_fault *fault;  /* if it has no rule, that of its kind, except for a note */
    const char *name;                /* for something without a kind of failure, "failed-test"; NULL */
    const char *message;             /* longer than the fault's, perhaps of several lines; NULL */
    const char *again;               /* the command that shows it again; NULL */
    const char *text;                /* JUnit: further words; NULL */
    bool passes;                     /* JUnit: the test passes although this was found */
    const struct peal_place *places; /* the first is where it is, the others are related to it; NULL: the fault's */
    int place_count;
    const int *cycle; /* as in struct peal_failure */
    int cycle_length;
    const char *rule; /* in a text: the rule it breaks; NULL: it is not named */
};

/* A finding of a run. */
static inline struct peal_found
peal_found_in_run(const struct peal_run_finding *finding)
{
    return (struct peal_found){.fault = &finding->fault,
                               .passes = finding->severity == PEAL_SEVERITY_NOTE,
                               .places = finding->places,
                               .place_count = finding->place_count,
                               .cycle = finding->cycle,
                               .cycle_length = finding->cycle_length,
                               .rule = finding->rule};
}

/* What ended a run; with `ruled` the text has the rule that it breaks. */
static inline struct peal_found
peal_found_at_end(const struct peal_failure *failure, bool ruled)
{
    return (struct peal_found){.fault = &failure->fault,
                               .cycle = failure->cycle,
                               .cycle_length = failure->cycle_length,
                               .rule = ruled ? peal_fault_rule(&failure->fault) : NULL};
}

/* Members of a document. */
enum peal_found_members {
    PEAL_FOUND_KIND = 1, /* and "severity" */
    PEAL_FOUND_MESSAGE = 2,
    PEAL_FOUND_PLACE = 4, /* "file" and "line" */
    PEAL_FOUND_PLACES = 8,
    PEAL_FOUND_CYCLE = 16,
    PEAL_FOUND_RULE = 32,
    PEAL_FOUND_FIX = 64
};

/* Write these members of it, in that order, to an object that the caller opens and closes: programs may rely on the
 * order of a document's members. */
PEAL_PRIVATE void peal_json_found(struct peal_json *json, const struct peal_found *one, unsigned members);
