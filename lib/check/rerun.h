/* SPDX-License-Identifier: MIT */
/* The state of a check's child process (prover.c), and further runs of a case besides the checked ones. */
#pragma once

#include "lib/check/excess.h"
#include "lib/check/explore.h"
#include "lib/check/found.h"
#include "lib/check/identical.h"
#include "lib/check/runner.h"

enum { FEW_RUNS = 100 }; /* of a case that is known to be wrong */

/* A machine is kept for each (network, ports, delivery). */
enum { MACHINES = MAX_NETWORKS * MAX_PORTS * DELIVERIES };

/* The lengths of a case's messages, in all its runs. */
struct traffic {
    struct round_listener listener;
    uint64_t least, longest; /* words; UINT64_MAX and 0 without messages */
    size_t index;            /* of the case */
    int parameter;           /* the algorithm's, there */
    bool well;               /* the case fits, and nothing is wrong in it */
};

struct prover {
    const struct peal_check *check;
    struct proof_progress *progress;
    struct check_reporter reporter;
    struct runner runner;
    struct peal_machine *machines[MACHINES];
    struct explorer explorer;
    struct identical identical;
    struct alike alike;
    struct traffic traffic; /* of the case that was run last */
    struct called_way way;  /* how the function is called */
    uint64_t called_runs;   /* with this many nodes, in this way, if that is not `once` */
    bool chose;             /* a receive from any source had a choice */
    uint64_t most;          /* runs that explore choices, until those of these nodes are over */
    double until;           /* their time; 0: no limit */
    bool out_of_runs, out_of_time;
    bool refused, silent; /* of a program with this many nodes: it ended itself; it sent nothing */
    bool past_arrays;     /* sizes for arrays of fixed length were tried */
    bool below;           /* sizes between those of the cases, or around comparisons, are tried */
    bool never_in_place;  /* the buffer is a std::vector, which MPI_IN_PLACE is not */
    bool simpler;         /* a case that was wrong is tried with fewer ways of calling */
    struct prover_end end;
};

/* The place of the kept machine for this case: NULL there means that it must be made. */
struct peal_machine **prover_machine(struct prover *prover, size_t index, const struct cases *cases);

/* Make all runs of one case, with all choices; return whether all ended well.  `extra`: on a network, or charged in a
 * way, that was not asked for. */
bool prover_explore(struct prover *prover, const struct cases *cases, const struct peal_check_case *c,
                    struct peal_machine *machine, bool extra);

/* Run the case on the machine; false, with the finding filled, when something is wrong. */
bool prover_once(struct prover *prover, struct peal_machine *machine, const struct peal_check_case *c,
                 struct peal_finding *finding);

/* Make runs of the case in few orders of arrival, whatever the check's options, as long as they end well, or as long as
 * they do not; return whether the last one did.  A run that only begins others counts as neither. */
bool rerun_while(struct prover *prover, const struct peal_check_case *c, bool well);

/* Whether only buffers are missing: with them the run ends without deadlock, in every order of arrival. */
bool rerun_buffered(struct prover *prover, const struct peal_check_case *c);

/* For a case in one order alone: the program's output in another order, to compare with. */
void rerun_in_another_order(struct prover *prover, const struct peal_check_case *c);

/* Report which message brought the wrong word. */
void rerun_for_message(struct prover *prover, const struct peal_check_case *c, struct peal_finding *finding);

/* Find the line that wrote to an input, which is const. */
void rerun_for_store(struct prover *prover, const struct peal_check_case *c, struct peal_finding *finding);

/* Report, for a run with more rounds or words than `most`, which node sends or receives most. */
void rerun_for_busiest(struct prover *prover, const struct peal_check_case *c, int64_t most,
                       struct peal_finding *finding);

/* faults.c: note in the finding which choices the run made. */
void prover_keep_choices(const struct prover *prover, struct peal_finding *finding);

/* Check the run's charge.  `extra`: on a network, or charged in a way, that was not asked for. */
void prover_check_limits(struct prover *prover, const struct peal_machine *machine, const struct peal_check_case *c,
                         bool extra);

/* Kinds of failure that concern the final words, not how they were sent. */
bool fault_is_of_words(enum peal_failure_kind kind);

/* Report that a run failed; or that its words were wrong, `right`: and right in another run of the same case; or that
 * the explorer cannot go on, which ends the process. */
void prover_report_failure(struct prover *prover, const struct peal_check_case *c, struct peal_finding *finding);
void prover_report_wrong(struct prover *prover, const struct peal_check_case *c, struct peal_finding *finding,
                         bool right);
_Noreturn void prover_report_obstacle(const struct prover *prover);

/* breakpoints.c: run sizes on both sides of the values that a user's function compares a size with, after all cases of
 * a number of nodes; sizes for which the arrays of fixed length that it reaches are too short, each once in a check;
 * and a case of more words than labels have room for, on lengths alone, after everything else. */
void breakpoint_run(struct prover *prover, const struct cases *cases);
void breakpoint_arrays(struct prover *prover, const struct cases *cases);
void breakpoint_far(struct prover *prover);
