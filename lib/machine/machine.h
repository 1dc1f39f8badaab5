/* SPDX-License-Identifier: MIT */
/* The machine from inside; a header of this room declares what the C file of its name has.  This is the only layer with
 * threads.
 *
 * Between two rounds (a phase) every carrier runs its nodes one after another, in rank order, each until it parks.  The
 * last carrier to empty its list makes the round: in that time every node is parked, and the maker of the round owns
 * everything.  The hand-over is machine->phase.running: each carrier's decrement publishes its nodes' writes, and the
 * last decrement acquires all of them; carrier_start publishes the round's writes to the carriers. */
#pragma once

#include "lib/machine/group.h"
#include "lib/machine/nodes.h"
#include "lib/round/round.h"
#include <peal/observe.h>
#include <pthread.h>
#include <sched.h>

/* A phase, and the carriers that run it. */
struct machine_phase {
    struct carrier *carriers;
    struct node *(*end_list)(struct carrier *carrier); /* carrier_end, for nodes that park */
    int carrier_count;                                 /* in all */
    _Atomic int running;                               /* carriers not yet at the end of their lists */
    int32_t *runnable;                                 /* by rank */
    int32_t *splitting;                                /* of the nodes that ran, those in peal_split */
    size_t runnable_count;
    uint64_t *marks; /* a bit a node, for sorting the released */
    int unfinished;
    int idle_rounds;         /* rounds in a row that carried nothing and released only nodes that test or rest */
    int slept_rounds;        /* those of them in which a node slept, since the last one that was counted */
    _Atomic uint64_t number; /* for the monitor: grows by one in each phase */
    int64_t began;           /* nanoseconds */
    bool spread;             /* over all carriers */
    int brief;               /* phases in a row that were too short for it */
    cpu_set_t cores;         /* the caller's */
    int core_count;
};

/* The stacks of the nodes: one mapping. */
struct machine_stacks {
    void *mapping;
    size_t mapping_bytes;
    size_t count;           /* stacks in the mapping; more than nodes if it was kept */
    bool kept;              /* it was another machine's before */
    bool guarded;           /* each has a guard: it may be kept */
    bool apart;             /* nothing looks into the stack of a node that is parked.  Set between runs */
    bool packed;            /* in this run all nodes take turns on one stack: engine_fibers.c */
    size_t stride;          /* from a node's guard to the next one's */
    size_t guard_bytes;     /* below each stack, and above it */
    size_t stack_bytes;     /* of one node */
    bool unguarded;         /* gaps take the place of guards, except for the lowest */
    _Atomic int overflowed; /* the highest node known to have overflowed its stack; -1: none */
};

/* The reports on a run. */
struct machine_reports {
    bool failed; /* failure is set; guarded by lock */
    pthread_mutex_t lock;
    struct peal_failure failure;
    struct bad_partner bad_partner; /* what its fix is about */
    struct findings *findings;      /* finding.c; NULL: none */
    peal_finding_listener found;    /* called under lock; NULL */
    void *found_arg;
    struct kept_name *kept_names; /* of files, kept as long as the failure */
    pthread_mutex_t sites_lock;
    struct known_site *known_sites;   /* site.c: the looked-up lines of calls */
    struct passed_site *passed_sites; /* passed.c: who passes calls on */
    char **taken;                     /* site.c: the algorithms that named calls took */
    int taken_count;
    _Atomic int output_error; /* errno of the first write of what nodes printed that failed in this run; 0: none did */
};

struct peal_machine {
    struct peal_options options; /* strings are the machine's own */
    struct peal_network *network;
    const struct engine *engine;
    const struct remote *remote; /* NULL: all nodes are in this process */
    void *remote_data;
    struct peal_machine *replayed; /* of a machine with a remote: charges its last run, NULL elsewhere */
    struct round round;

    struct node *nodes;
    struct group world;
    struct group *groups;     /* made by splits and meetings */
    struct meeting *meetings; /* joined by some of their members */
    bool had_groups;          /* in the last run nodes agreed on a group, or on data, after the first message */
    _Atomic bool has_strands; /* some node of this run has, or had, strands */
    uint32_t contexts;        /* the next free one */

    struct request *requests; /* one reserved mapping, with extras */
    struct request_extra *extras;
    size_t request_limit, requests_clear;    /* there is room for, and, in the browser, cleared */
    size_t words_limit;                      /* of a message */
    const struct memory_hooks *memory_hooks; /* NULL: memory is not watched */
    bool short_calls;    /* unhooked_posts, in one-port rounds of this process, and no check: node.c, exchange */
    bool unhooked_posts; /* in this run no hook listens, no send is eager, and messages may combine */
    bool offers;         /* nodes offer their collectives: lib/score */
    bool records;        /* one is recorded */
    bool goes_on;        /* in this phase nodes go on with collectives that they had offered */
    _Atomic uint32_t requests_used;

    struct machine_phase phase;
    /* nodes of a group made different calls, or with different types; guarded by calls_lock in a phase */
    bool mismatched;
    struct cached_calls *kinds;          /* calls.c: the calls that repeat, of all groups; NULL: there were none */
    pthread_mutex_t calls_lock;          /* around what groups know of calls, where there are several carriers */
    _Atomic bool readies;                /* a ready send was posted since the last round */
    _Atomic bool accesses;               /* a one-sided request was posted in this run */
    _Atomic bool keeps;                  /* a message was kept in this run: it may outlive its node */
    bool boxes_filled;                   /* some node waited for a place in a box in this run */
    _Atomic bool shows;                  /* a node shows a variable: see values.c */
    _Atomic bool asks_time;              /* peal_test or peal_clock was called, in this run or one before */
    struct match_chooser *match_chooser; /* NULL: receives from any source take the first message.  Set between runs */
    uint64_t rounds_made;

    /* the run */
    peal_program program;
    void *arg;
    const struct image *image; /* the program's, or NULL */
    const char *symbols;       /* a file with the program's debugging information, or NULL */
    _Atomic uint32_t done;
    _Atomic bool stopping; /* every node that returns to the library is unwound */
    bool unwinding;        /* this phase unwinds all remaining nodes */
    struct machine_reports reports;
    struct loaned *loans; /* lend.c */
    size_t loan_count, loan_capacity;
    struct scores *scores;   /* lib/score; NULL: none yet */
    struct callers *callers; /* callers.c; NULL: the calls of transfers are not kept */
    struct peal_host host;
    bool ran;

    struct copiers *copiers;         /* copy.c */
    struct progress *progress;       /* progress.c; NULL: nothing follows the run */
    struct round_listener *listener; /* of rounds; NULL: none */
    /* the engine's */
    void *engine_data;
    int contexts_made;
    bool keeps_contexts; /* from run to run, where the engine can; the signals' handlers too.  Set between runs */
    bool runs_here;      /* on peal_run's own thread, where the engine can; only machine_expire watches the
                                 time.  Set before the first run, of a machine with one carrier */
    struct machine_stacks stacks;
    bool signals_installed;
};

/* "word", or "byte" where that is what words are. */
static inline const char *
machine_unit(const struct peal_machine *machine)
{
    return machine->options.word_bytes == 1 ? "byte" : "word";
}
