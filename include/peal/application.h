/* SPDX-License-Identifier: MIT */
/* Applications: whole parallel programs of the textbooks (products of matrices, stencils, sorts, ...), run on real
 * numbers, checked against a sequential result, their cost compared with the derived one. */
#ifndef PEAL_APPLICATION_H
#define PEAL_APPLICATION_H

#include <peal/collective.h>

PEAL_BEGIN

enum { PEAL_MAX_PARAMETERS = 2 };

/* A problem and its machine: everything that a requirement, the input or a closed form may depend on. */
struct peal_problem {
    size_t n;                              /* the size, as the application counts it */
    size_t parameter[PEAL_MAX_PARAMETERS]; /* in the application's order */
    uint64_t seed;                         /* decides the input */
    struct peal_situation machine;         /* nodes, network, ports, ...; collective, words, root and op are not used */
};

/* A parameter besides n: "steps", "panel". */
struct peal_parameter {
    const char *name, *meaning; /* name NULL: none */
    size_t usual, least;
};

/* A cost that need not be a whole number: the formula of a book, evaluated. */
struct peal_estimate {
    double alpha, beta;
};

/* One application: a file that fills one of these, and a line in the table.  Words are 8 bytes: doubles, or int64_t. */
struct peal_application {
    const char *name;
    const char *summary; /* one line */
    const char *size;    /* what n counts */
    size_t usual_size;
    int usual_nodes; /* 0: the default of other commands */
    struct peal_parameter parameters[PEAL_MAX_PARAMETERS];
    const char *needs; /* in words, "P = s·s"; "" for nothing */
    bool whole;        /* its results are int64_t, else double */

    /* Refuse a problem that does not fit, with one line that says what would; NULL: everything fits. */
    enum peal_status (*fits)(const struct peal_problem *problem, struct peal_error *error);
    /* Give the words of input and of result; false when there are too many to count. */
    bool (*words)(const struct peal_problem *problem, size_t *in, size_t *out);
    /* Fill the input, which depends on the problem only. */
    void (*make)(const struct peal_problem *problem, void *in);
    /* The node program.  A node reads its own part of `in`, and writes its own part of `out`. */
    void (*run)(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out);
    /* Compute the result on one processor, by another method where there is one; false without memory. */
    bool (*reference)(const struct peal_problem *problem, const void *in, void *out);
    /* The largest difference allowed between a word of the result and the reference's; NULL: none. */
    double (*bound)(const struct peal_problem *problem, const void *in, const void *expected);
    const char *compared; /* "exactly: ...", "within ...": the bound and its reason */

    /* Give the exact charge in *cost; false where it is not derived.  NULL: it depends on the data. */
    bool (*cost)(const struct peal_problem *problem, struct peal_cost *cost);
    const char *closed_form; /* as text; NULL where cost is */
    /* The value of the books' formula, and why a run differs from it. */
    struct peal_estimate (*estimate)(const struct peal_problem *problem);
    const char *formula, *differs;
    const char *operations; /* what counts as one operation, τ */
    const char *source;
};

/* The i-th application of the table, NULL after the last; the one of this name, or NULL. */
PEAL_API const struct peal_application *peal_application_get(int i);
PEAL_API const struct peal_application *peal_application_find(const char *name);

/* Set up the problem of this application with its usual size and parameters, for `machine`, whose network it uses. */
PEAL_API void peal_problem_init(struct peal_problem *problem, const struct peal_application *application,
                                const struct peal_machine *machine);

struct peal_application_outcome {
    bool has_closed_form, closed_form_equal;
    struct peal_cost closed_form;
    struct peal_estimate estimate;
    bool verified;              /* the run succeeded, and its result is the reference's */
    size_t in_words, out_words; /* of input and result */
    size_t wrong_words;         /* words of the result that differ by more than the bound */
    double difference, bound;   /* the largest difference, and the largest allowed */
    char wrong[200];            /* the first wrong word; "" */
};

/* Run the application on the machine, and compare its result with the sequential one, word by word.
 *
 *   blocks   until both are done
 *   thread   one run at a time in a process
 *   errors   PEAL_USAGE when the problem does not fit (says what would); PEAL_RESOURCES without memory;
 *            PEAL_FAILED, PEAL_TIMEOUT, PEAL_RESOURCES as the run's failure (see peal_machine_failure);
 *            PEAL_FAILED too when the result is wrong                                              */
PEAL_API enum peal_status peal_application_run(struct peal_machine *machine, const struct peal_application *application,
                                               const struct peal_problem *problem,
                                               struct peal_application_outcome *outcome, struct peal_error *error);

PEAL_END

#endif
