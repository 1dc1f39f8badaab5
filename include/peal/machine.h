/* SPDX-License-Identifier: MIT */
/* Creating a machine, running a node program on it, and reading what the run cost or why it failed. */
#ifndef PEAL_MACHINE_H
#define PEAL_MACHINE_H

#include <peal/cost.h>
#include <peal/network.h>
#include <peal/node.h>

PEAL_BEGIN

enum {
    PEAL_PORTS_ALL = -1,   /* one transfer per link at each end */
    PEAL_CARRIERS_AUTO = 0 /* one carrier until the nodes compute, then one per core; one for fibers */
};

#define PEAL_LEND_UNLIMITED SIZE_MAX

/* How much of the schedule is recorded, and so how much of it a document has.  Without a record the memory of a run
 * does not grow with its rounds. */
enum peal_rounds { PEAL_ROUNDS_ALL, PEAL_ROUNDS_SUMMARY, PEAL_ROUNDS_NONE };

/* The rules of a machine: what one round carries, and how it is charged. */
#define PEAL_RULES                                                                                                     \
    int ports;         /* 1; k; PEAL_PORTS_ALL */                                                                      \
    bool half_duplex;  /* sends and receives share the ports */                                                        \
    bool noncombining; /* refuse messages that bundle packets */                                                       \
    enum peal_switching switching;                                                                                     \
    enum peal_congestion congestion;                                                                                   \
    bool eager; /* complete sends of at most eager_words words at the post */                                          \
    size_t eager_words;
struct peal_rules {
    PEAL_RULES
};

/* What an MPI program's computing is charged as. */
enum peal_compute_source {
    PEAL_COMPUTE_COUNTED,  /* operations that it declares, τ each */
    PEAL_COMPUTE_MEASURED, /* processor time between its calls: an operation is a nanosecond, and τ is 1 */
    PEAL_COMPUTE_SAMPLED   /* the same, but sampled regions run only the first times */
};
struct peal_computing {
    enum peal_compute_source source;
    double speed;     /* of the machine's processors, in that of this computer's; 1 */
    double operation; /* where it is measured: the nanoseconds of an operation that the program declares */
};

/* Everything a machine is made from.  Fill with peal_options_init, then change what should differ.  Strings are
 * borrowed until peal_machine_create returns. */
struct peal_options {
    int nodes;            /* P >= 1 */
    const char *topology; /* "full" */
    const char *routing;  /* NULL: the topology's own */
    PEAL_EMBED(peal_rules, rules, PEAL_RULES);
    struct peal_parameters parameters; /* 1000, 1, 0, 0 */
    struct peal_computing computing;   /* counted */
    int mailbox;                       /* places of each box; 65536 */
    size_t word_bytes;                 /* 8 */
    size_t lend_bytes;                 /* of a send that may be lent (see below); 0: none; PEAL_LEND_UNLIMITED: any */
    int patience;           /* rounds on end that only serve nodes that poll, until the run fails as livelock; 100 */
    uint64_t seed;          /* 0: ranks unpermuted */
    const char *engine;     /* "threads"; "fibers"; "auto": peal_machine_options names the one chosen;
                               "mpi": each node is a process of an MPI job, see <peal/cluster.h> */
    int carriers;           /* PEAL_CARRIERS_AUTO or a number */
    bool wake_all;          /* release every runnable node at once, unpinned: for stress tests; threads only */
    size_t stack_bytes;     /* of a node; 0: the engine's own choice */
    double timeout_seconds; /* 0: none */
    enum peal_rounds rounds;
    bool tag_output; /* prefix each line a node prints with its rank */
    int output;      /* file descriptor for what the nodes print; 1 */
};

/* Set every option to its default: 1 node, the network full, one port, the engine threads. */
PEAL_API void peal_options_init(struct peal_options *options);

struct peal_machine;
typedef void (*peal_program)(struct peal_node *me, void *arg);

/* Create a machine.
 *
 *   owner    the caller destroys it; its readers' results live until the next peal_run on it or its destruction
 *   errors   PEAL_USAGE for an impossible option (says which, and what is allowed); PEAL_RESOURCES without memory */
PEAL_API struct peal_machine *peal_machine_create(const struct peal_options *options, struct peal_error *error);
PEAL_API void peal_machine_destroy(struct peal_machine *machine);

/* Run `program` on every node.  Returns NULL when every node finished and every message was received, else the failure.
 *
 *   owner    arg is shared by all nodes and read-only to them; the failure belongs to the machine
 *   blocks   until every node has finished or was unwound
 *   thread   one run at a time in a process                                                            */
PEAL_API const struct peal_failure *peal_run(struct peal_machine *machine, peal_program program, void *arg);

/* ------------------------------------------------------------------ the result of a run */

/* The machine's options, with its own choices (the engine of "auto", the routing) filled in, and its network. */
PEAL_API const struct peal_options *peal_machine_options(const struct peal_machine *machine);
PEAL_API const struct peal_network *peal_machine_network(const struct peal_machine *machine);
PEAL_API struct peal_cost peal_machine_cost(const struct peal_machine *machine);
PEAL_API struct peal_cost peal_machine_critical_path(const struct peal_machine *machine);
PEAL_API const struct peal_failure *peal_machine_failure(const struct peal_machine *machine);

/* The last run's rounds, as many of them as the option `rounds` has recorded: with PEAL_ROUNDS_NONE there are none. */
PEAL_API const struct peal_schedule *peal_machine_schedule(const struct peal_machine *machine);

/* How many rounds of the last run had a transfer or a charge, recorded or not. */
PEAL_API uint64_t peal_machine_rounds(const struct peal_machine *machine);

enum { PEAL_FIRST_ROUNDS = 24, PEAL_LAST_ROUNDS = 8 };

/* Give round `number` of these, from 0, in *summary, recorded or not, if it is one of the first PEAL_FIRST_ROUNDS or of
 * the last PEAL_LAST_ROUNDS; else false. */
PEAL_API bool peal_machine_round(const struct peal_machine *machine, uint64_t number,
                                 struct peal_round_summary *summary);

/* ------------------------------------------------------------------ failures */

/* PEAL_DEADLOCK, ...: <peal/failures.def> has them with their names. */
enum peal_failure_kind {
#define PEAL_FAILURE(kind, name) PEAL_##kind,
#include <peal/failures.def>
    PEAL_FAILURE_KINDS
};

/* The state of an unfinished node when the run failed. */
struct peal_waiting {
    int rank;
    const char
        *state; /* "waits"; "posts" (a box is full); "tests"; "rests", "sleeps" (for one round); "splits"; "meets";
                          "failed" (the failure is its own, or came in the same phase); "runs" (it was not parked
                          when the process was ended); "finished" (with a request: the failure is lost-request) */
    const char *what; /* its first incomplete request: "send", "receive", "probe"; NULL when it has none */
    int peer;         /* PEAL_ANY_SOURCE for any */
    size_t words;
    int tag;
    const char *file; /* of the blocked call */
    int line;
    const char *collective; /* that made the request: "barrier"; NULL: the program */
    const char *box;        /* that is full, where the state is "posts": "outbox", "mailbox"; else NULL */
    const char *call;       /* the blocked call's name, "MPI_Send"; NULL: it has none */
};

/* How grave a fault is.  ERROR: it ends the run, or is what a check is to find.  WARNING: it is wrong, and the run went
 * on, or only the cost is too high.  NOTE: nothing forbids it. */
enum peal_severity { PEAL_SEVERITY_ERROR, PEAL_SEVERITY_WARNING, PEAL_SEVERITY_NOTE };

/* A fault: what ends a run, a finding of a run or of a check.  It owns its texts and its place: where the node that it
 * is reported for was in the program. */
#define PEAL_FAULT                                                                                                     \
    enum peal_failure_kind kind;                                                                                       \
    enum peal_severity severity;                                                                                       \
    char message[1000]; /* one line; of a finding of a run: what was so the first time */                              \
    char fix[400];      /* how to correct the program, in one line; "": not known */                                   \
    char rule[500];     /* what forbids it, in one sentence: "MPI 3.1, 3.7.2: ..."; "": none that is known */          \
    int rank;           /* in the whole machine; -1: no node's */                                                      \
    int line;           /* where there is a file */                                                                    \
    char file[512];     /* "": not known */
struct peal_fault {
    PEAL_FAULT
};

/* Where a node was in the program. */
struct peal_place {
    int rank;         /* in the whole machine; -1: no node's */
    const char *file; /* NULL when not known */
    int line;
};

struct peal_failure {
    PEAL_EMBED(peal_fault, fault, PEAL_FAULT);
    enum peal_status status;    /* PEAL_FAILED, PEAL_RESOURCES or PEAL_TIMEOUT */
    struct peal_waiting *nodes; /* one for each unfinished node, and the one of a lost request, by rank */
    int node_count;
    int *cycle; /* each waits for the next, the last for the first; starts at its lowest rank */
    int cycle_length;
};

/* Something that was wrong in a run and did not end it.  peal_report records one; so does the machine:
 *
 * deadlock-if-unbuffered: where sends may be lent, and nothing can move or nothing has moved for 100 rounds of polling,
 * the machine copies the words of unmatched sends of at most lend_bytes bytes, if the nodes that wait or ask for them
 * can then go on.  To its node a send that was lent is complete.  It is carried when its receive takes it, as others
 * are.  What cannot move then is a deadlock.  The places are those of the cycle's nodes; without one, that of the
 * lowest node that was helped.  Synchronous sends are never lent. */
struct peal_run_finding {
    PEAL_EMBED(peal_fault, fault, PEAL_FAULT);
    const struct peal_place *places; /* the first is the one that it is reported for */
    int place_count;                 /* 1 or more */
    const int *cycle;                /* as in struct peal_failure */
    int cycle_length;
    uint64_t round; /* rounds made before it was found the first time */
    uint64_t times; /* how often it was found at these places */
};

/* Called when a finding is recorded, once for each kind and set of places, with the places looked up.  The machine
 * keeps the finding locked meanwhile.
 *
 *   thread   a thread of the machine, on a node's stack or between rounds; never two at once                */
typedef void (*peal_finding_listener)(const struct peal_run_finding *finding, void *arg);

/* Have `listener` called for each finding of the machine's runs, from the next one on; NULL: no longer.
 *
 *   owner    borrows arg until the machine is destroyed
 *   thread   not during a run                                                                               */
PEAL_API void peal_machine_listen(struct peal_machine *machine, peal_finding_listener listener, void *arg);

/* The last run's findings, by severity, round and rank: *count of them; NULL if there are none.
 *
 *   owner    the machine, until its next run                                                             */
PEAL_API const struct peal_run_finding *peal_machine_findings(const struct peal_machine *machine, size_t *count);

/* The stable name of a kind, "lost-request", and its title, "a node finished before its send or receive was
 * complete". */
PEAL_API const char *peal_failure_name(enum peal_failure_kind kind);
PEAL_API const char *peal_failure_title(enum peal_failure_kind kind);

/* The rule and the fix of a kind of failure. */
struct peal_rule {
    const char *rule; /* the sentence of MPI's standard that is broken, in our words: "MPI 3.1, 3.7.2: ..."; NULL */
    const char *fix;  /* how programs that break it are corrected */
};
PEAL_API const struct peal_rule *peal_rule_of(enum peal_failure_kind kind);
/* The rule that a fault breaks: its own, or else that of its kind; NULL: none is known. */
PEAL_API const char *peal_fault_rule(const struct peal_fault *fault);

PEAL_END

#endif
