/* SPDX-License-Identifier: MIT */
/* The child process of a check: it runs all cases, and reports to its parent through a pipe. */
#pragma once

#include "lib/check/cases.h"
#include "lib/check/numbers.h"
#include "lib/child/child.h"
#include "lib/sandbox/unit.h"

/* Shared with the parent, which reads it when the child has died or is silent. */
struct proof_progress {
    _Atomic uint64_t runs;
    _Atomic uint64_t explored; /* those of them that were not the first of their case */
    _Atomic int nodes;         /* of the case that is run; 0: none yet */
    _Atomic size_t index;      /* its number among those of `nodes` */
    _Atomic unsigned call;     /* how the function is called: a set of enum peal_check_call */
    _Atomic bool below; /* it is that case, but with this many words, and the root, or distance of a shift, `turn` */
    _Atomic size_t words;
    _Atomic int turn;
    bool cramped;           /* there is no memory for the last runs; set before the child */
    _Atomic bool unstored;  /* the last runs, on lengths alone, have begun: lack of memory or time decides nothing */
    _Atomic bool separate;  /* a finding in place is only a warning: no more such cases */
    _Atomic bool hurried;   /* a run has timed out: others have HURRIED_SECONDS */
    int error_output[2];    /* a pipe of standard error, from before the child began; -1: none */
    double ends;            /* of a program: when its time is over, by seconds_now; 0: never */
    struct run_tally tally; /* written by the child; read when it has ended */
    _Atomic int denied;     /* 1 + the number of the system call for which the sandbox ended the child; 0 */
};

/* What the child reports at the end of a check. */
struct prover_end {
    bool asks_time;       /* there were choices, and the nodes' data depends on time, too */
    bool out_of_runs;     /* it ended before all were run */
    bool refused;         /* the function refused every case of some number of nodes */
    bool frames, globals; /* messages had words there: struct watch_variables */
    int called_cut;    /* the fewest nodes for which not every order of two calls, or in a group, was tried; 0: none */
    char alike[200];   /* algorithms that cost the same, as of struct peal_verdict */
    size_t most_words; /* the largest size of a case */
    char around[100];  /* lines of comparisons around which sizes were run, "22, 31" */
    char arrays[100];  /* lines of arrays that are too short for sizes that were run */
    char far[200];     /* a line around which none were run, since they need too many words; "" */
    size_t unstored;   /* the words of a case of 2 nodes that was run on lengths alone; 0: none */
    char not_run[200]; /* as of struct peal_verdict */
};

struct prover_message {
    enum {
        MESSAGE_FINDING,
        MESSAGE_NODES,
        MESSAGE_NUMBER,
        MESSAGE_REFUSAL,
        MESSAGE_ERROR,
        MESSAGE_IDENTITY,
        MESSAGE_END
    } what;
    union {
        struct peal_finding finding;
        int nodes; /* all cases of this many nodes were run, and there were some */
        struct {
            int nodes;
            enum number_end end;
            uint64_t runs;
        } number; /* of a program: the runs with this many nodes are over */
        struct {
            struct peal_finding finding;
            char said[200];
        } refusal;               /* of one of them: the program ended itself, with these last words */
        struct peal_error error; /* it cannot go on */
        struct peal_identity identity;
        struct prover_end end;
    } as;
};

/* In the child: run the cases from `from` nodes on and tell the parent.  `unit` is the user's file, NULL for an
 * algorithm of the catalogue.  For a file, it changes no open descriptors except standard output and error.
 *
 *   blocks   until all are run
 *   errors   reported to the parent */
void prover_run(const struct peal_check *check, const struct unit *unit, int from, struct proof_progress *progress,
                struct child *child);
