/* SPDX-License-Identifier: MIT */
/* All orders of arrival of an MPI program: each run in a child process; outcomes, and the orders that show them. */
#pragma once

#include "lib/check/numbers.h"
#include "lib/check/orders.h"
#include "lib/check/printed.h"
#include "lib/child/child.h"
#include <peal/program.h>

enum { MAX_OUTCOMES = 64, MAX_OUTCOME_PLACES = 8, MAX_ORDERS_KEPT = 200, DEFAULT_RUNS = 10000 };

/* What is explored. */
struct exploration_request {
    struct peal_program_file *file;     /* the program, loaded for as many nodes or more */
    const struct peal_options *machine; /* of its runs, except for the nodes; timeout_seconds is each run's, 0: 10 */
    int nodes, jobs;                    /* jobs: runs at a time; 0: one per core */
    int out;                            /* where the program's output of the first run goes; -1: nowhere */
    double until;                       /* no runs are begun after this time of seconds_now; 0: no limit */
    size_t max_runs;                    /* 0: DEFAULT_RUNS */
    const int *choices;                 /* only this order, a list of choices; NULL: all */
    size_t choice_count;
    const char *max_rounds, *max_words; /* limits of a run: expressions in P; NULL: none */
};

/* A place in what a child reports. */
struct spot {
    int rank, line;
    char file[512]; /* "": unknown */
};

/* A fault of a run: the one that ended it, an error; or a finding. */
struct outcome {
    PEAL_EMBED(peal_fault, fault, PEAL_FAULT);
    int code; /* the exit code of a run without a failure; 0 */
    struct spot places[MAX_OUTCOME_PLACES];
    int place_count;
    char error_output[500]; /* the end of standard error, if it was kept; "" */
};

/* The choices of an order. */
struct order_choices {
    uint64_t number; /* of the order; 0: the run without --choices */
    int *list;
    size_t count;
};

/* An outcome in all the runs. */
struct explored_outcome {
    struct outcome outcome;
    uint64_t times;                  /* orders it was in */
    uint64_t first;                  /* the number of the first one; 0: only the usual run */
    bool depends;                    /* it depends on the order: the program also ends well */
    struct order_choices shown;      /* an order that shows it */
    struct peal_order_choice choice; /* the choice in it without which the program ends well; line 0: unknown */
    struct peal_run_finding told;    /* with what it depends on; the first place is that of the choice */
    struct peal_place places[MAX_OUTCOME_PLACES + 1];
    struct order_choices *orders; /* the first MAX_ORDERS_KEPT that show it, by number */
    size_t order_count;
};

/* Two of a program's outputs: that of the first order, and that of the first one after it with another. */
struct output_pair {
    struct printed_difference difference;
    struct order_choices order;      /* of the other; number 0: there is none */
    struct peal_order_choice choice; /* that it differs in from an order with the first output; line 0: unknown */
};

struct exploration {
    int nodes;
    struct peal_orders_sum sum;
    bool chose;          /* there was a choice */
    bool strays;         /* the program behaved differently in two runs of the same order */
    bool time_dependent; /* nodes asked for the time, or cancelled: not all answers were tried */
    bool interrupted;
    bool late;               /* several runs did not end in time: no more were made */
    bool over;               /* the time of all runs was over: no more were made */
    enum number_end number;  /* what the usual run shows about the number of nodes */
    char said[200];          /* and the program's last words there, if it refused the number */
    int code;                /* the exit code of the usual run */
    size_t outputs;          /* different outputs of the program, among the runs that ended well */
    struct output_pair pair; /* two of them */
    double seconds;
    struct explored_outcome list[MAX_OUTCOMES];
    size_t count;
    bool more; /* there were more outcomes */
};

/* Explore a program: first the usual run, without choices, then every order, `jobs` at a time, until `until`.
 *
 *   owner    peal_exploration_fini frees, also after an error
 *   blocks   until all runs are over
 *   errors   PEAL_RESOURCES; PEAL_USAGE if the choices do not fit                                   */
PEAL_PRIVATE enum peal_status peal_explore(struct exploration *all, const struct exploration_request *request,
                                           struct peal_error *error);
PEAL_PRIVATE void peal_exploration_fini(struct exploration *all);

/* Whether something is wrong: a run failed, or with --strict there was a finding. */
PEAL_PRIVATE bool peal_exploration_is_wrong(const struct exploration *all, bool strict);

/* Explore every order of arrival of check->loaded on each number of nodes, `at_once` runs at a time.
 *
 *   blocks   until all runs are over
 *   errors   as of peal_explore */
enum peal_status check_orders(const struct peal_check *check, int at_once, struct peal_verdict *verdict,
                              struct peal_error *error);

/* ------------------------------------------------------------------ within lib/check */

enum { MAX_FOUND = 24 };

/* What a child reports of its run, in memory that it shares. */
struct run_report {
    _Atomic bool ended;
    bool refused; /* the machine could not be made */
    int code;
    enum number_end number;
    struct outcome found[MAX_FOUND];
    _Atomic int count;
    struct peal_error error;
};

/* A child that makes a run. */
struct explore_child {
    struct child child;
    const struct explore_setup *setup;
    int output;       /* what the program printed */
    int error_output; /* its standard error, where that is not shown */
    bool killed;
    bool watched;              /* watched by a supervisor, which reports the run where the process cannot */
    struct peal_order *order;  /* NULL: the usual run */
    struct peal_orders *again; /* to run the order once more, watched; NULL */
    struct run_report *report;
};

/* Find the outcome among all, or add it, and return its number; -1: there are too many. */
int outcomes_join(struct exploration *all, const struct outcome *outcome);

/* Keep the choices of a run among the first that show an outcome, which come in any order; false without memory. */
bool outcome_keep_order(struct explored_outcome *one, const struct peal_order_run *run);

/* The choices of the order of this number, if they were kept; NULL. */
const struct order_choices *outcome_order(const struct explored_outcome *one, uint64_t number);

/* Sort all by their first orders, and complete their texts. */
void outcomes_report(struct exploration *all);

/* What all runs of an exploration have in common. */
struct explore_setup {
    const struct exploration_request *request;
    int input;      /* the source of standard input; -1: none */
    double seconds; /* of one run */
};

/* Start the run of an order in a child; or the usual one, which is watched.
 *
 *   errors   PEAL_RESOURCES when there is no pipe or no process      */
enum peal_status explore_child_begin(const struct explore_setup *setup, struct explore_child *place,
                                     struct peal_order *order, struct peal_error *error);

/* Wait for the end of a child; if it could not report, its outcome says why.  False: the same run has begun again,
 * watched, to find out where it ended. */
bool explore_child_end(const struct explore_setup *setup, struct explore_child *place);
