/* SPDX-License-Identifier: MIT */
/* Several algorithms of one collective on one machine: which of them fit, their closed forms, the costs of their
 * runs. */
#pragma once

#include "lib/base/private.h"
#include <peal/tools.h>

/* One algorithm, as it was named: "chain:16" and "chain" are two candidates. */
struct candidate {
    const struct peal_algorithm *algorithm;
    const char *name; /* borrowed */
    int parameter;    /* 0: its own choice */
    bool named;       /* named by itself, not with its whole collective */
};

/* The algorithms a command looks at: the named ones, in this order, or all in the order of the catalogue. */
struct candidates {
    enum peal_collective collective;
    struct candidate *all; /* owned */
    int count;
    const struct peal_algorithm *own; /* the function of --file, the last candidate; NULL */
};

PEAL_PRIVATE void peal_candidates_fini(struct candidates *candidates);

/* Give the words of an exercise, m of a collective of blocks or n of one of vectors, where a block (`in_blocks`) or a
 * vector has `size` words.
 *
 *   errors   PEAL_USAGE, in terms of --block and --words, when that cannot be */
PEAL_PRIVATE enum peal_status peal_size_words(enum peal_collective collective, int nodes, bool in_blocks, size_t size,
                                              size_t *words, struct peal_error *error);

/* The facts on one algorithm in one situation. */
struct trial {
    const struct peal_algorithm *algorithm;
    const char *name;   /* the candidate's */
    int parameter;      /* the parameter that it uses here; 0 when it takes none */
    char excluded[200]; /* why it does not fit, "needs a power of two ..."; "" when it does */
    bool has_form;
    bool too_large; /* its closed form is too large to be counted: it has none here */
    struct peal_cost form;
    char form_text[PEAL_CLOSED_TEXT]; /* "": there is no short one */
    const char *form_source;          /* which has this formula, or "derived here"; NULL without one */

    bool named;      /* the candidate's */
    char unfit[200]; /* why there is no room for its run; "": there was room, or it was not to be run */
    bool executed;   /* it ran, and the members below are known */
    struct peal_cost cost, critical_path;
    size_t rounds, transfers;
    uint64_t words; /* of all transfers */
    uint32_t k;     /* the largest */
    int nodes_correct;
    double seconds;
    struct peal_spread measured; /* of a run, on the engine mpi, in seconds */
    int repetitions;             /* the number of those runs; 0: nothing was measured */
    enum peal_status status;     /* not PEAL_OK: `wrong` says why */
    const char *kind;            /* of the failure or finding, "wrong-result", "excess-words", ...; NULL */
    char wrong[400];
};

/* Find out whether the algorithm fits, and evaluate its closed form. */
PEAL_PRIVATE void peal_trial_begin(struct trial *trial, const struct candidate *candidate,
                                   const struct peal_situation *situation);

/* Begin a trial of each algorithm of the catalogue that fits the situation, its parameter left out; by their closed
 * forms, the cheapest first, those without one last.
 *
 *   owner    the caller frees it; NULL without memory */
PEAL_PRIVATE struct trial *peal_trials_that_fit(const struct peal_situation *situation, int *count);

/* Run a trial that fits on a machine made from `options`; one for which there is no room is not run, or
 * its run ends without memory, and `unfit` says why.  The trial reports what is wrong with the run: wrong data,
 * a closed form that differs from the executed cost, a failure.  An algorithm that the machine refuses because it
 * bundles packets is then one that does not fit.  *engine is how nodes ran (constant).  On the engine mpi it is run
 * once more and then `repetitions` times (0: the default), which are measured.
 *
 *   errors   PEAL_USAGE, PEAL_RESOURCES when the machine, or the call on it, is impossible    */
PEAL_PRIVATE enum peal_status peal_trial_run(struct trial *trial, const struct peal_situation *situation,
                                             const struct peal_options *options, int repetitions, const char **engine,
                                             struct peal_error *error);

/* Whether there is a cost to rank it by: it fits and ran without fault, or has a closed form.  The cost. */
PEAL_PRIVATE bool peal_trial_counts(const struct trial *trial);
PEAL_PRIVATE struct peal_cost peal_trial_cost(const struct trial *trial);

/* Whether the machine's runs are measured: its nodes are processes. */
PEAL_PRIVATE bool peal_is_measured(const struct peal_options *options);

/* "124 (72.7 – 184)" in microseconds: the median, the least and the most. */
PEAL_PRIVATE char *peal_measured_text(const struct trial *trial, char text[64]);

/* Sort the cheapest first, equals in the order of the catalogue, trials without a cost last. */
PEAL_PRIVATE void peal_trials_sort(struct trial *trials, int count, struct peal_parameters parameters);

/* The exit code of the first failure; 0 without one. */
PEAL_PRIVATE int peal_trials_code(const struct trial *trials, int count);
