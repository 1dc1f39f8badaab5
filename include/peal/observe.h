/* SPDX-License-Identifier: MIT */
/* A machine's runs, for tools, besides <peal/machine.h>: progress during a run, use of the host, nodes in several
 * processes. */
#ifndef PEAL_OBSERVE_H
#define PEAL_OBSERVE_H

#include <peal/machine.h>

PEAL_BEGIN

/* ------------------------------------------------------------------ progress */

/* The progress of a run: its state between two rounds. */
struct peal_progress {
    uint64_t run; /* which of the machine's runs: 1, 2, ...; 0: none has begun */
    bool running; /* it has not ended */
    int nodes;
    int finished;          /* nodes that have ended */
    uint64_t rounds;       /* made, those that carried nothing included */
    struct peal_cost cost; /* charged: the model's clock */
    uint64_t copied_words;
    double seconds; /* from the run's start to this state */
};

/* An observer of runs.  show and hide are never called at the same time. */
struct peal_observer {
    double seconds; /* between two calls of show, and two snapshots; 0: as often as possible */
    /* Show the progress; called on a thread of the machine during a run.  NULL: only peal_machine_progress is used. */
    void (*show)(const struct peal_progress *progress, void *arg);
    /* Remove what show put on the screen; called before nodes' text is printed and when a run ends.  Or NULL. */
    void (*hide)(void *arg);
    void *arg; /* of both */
};

/* Observe the machine's runs from the next one on; NULL: no longer.  Without an observer no snapshots are made.
 *
 *   owner    borrows observer until it returns, what observer->arg points to until the machine is destroyed
 *   thread   not during a run
 *   errors   PEAL_USAGE unless 0 <= seconds < 1e9; PEAL_RESOURCES without memory             */
PEAL_API enum peal_status peal_machine_observe(struct peal_machine *machine, const struct peal_observer *observer,
                                               struct peal_error *error);

/* Write into *progress the last snapshot of the machine's run.  A snapshot is of one moment; a later call gives
 * the same or a later moment.  After peal_run has returned it is the end of that run.  False without an observer.
 *
 *   blocks   never, and never delays the nodes
 *   thread   any, at any time between peal_machine_observe and the destruction of the machine */
PEAL_API bool peal_machine_progress(const struct peal_machine *machine, struct peal_progress *progress);

/* ------------------------------------------------------------------ calls */

/* A call of the program that posted messages. */
struct peal_caller {
    const char *call;      /* its name where calls have names (peal_call_names): "MPI_Send"; else NULL */
    const char *algorithm; /* that a named collective took: "binomial", "chain:16"; else NULL */
    const char *file;
    int line;             /* 0: unknown */
    const char *function; /* in which it lies; NULL: not known, or of a document */
};

/* The calls that posted the transfers of a schedule. */
struct peal_callers {
    size_t count;
    const struct peal_caller *callers; /* number n, from 1, is callers[n - 1] */
};

/* A collective that a group of nodes called, and that sent messages. */
struct peal_collective_call {
    const char *collective, *algorithm; /* "allreduce", "chain:16" */
    size_t words;                       /* of the vector, or of a block, of `scale` of the machine's words each */
    uint32_t scale;
    int root, by;
    bool unequal;       /* blocks of lengths of their own, which are not kept */
    bool ordered;       /* the operator does not commute */
    int nodes;          /* of the group */
    const int *members; /* their ranks in the machine; NULL: all, in their order */
    size_t first, last; /* the rounds of its first message and of its last one, from 0 on */
};

struct peal_collective_calls {
    size_t count;
    const struct peal_collective_call *calls; /* by `first`, then by the first member */
};

/* ------------------------------------------------------------------ the host */

/* The run's use of the host. */
struct peal_host {
    double seconds;        /* from the first node's start to the last one's end */
    uint64_t peak_bytes;   /* the process's largest resident size so far */
    uint64_t copied_words; /* words copied from a sender's buffer to a receiver's */
    uint64_t copies;       /* pieces copied */
    uint64_t rounds;       /* rounds made, those that carried nothing included */
    int carriers;          /* the most that were used */
};
PEAL_API struct peal_host peal_machine_host(const struct peal_machine *machine);

/* Measured seconds, over several runs. */
struct peal_spread {
    double median, minimum, maximum;
};

/* The machine's runs measured by the clock, where every node is a process: from the common start to the last node's
 * end, and each round of the schedule, from the last wait for a message that earlier rounds released to the last that
 * it released itself.  Waits for sends are not measured. */
struct peal_measured {
    /* runs of the same number of rounds, without the first of several, in which MPI connects the processes */
    int repetitions;
    size_t rounds; /* of the schedule */
    struct peal_spread whole;
    const struct peal_spread *round;
};

/* NULL: nothing was measured (threads, fibers, processes except node 0's).  owner: the machine, until its next run */
PEAL_API const struct peal_measured *peal_machine_measured(const struct peal_machine *machine);

/* Whether this build has the engine fibers. */
PEAL_API bool peal_fibers_built(void);

/* ------------------------------------------------------------------ nodes in several processes */

/* Declare that the nodes of the next run write into `memory`, which they find through arg and which has the same
 * contents in every process of the machine, and that the caller reads it after a successful run.  On the engine mpi the
 * words that each node wrote are then brought together in all processes; elsewhere nothing is done.  For one run.
 *
 *   owner    borrows memory until peal_run returns
 *   errors   PEAL_RESOURCES without memory                                                  */
PEAL_API enum peal_status peal_machine_share(struct peal_machine *machine, void *memory, size_t bytes,
                                             struct peal_error *error);

PEAL_END

#endif
