/* SPDX-License-Identifier: MIT */
/* Several algorithms of one collective on one machine: which fit, what their closed forms say, what their runs cost. */
#ifndef PEAL_TRIAL_H
#define PEAL_TRIAL_H

#include "options.h"
#include <peal/tools.h>

/* One algorithm, as it was named: "chain:16" is another entrant than "chain". */
struct entrant {
    const struct peal_algorithm *algorithm;
    const char *name; /* borrowed */
    int parameter;    /* 0: its own choice */
};

/* The algorithms a command looks at: those named, in this order, or all in the catalogue's. */
struct field {
    enum peal_collective collective;
    struct entrant *entrants; /* owned by the field */
    int count;
    const struct peal_algorithm *own; /* the function of --file, the last entrant; NULL */
};

/* Find the collective and the algorithms that the arguments name: COLLECTIVE for all, or COLLECTIVE/ALGORITHM...; then the
 * function of --file.
 *
 *   owner    the caller gives it back with field_fini, also after an error
 *   errors   PEAL_USAGE when there is no such algorithm, or they are of several collectives      */
enum peal_status field_find(struct field *field, const struct request *request, struct peal_error *error);
void field_fini(struct field *field);

/* Find what a collective is called with on this machine: `network` is borrowed, `words` are m or n.  errors: as of
 * peal_exercise_situation */
enum peal_status situation_find(const struct request *request, enum peal_collective collective,
                                const struct peal_network *network, size_t words, struct peal_situation *situation,
                                struct peal_error *error);

/* The engine to run on when none was named: fibers for many nodes, which they switch several times as fast, where this
 * build has them; else what "auto" picks. */
const char *usual_engine(const struct peal_options *options);

/* What is known of one algorithm in one situation. */
struct trial {
    const struct peal_algorithm *algorithm;
    const char *name; /* the entrant's */
    int parameter;    /* what it works with here; 0 when it takes none */
    char unfit[200];  /* why it does not fit, "needs a power of two ..."; "" when it does */
    bool has_form;
    bool too_large; /* its closed form, to be counted: it has none here */
    struct peal_cost form;

    bool executed; /* it ran, and what follows is known */
    struct peal_cost cost, critical_path;
    size_t rounds, transfers;
    uint64_t words; /* of all transfers */
    uint32_t k;     /* the largest */
    int nodes_correct;
    double seconds;
    struct peal_spread measured; /* of a run, on the engine mpi, in seconds */
    int repetitions;             /* how many runs that is of; 0: nothing was measured */
    enum peal_status status;     /* not PEAL_OK: what `wrong` says */
    const char *kind;            /* of what went wrong, "wrong-result", "excess-words", ...; NULL */
    char wrong[400];
};

/* Find out whether the algorithm fits, and what its closed form says. */
void trial_begin(struct trial *trial, const struct entrant *entrant, const struct peal_situation *situation);

/* Run a trial that fits on a machine made from `options`.  What is wrong with the run stands in the trial: wrong data,
 * a closed form that is not what was executed, a failure.  An algorithm that the machine refuses because it bundles
 * packets becomes one that does not fit.  *engine is what a node was (constant).  On the engine mpi it is run once more
 * and then `repetitions` times (0: as is usual), which are measured.
 *
 *   errors   PEAL_USAGE, PEAL_RESOURCES when there is no such machine, or no such call on it    */
enum peal_status trial_run(struct trial *trial, const struct peal_situation *situation,
                           const struct peal_options *options, int repetitions, const char **engine,
                           struct peal_error *error);

/* Whether there is a cost to rank it by: it fits and ran well, or has a closed form.  The cost. */
bool trial_counts(const struct trial *trial);
struct peal_cost trial_cost(const struct trial *trial);

/* Whether the machine's runs are measured: its nodes are processes. */
bool is_measured(const struct peal_options *options);

/* "124 (72.7 – 184)" in microseconds: the median, the least and the most. */
char *measured_text(const struct trial *trial, char text[64]);

/* Sort so that the cheapest comes first, equals as the catalogue has them; those that count for nothing last. */
void trials_sort(struct trial *trials, int count, struct peal_parameters parameters);

/* The exit code for what went wrong: the first one's, 0 when nothing did. */
int trials_code(const struct trial *trials, int count);

#endif
