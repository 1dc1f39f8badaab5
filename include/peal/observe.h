/* SPDX-License-Identifier: MIT */
/* What tools need of a machine besides <peal/machine.h>: a run observed while it goes on, what it took of the host, its nodes
 * in several processes. */
#ifndef PEAL_OBSERVE_H
#define PEAL_OBSERVE_H

#include <peal/machine.h>

PEAL_BEGIN

/* ------------------------------------------------------------------ while it goes on */

/* How far a run has come: what was so between two rounds. */
struct peal_progress {
    uint64_t run; /* which of the machine's runs: 1, 2, ...; 0: none has begun */
    bool running; /* it has not ended */
    int nodes;
    int finished;          /* nodes that have ended */
    uint64_t rounds;       /* made, with those that carried nothing */
    struct peal_cost cost; /* charged: the model's clock */
    uint64_t copied_words;
    double seconds; /* since the run began, when this was so */
};

/* Who looks on.  show and hide are never called at the same time. */
struct peal_observer {
    double seconds; /* between two calls of show, and two snapshots; 0: as often as can be */
    /* Tell how far the run has come; called on a thread of the machine's while a run goes on.  NULL: only
     * peal_machine_progress is wanted. */
    void (*show)(const struct peal_progress *progress, void *arg);
    /* Take away what show has put on the screen; called before nodes' text is printed and when a run ends.  Or NULL. */
    void (*hide)(void *arg);
    void *arg; /* of both */
};

/* Have the machine's runs observed from the next one on; NULL: no longer.  Without an observer nothing is noted.
 *
 *   owner    borrows observer until it returns, what observer->arg points to until the machine is destroyed
 *   thread   not during a run
 *   errors   PEAL_USAGE unless 0 <= seconds < 1e9; PEAL_RESOURCES without memory             */
PEAL_API enum peal_status peal_machine_observe(struct peal_machine *machine, const struct peal_observer *observer,
                                               struct peal_error *error);

/* Write into *progress the last snapshot of the machine's run.  A snapshot is one moment's; of two calls the later gives
 * the same or a later moment.  After peal_run has returned it is the end of that run.  False when nobody observes.
 *
 *   blocks   never; nor does it hold up the nodes
 *   thread   any, at any time between peal_machine_observe and the destruction of the machine */
PEAL_API bool peal_machine_progress(const struct peal_machine *machine, struct peal_progress *progress);

/* ------------------------------------------------------------------ the host */

/* What the run took of the host. */
struct peal_host {
    double seconds;        /* from the first node's start to the last one's end */
    uint64_t peak_bytes;   /* the process's largest resident size so far */
    uint64_t copied_words; /* words copied from a sender's buffer to a receiver's */
    uint64_t copies;       /* pieces copied */
    uint64_t rounds;       /* rounds made, with those that carried nothing */
    int carriers;          /* the most that were used */
};
PEAL_API struct peal_host peal_machine_host(const struct peal_machine *machine);

/* How long something took, in seconds, over several runs. */
struct peal_spread {
    double median, minimum, maximum;
};

/* What the machine's runs took by the clock, where every node is a process: from when all began to the end of the last one,
 * and each round of the schedule by itself, from the last wait for a message that the rounds before it let go to the last it
 * let go; waits for what was sent are not timed. */
struct peal_measured {
    int repetitions; /* runs of as many rounds; the first of several is left out, since MPI then connects the processes */
    size_t rounds;   /* as many as the schedule has */
    struct peal_spread whole;
    const struct peal_spread *round;
};

/* NULL: nothing was measured (threads and fibers, processes but node 0's).  owner: the machine, until its next run */
PEAL_API const struct peal_measured *peal_machine_measured(const struct peal_machine *machine);

/* How many threads the system allows this process (a machine of threads has one a node), and in *name, unless name is
 * NULL, which of the system's limits says so; -1 when none was found. */
PEAL_API long peal_threads_allowed(const char **name);

/* ------------------------------------------------------------------ nodes in several processes */

/* Say that the nodes of the next run write into `memory`, which lies behind arg and holds the same bytes in every process
 * of the machine, and that the caller reads it when the run has ended well.  In one process that needs nothing; on the
 * engine mpi the words that each node wrote are brought together in all processes.  Holds for one run.
 *
 *   owner    borrows memory until peal_run returns
 *   errors   PEAL_RESOURCES without memory                                                  */
PEAL_API enum peal_status peal_machine_share(struct peal_machine *machine, void *memory, size_t bytes,
                                             struct peal_error *error);

/* How many processes the machine's nodes are: 1, or on the engine mpi as many as nodes.  Whether they all run on one host,
 * with one clock. */
PEAL_API int peal_machine_processes(const struct peal_machine *machine);
PEAL_API bool peal_machine_has_one_clock(const struct peal_machine *machine);

PEAL_END

#endif
