/* SPDX-License-Identifier: MIT */
/* The machine from inside: nodes, carriers, engines.  This is the only layer with threads.
 *
 * Between two rounds (a phase) every carrier runs its nodes one after another, in rank order, each until it parks.  The
 * last carrier to empty its list makes the round: in that time every node is parked, and the maker of the round owns
 * everything.  The hand-over is machine->running: each carrier's decrement publishes its nodes' writes, and the last
 * decrement acquires all of them; carrier_start publishes the round's writes to the carriers. */
#pragma once

#include "lib/base/clock.h"
#include "lib/machine/hooks.h"
#include "lib/machine/image.h"
#include "lib/network/network.h"
#include "lib/round/round.h"
#include <limits.h>
#include <peal/observe.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdatomic.h>

/* The place of a call: a file and a line, or an address in code and PEAL_CODE, less the number of the call's name, less
 * CALL_NAMES times that of the algorithm that it takes. */
enum { CALL_NAMES = 1024, MAX_TAKEN = 1000 };
struct call_site {
    const char *file;
    int line;
};

struct group {
    int size;
    int part;         /* of the machine: the size, or 0 for all of it.  Groups of one part choose the same algorithms */
    int32_t *members; /* world ranks by group rank; NULL: the whole machine */
    uint32_t context; /* of the program's messages; the collectives' is one more */
    int splitting;    /* members parked in peal_split; only the round looks */
    struct calls *calls;   /* calls.c; NULL: there were none */
    struct call_site made; /* by which call; of the whole machine none */
    char *name;            /* in reports; NULL: none.  Guarded by calls_lock in a phase */
    struct group *next;
};

/* A node seen in a group and a context. */
struct peal_node {
    struct node *node;
    struct group *group;
    int rank;
    uint32_t context;
    const char *collective; /* the outermost one entered, NULL in the program */
    const char *file;       /* reported in place of the call's own place, when entered */
    int line;
    uint32_t collectives;                   /* the context of the collectives that are called on it */
    int parameter;                          /* of the algorithm that runs, 0: none */
    uint32_t scale;                         /* machine words in one of its words: 1 except for views */
    size_t words_limit;                     /* of a message, in its own words */
    size_t packet : sizeof(size_t) * 8 - 1; /* words of a packet on a noncombining machine; 0: no limit */
    bool allocates : 1;                     /* memory was allocated on it */
    struct peal_node *next;                 /* the node's list of views */
};

/* A split that a node waits for. */
struct split_call {
    struct peal_node view;    /* its result; first: it is freed as one of node->views */
    struct peal_node *parent; /* what is split */
    int color, key;
    bool arrived, done; /* counted by the round; made */
};

/* Text not yet printed. */
struct node_output {
    size_t bytes, capacity;
    char *text;
};

/* What a call suspects, told if the node crashes. */
struct suspicion {
    const char *call; /* NULL: none */
    const char *file; /* and line: where its buffer is a pointer; NULL: its displacements look like bytes */
    int line, displacement, elements;
    const void *buffer;
    uintptr_t held; /* the pointer */
};

/* Owned by the node's thread while it runs; by the round while it is parked.  The first cache line is what every
 * call touches; the node's view of the whole machine begins the second. */
struct node {
    _Alignas(64) _Atomic uint32_t wake; /* threads: see engine_threads.c */
    uint8_t state;                      /* enum node_state */
    uint8_t blocked_box;                /* NODE_POSTS: enum request_kind of what it wants to post */
    volatile bool inside;               /* in the library: read by signal handlers on the node's own thread */
    bool parks_apart;                   /* parks in another way: it is a process, or has strands */
    int32_t rank;
    int line;                 /* of the call it is in, or was in last */
    uint32_t open, open_last; /* requests not consumed, in the order of their posts */
    int64_t operations;       /* declared since the last round */
    struct carrier *carrier;  /* the one that runs it now, or ran it last */
    struct peal_machine *machine;
    void *context;    /* the engine's */
    const char *file; /* of the call it is in, or was in last */

    struct peal_node world;

    sigjmp_buf *entry;             /* on its own stack; with threads above what the program can write to */
    struct peal_node *views;       /* all except world */
    struct peal_node *spare_views; /* freed, to be used again */
    struct memory_block *blocks;   /* memory.c: in use, the newest first */
    struct memory_block *spare;    /* large freed blocks, to be used again */
    struct node_output *output;    /* NULL when nothing is kept */
    struct split_call *split;      /* the one that it waits for, one of views; NULL: none */
    uint64_t random;
    uint64_t mark;                  /* the memory hooks' own; all ones when a run begins */
    void *held;                     /* of the call it is in: freed with the node's memory if the call does not return */
    struct meet_call *meets;        /* the meetings it waits for, the last first */
    struct strands *strands;        /* strand.c; NULL: it never had any */
    uint32_t ready;                 /* its ready sends since the last round, a list */
    uint32_t wanted;                /* NODE_TESTS: how many more of the tested requests are wanted */
    struct node_question *question; /* NODE_WAITS: the one that it waits to be answered; NULL: none */
    bool calls_ended;               /* it calls no collective any more: see peal_end_calls */
    int buffered;                   /* its buffered sends that are not carried yet */
    uint64_t buffered_words;
    bool ends;                   /* its program is over */
    bool clearing;               /* its memory is being freed */
    uint8_t stopped;             /* 1 + the enum node_state in which the end of its time found it; 0: it did not */
    uint32_t kind;               /* of the collective that it agreed on last: calls.c; 0: not known */
    uint32_t call;               /* the collective that it called last: callers.c; 0: not kept */
    int agreed;                  /* off the line of the collective that it agreed on last: see site_take */
    struct suspicion *suspicion; /* NULL: none; not on the heap, which a crash may have spoilt */
    char *advice;                /* the fix of its next failure or finding; NULL: none */
    struct shown_values *shown;  /* values.c; NULL: none */
    uint64_t call_note;          /* the types of its next collective call's data: see peal_call_types */
    const char *call_types;
};

/* Below a stack, of no access: what compilers assume that probe large frames, more on arm64. */
#if defined __aarch64__
enum { STACK_GUARD = 64 << 10 };
#else
enum { STACK_GUARD = 16 << 10 };
#endif

/* A carrier's share of the phase: indices next .. end of machine->runnable, as next << 32 | end.  The carrier takes
 * from the front, the monitor from the back; both by compare-and-swap. */
struct carrier {
    _Alignas(128) _Atomic uint64_t span;
    _Atomic bool busy; /* started in this phase, and not yet at its end */
    _Atomic(struct node *) current;
    struct node *first; /* the first of its list in this phase */
    /* of the nodes that parked in this phase */
    uint32_t states;    /* a bit for each enum node_state that one of them is in */
    bool printed;       /* one did */
    int64_t operations; /* the largest number that one declared */
    struct peal_machine *machine;
    int core; /* the core it is pinned to; -1: none */
    int index;
    uint32_t free_request;          /* a list through `next` */
    uint32_t block_next, block_end; /* request numbers of its own, never used yet */
};

/* Creates, switches and destroys the contexts in which nodes run. */
struct engine {
    const char *name;
    const struct remote *remote; /* NULL: all nodes are in this process */
    bool moves_nodes;            /* a node may continue on another carrier */
    bool ends_phases;            /* calls carrier_end itself, on a stack of the carrier's own */
    /* Make a context for every node, parked at its entry (node_main).  errors: PEAL_RESOURCES, says which limit */
    enum peal_status (*create)(struct peal_machine *machine, struct peal_error *error);
    /* Let `carrier`, which is at rest, run `node`. */
    void (*start)(struct carrier *carrier, struct node *node);
    /* Pass me's carrier to `next` (NULL: its list is at its end) and come back when me is resumed. */
    void (*yield)(struct node *me, struct node *next);
    /* Pass me's carrier on; me is never resumed, and its entry returns after it. */
    void (*leave)(struct node *me, struct node *next);
    /* Run the node's program, from node_main; NULL: call it. */
    void (*call_program)(struct node *node);
    /* End the running node (node_end), whatever is on its stack; NULL: jump to its entry. */
    void (*restart)(struct node *node, enum node_exit way);
    /* Interrupt the carrier's node, which still computes after the time is up. */
    void (*interrupt)(const struct carrier *carrier, const struct node *node);
    /* The system's number of the thread in which the carrier's node runs; 0: it has not begun, or has ended.  This and
     * the last are called by the monitor while the carrier works: neither may read what the carrier writes. */
    pid_t (*task)(const struct carrier *carrier, const struct node *node);
    /* Make the whole run on the calling thread; NULL: unsupported. */
    void (*run_here)(struct peal_machine *machine);
    /* Every node has left: free the contexts. */
    void (*destroy)(struct peal_machine *machine);
    /* Prepare the contexts for another run instead; NULL: unsupported. */
    void (*reset)(struct peal_machine *machine);
};

extern const struct engine engine_threads, engine_fibers;

/* The engine whose nodes are processes; set before main by lib/cluster, NULL where that is not linked. */
extern const struct engine *engine_mpi;

/* limits.c: how many memory maps the system allows a process; -1: unknown. */
long maps_allowed(void);

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

    /* the phase */
    struct carrier *carriers;
    struct node *(*end_list)(struct carrier *carrier); /* carrier_end, for nodes that park */
    int carrier_count;                                 /* in all */
    _Atomic int running;                               /* carriers not yet at the end of their lists */
    int32_t *runnable;                                 /* by rank */
    int32_t *splitting;                                /* of the nodes that ran, those in peal_split */
    size_t runnable_count;
    uint64_t *marks; /* a bit a node, for sorting the released */
    /* nodes of a group made different calls, or with different types; guarded by calls_lock in a phase */
    bool mismatched;
    struct cached_calls *kinds;          /* calls.c: the calls that repeat, of all groups; NULL: there were none */
    pthread_mutex_t calls_lock;          /* around what groups know of calls, where there are several carriers */
    _Atomic bool readies;                /* a ready send was posted since the last round */
    _Atomic bool accesses;               /* a one-sided request was posted in this run */
    _Atomic bool keeps;                  /* a message was kept in this run: it may outlive its node */
    bool boxes_filled;                   /* some node waited for a place in a box in this run */
    _Atomic bool shows;                  /* a node shows a variable: see values.c */
    _Atomic bool any_source;             /* a receive from any source was posted, in this run or one before */
    _Atomic bool asks_time;              /* peal_test or peal_clock was called, in this run or one before */
    struct match_chooser *match_chooser; /* NULL: receives from any source take the first message.  Set between runs */
    int unfinished;
    int idle_rounds;  /* in a row, that carried nothing and released only nodes that test or rest */
    int slept_rounds; /* of these, those in which a node slept, since the last one that was counted */
    uint64_t rounds_made;
    _Atomic uint64_t phase; /* for the monitor: grows by one in each phase */
    int64_t phase_began;    /* nanoseconds */
    bool spread;            /* over all carriers */
    int brief_phases;
    cpu_set_t cores; /* the caller's */
    int core_count;

    /* the run */
    peal_program program;
    void *arg;
    const struct image *image; /* the program's, or NULL */
    const char *symbols;       /* a file with the program's debugging information, or NULL */
    _Atomic uint32_t done;
    _Atomic bool stopping; /* every node that returns to the library is unwound */
    bool unwinding;        /* this phase unwinds all remaining nodes */
    bool failed;           /* failure is set; guarded by failure_lock */
    pthread_mutex_t failure_lock;
    struct peal_failure failure;
    struct findings *findings; /* finding.c; NULL: none */
    struct loaned *loans;      /* lend.c */
    size_t loan_count, loan_capacity;
    peal_finding_listener found; /* called under failure_lock; NULL */
    void *found_arg;
    struct kept_name *kept_names; /* of files, kept as long as the failure */
    pthread_mutex_t sites_lock;
    struct known_site *known_sites; /* site.c: the looked-up lines of calls */
    char **taken;                   /* site.c: the algorithms that named calls took */
    int taken_count;
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
    bool keeps_contexts;    /* from run to run, where the engine can; the signals' handlers too.  Set between runs */
    bool runs_here;         /* on peal_run's own thread, where the engine can; only machine_expire watches the
                                 time.  Set before the first run, of a machine with one carrier */
    void *stacks;           /* one mapping */
    size_t stacks_bytes;    /* of it */
    size_t stacks_count;    /* in it; more than nodes in one that was kept */
    bool stacks_kept;       /* it was another machine's before */
    bool stacks_guarded;    /* each has a guard: it may be kept */
    size_t stack_stride;    /* from a node's guard to the next one's */
    size_t guard_bytes;     /* below each stack, and above it */
    size_t stack_bytes;     /* of one node */
    bool unguarded;         /* gaps take the place of guards, except for the lowest */
    _Atomic int overflowed; /* the highest node known to have overflowed its stack; -1: none */

    _Atomic int output_error; /* errno of the first write of what nodes printed that failed in this run; 0: none did */
    bool signals_installed;
};

/* The lowest byte of a node's stack. */
static inline char *
node_stack(const struct peal_machine *machine, int32_t rank)
{
    return (char *)machine->stacks + (size_t)rank * machine->stack_stride + machine->guard_bytes;
}

/* ------------------------------------------------------------------ stacks.c */

/* The lowest bytes of a stack without a guard: 0, unless it has overflowed. */
enum { STACK_CANARY = 64 };
/* Report the node, which is about to park, if its stack has overflowed. */
void node_look_at_canary(struct node *node);

/* Map the stacks: nodes · stack_stride bytes and the rest of stacks_bytes, all set; in a mapping that was kept
 * (stacks_kept) each has its guard.  errors: PEAL_RESOURCES */
enum peal_status stacks_map(struct peal_machine *machine, struct peal_error *error);
/* Put a guard that takes no memory map at `first`, and at the same place of each other node; false where the kernel has
 * no such guards. */
bool stacks_guard(const struct peal_machine *machine, char *first);
/* Whether such a guard is of no access: an emulator (qemu) accepts the request and does nothing. */
bool stack_guard_holds(const void *guard);
/* Touch the first page of each where there are so many that several cores do it faster than the nodes themselves. */
void stacks_touch(const struct peal_machine *machine);
/* No thread runs on them any more. */
void stacks_give_back(struct peal_machine *machine);
/* Unmap the mapping that is kept for the next machine. */
void stacks_forget(void);
/* The size of a stack for handlers of signals. */
size_t signal_stack_bytes(void);
/* The sandbox forbids process_madvise: it would end this process; set once, before the sandbox is entered. */
extern bool in_sandbox;

/* ------------------------------------------------------------------ park.c, carrier.c, rounds.c: phases and rounds */

/* Park the running node until a round releases it; does not return when the run is over by then.  A node with strands
 * runs those meanwhile. */
void node_park(struct node *node, enum node_state state);
/* Park the node with all of its strands. */
void node_park_whole(struct node *node, enum node_state state);
/* The carrier's next node, NULL at the end of its list; the node whose turn is next when this one has parked, NULL:
 * none, or the engine finds it. */
struct node *carrier_take(struct carrier *carrier, struct peal_machine *machine);
struct node *node_next(struct node *node);
/* Note for the round what it needs to know of a node that parks. */
void node_set_state(struct node *node, enum node_state state);
/* Leave the node's program, from any of its strands. */
_Noreturn void node_leave(struct node *node, enum node_exit way);
/* The carrier's list is at its end.  Makes the round if it was the last; gives its next node, NULL: it rests. */
struct node *carrier_end(struct carrier *carrier);
/* wait.c: wait until all requests are complete that the node has let go, with a view those that its strand has. */
void node_settle(struct node *node, const struct peal_node *view);
/* Run the node's program from entry to end; the engine calls it on the node's own stack. */
void node_main(struct node *node);
/* Run it on the caller's stack: a node with a process of its own, whose open requests are left to the caller. */
enum node_exit node_run_alone(struct node *node);
/* The node's program is over, in this way. */
void node_end(struct node *node, enum node_exit way);
/* After a signal, whatever is on its stack: end the running node. */
_Noreturn void node_restart(struct node *node, enum node_exit way);
/* Begin the first phase; returns at once. */
void machine_begin(struct peal_machine *machine);

/* End the run of a machine that `runs_here`, as one that timed out: it fails with `timeout`.  This call or a later one
 * interrupts a node that still computes.
 *
 *   thread   another one than the machine's, during the run */
void machine_expire(struct peal_machine *machine);
/* Spread the rest of a long phase over more carriers: called now and then by the thread that waits for the end. */
void machine_rebalance(struct peal_machine *machine, int64_t phase_nanoseconds);
/* In the browser: whether the time of the run is up. */
bool engine_late(const struct peal_machine *machine);

/* rounds.c: make rounds until some nodes can run: they are in runnable[], by rank.  false when the run is over. */
bool rounds_next(struct peal_machine *machine);

/* ------------------------------------------------------------------ requests.c; more in requests.h */

/* The place that posted a request that is not consumed; not looked up. */
static inline struct call_site
request_site(const struct peal_machine *machine, const struct request *request)
{
    const struct node *node = &machine->nodes[request->node];

    return request->flags & REQUEST_BLOCKING ? (struct call_site){node->file, node->line}
                                             : (struct call_site){request->file, request->line};
}

/* "word", or "byte" where that is what words are. */
static inline const char *
machine_unit(const struct peal_machine *machine)
{
    return machine->options.word_bytes == 1 ? "byte" : "word";
}

/* "send", "receive", "probe", "strand", "put". */
static inline const char *
request_verb(const struct request *request)
{
    static const char *const verbs[] = {"",    "send", "receive", "probe", "probe", "strand",
                                        "put", "get",  "update",  "lock",  "unlock"};

    return verbs[request->kind];
}

enum peal_status requests_reserve(struct peal_machine *machine, struct peal_error *error);
void requests_release(struct peal_machine *machine);
/* Free the memory of a run's requests, and forget them. */
void requests_clear(struct peal_machine *machine);
/* The program, or with a view its strand, has returned: everything that it posted must be complete.  False: the failure
 * is set. */
bool node_check_requests(struct node *node, const struct peal_node *view);

/* ------------------------------------------------------------------ rules.c */

enum { ADVICE_BYTES = sizeof((struct peal_failure *)0)->fix };

/* The fix of the failure, if it is this node's and has none: for callers that may hold the heap's lock. */
void failure_fix(struct peal_machine *machine, int rank, const char *format, ...) PEAL_PRINTF(3, 4);
/* The fix of the next failure or finding that is reported for the node: see peal_advise. */
void node_advise(struct node *node, const char *format, ...) PEAL_PRINTF(2, 3);
void node_advice_free(struct node *node);
void node_suspect(struct node *node, const struct suspicion *suspicion);

/* ------------------------------------------------------------------ failure.c */

/* In place of a rank, until the run has ended: a failure of no node's, to which that of any node is preferred. */
enum { NO_RANK = INT_MAX };

/* Note the place of a node that failed, for the report on the node itself; copies the name. */
void failure_place(struct node *node, const char *file, int line);
/* Copy a file's name until the failure is cleared. */
const char *failure_keep_name(struct peal_machine *machine, const char *file);
/* Record a failure for this node (the lowest rank's wins); the caller then unwinds it or lets it end. */
void failure_set(struct peal_machine *machine, int rank, enum peal_failure_kind kind, const char *file, int line,
                 const char *format, ...) PEAL_PRINTF(6, 7);
/* End the node with a failure of the call that it is in, whose place it has; peal_fail_at has one of its own. */
_Noreturn void node_fail(struct peal_node *me, enum peal_failure_kind kind, const char *format, ...) PEAL_PRINTF(3, 4);
void failure_clear(struct peal_machine *machine);
/* calls.c: note a strand that the node starts, as a call of its group.  Gives the first of two contexts that all
 * members' strands of this call share: that of its messages and that of its collectives. */
uint32_t calls_strand(struct peal_node *me, const struct peal_call *call);
/* Forget the calls of a run; free the memory. */
void calls_clear(struct group *group);
void calls_fini(struct group *group);

/* Whether it has not ended. */
static inline bool
node_is_left(const struct node *node)
{
    return node->state != NODE_FINISHED && node->state != NODE_FAILED;
}

/* finding.c: record a copy of a finding whose kind, message, places, cycle, rule and fix are set; `first`, unless NULL,
 * is one more place, before them.  Its places are looked up.  false without memory. */
bool finding_add(struct peal_machine *machine, const struct peal_run_finding *finding, const struct peal_place *first);
void findings_sort(struct peal_machine *machine);
void findings_clear(struct peal_machine *machine);

/* ------------------------------------------------------------------ progress.c: how far the run is, for other
 * threads */

/* Called by the thread that calls peal_run, around the run and now and then during it; nothing where the run is not
 * followed. progress_wait: for how long to sleep, at most `wait` nanoseconds (0: for ever), until progress_publish is
 * due. */
void progress_begin(struct peal_machine *machine);
int64_t progress_wait(const struct peal_machine *machine, int64_t wait);
void progress_publish(struct peal_machine *machine, int64_t now);
void progress_end(struct peal_machine *machine);
void progress_destroy(struct peal_machine *machine);
/* Called by the maker of the round: note how far the run is, if a snapshot is asked for. */
void progress_fill(struct peal_machine *machine);
static inline void
progress_note(struct peal_machine *machine)
{
    if (machine->progress)
        progress_fill(machine);
}
/* Called around printing: clear the progress display from the screen, and show nothing until the screen is released. */
void progress_take_screen(struct peal_machine *machine);
void progress_give_screen(struct peal_machine *machine);
/* Hold the last snapshot of a machine with progress, and release it: it does not change in between. */
const struct peal_progress *progress_enter(const struct peal_machine *machine);
void progress_leave(const struct peal_progress *snapshot);

/* ------------------------------------------------------------------ the others */

extern _Thread_local struct node *self
    __attribute__((tls_model("initial-exec"))); /* the node that runs on this thread */
enum { SIGNAL_STOP = 23 };                      /* SIGURG: sent to a node that still computes when the time is up */

/* site.c: the file and line of a place, looked up if it is one in code: then file is the machine's until its next run,
 * and NULL without memory. */
struct call_site site_of(const struct peal_machine *machine, const char *file, int line);

/* The function that a place in code lies in; NULL: it is not known.  owner: the caller frees it */
char *site_function(const struct peal_machine *machine, const char *file, int line);
/* The place in words: "ring.c:12". */
enum { SITE_WORDS = 140 };
char *site_words(const struct peal_machine *machine, struct call_site place, char text[SITE_WORDS]);
/* The place after the call's name, if it has one: "MPI_Send at ring.c:12". */
char *site_call_words(const struct peal_machine *machine, struct call_site place, char text[SITE_WORDS]);
/* The name of the call at such a line, and the algorithm that it takes, "chain:16"; NULL: none. */
const char *site_call(int line);
/* Where the table of all names is kept, and how many there are: the same in a process forked from this one. */
const char *const **site_call_names(int **count);
const char *site_algorithm(const struct peal_machine *machine, int line);
/* What an algorithm takes off a line; 0 where calls have no names.  Under calls_lock. */
int site_take(struct peal_machine *machine, const char *algorithm, int parameter);
void sites_fini(struct peal_machine *machine);
/* callers.c: note what posted the round's transfers; forget the last run's; free them. */
void callers_see(struct peal_machine *machine);
/* The number of the calls at this place; 0 without memory. */
uint32_t callers_number(struct peal_machine *machine, struct call_site site);
/* Note that the node's group calls a collective: its number, from 1 on; 0 where none are kept. */
uint32_t callers_call(const struct peal_node *me, const struct peal_call *call);
/* Note that rounds first .. last of the schedule carry messages of the collective that this node calls. */
void callers_use(struct peal_machine *machine, int rank, size_t first, size_t last);
void callers_begin(struct peal_machine *machine);
void callers_fini(struct peal_machine *machine);
void sites_forget(struct peal_machine *machine);

/* carrier.c: free what the node has but its blocks; forget all of it without freeing it, since its lists cannot be
 * followed any more. */
void node_clear(struct node *node);
void node_forget(struct node *node);

/* memory.c: free the blocks of a view; those kept for later; all of them. */
void memory_leave(struct peal_node *view);
void memory_clear(struct node *node);
void memory_release(struct node *node);

/* group.c: make the groups whose members have all called peal_split, and release those; gives how many.  Some of their
 * members are among the nodes that ran in this phase. */
size_t groups_split(struct peal_machine *machine, const int32_t *ran, size_t count,
                    void (*release)(struct peal_machine *, struct node *));
void groups_clear(struct peal_machine *machine);
/* Make a group of these members, which the machine owns; NULL without memory. */
struct group *group_make(struct peal_machine *machine, const int32_t *members, int size, struct call_site made);
/* So many nodes agree on something, without messages. */
void group_agreed(struct peal_machine *machine, int size);
/* Make the result of a split: its node as `rank` of the group. */
void group_enter(struct peal_node *view, struct group *group, int rank);

/* lend.c: nothing can move.  Copy the words that nodes wait to send, and release them; with `told` those that would
 * wait for ever without are a finding, as soon as one of the messages is taken.  false if that helps no node. */
bool machine_lend(struct peal_machine *machine, void (*release)(struct peal_machine *, struct node *), bool told);
/* A lent message is taken; forget those that never were. */
void loan_repaid(struct peal_machine *machine, uint32_t id);
void loans_forget(struct peal_machine *machine);
/* Whether the node goes on with its sends lent, and not only by what a collective sends to a node that is in it. */
bool lend_is_needed(const struct peal_machine *machine, int rank);

/* meet.c: hold the meetings that all members have joined, some of them among the nodes that ran in this phase; releases
 * the members, and gives how many. */
size_t meetings_hold(struct peal_machine *machine, const int32_t *ran, size_t count,
                     void (*release)(struct peal_machine *, struct node *));
void meetings_clear(struct peal_machine *machine);
/* The node no longer meets. */
void meet_forget(struct node *node);
/* Whether all members have joined. */
bool meet_is_held(const struct meet_call *call);
/* For a node that meets, in its last meeting: whether it waits for this one; visit all that have not come and may,
 * until visit returns true. */
bool meet_lacks(const struct peal_machine *machine, const struct node *node, int rank);
bool meet_each_missing(const struct peal_machine *machine, const struct node *node,
                       bool (*visit)(void *state, int from, int peer), void *state);
/* Find a meeting that somebody has joined and a member has not who `is_away`: who, of how many, and where. */
struct meeting_missed {
    int came, away, size; /* ranks in the machine */
    struct call_site site;
};
bool meetings_find_missed(const struct peal_machine *machine, bool (*is_away)(const struct node *node),
                          struct meeting_missed *missed);

/* output.c: print the whole lines of these nodes, or with `all` everything. */
void output_print(struct peal_machine *machine, const int32_t *ranks, size_t count, bool all);

/* Print all output of the running node, with its unfinished line: it is about to read input. */
void output_show_all(struct node *node);

/* copy.c: perform a round's copies, on several cores where that is faster.  Gives NULL, or an address that could not be
 * read or written. */
void *copies_perform(struct peal_machine *machine, const struct copy *copies, size_t count);
void *copy_bytes(void *to, const void *from, size_t bytes); /* one copy, outside of a round */
/* Do what the one-sided messages of the round do at their peers; the same. */
void *accesses_perform(struct peal_machine *machine);
void copiers_destroy(struct peal_machine *machine);
