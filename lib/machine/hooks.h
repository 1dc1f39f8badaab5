/* SPDX-License-Identifier: MIT */
/* What the machine calls, and when: the hooks.  A machine without one pays a comparison where it would be called.  The
 * first two always exist.
 *
 *   reporter         nothing moves, a run fails or ends: finds the causes, and says them
 *   crash_hooks      a run begins, fails or ends: signals, crashes, what is reported when this process cannot
 *   memory_hooks     a node posts, completes, allocates, frees, ends
 *   round_listener   a round was made
 *   progress         some time has passed, at the end of a round (progress.c; the public side is struct peal_observer)
 *   match_chooser    nothing moves but receives from any source
 *   remote           in place of carriers and rounds, where nodes are processes */
#pragma once

#include "lib/machine/nodes.h"
#include "lib/round/request.h"
#include <peal/author.h>
#include <peal/machine.h>
#include <peal/post.h>

struct progress;
struct round_failure;
struct split_call;

/* Called while every node is parked.  Each fails the run, or records a finding, if there is something to report.  Set
 * before main by lib/report/reporter.c. */
extern const struct reporter {
    /* Nothing can move.  Some nodes poll on, and the others may be stuck for good.  The last rounds served only nodes
     * that test or rest. */
    void (*deadlock)(struct peal_machine *machine);
    void (*hopeless)(struct peal_machine *machine);
    void (*livelock)(struct peal_machine *machine, int rounds);
    /* Calls of collectives: one that a node made and another of its group will not make, since it calls no more (true:
     * there is one); those that differ between nodes. */
    bool (*uncalled)(struct peal_machine *machine);
    void (*differences)(struct peal_machine *machine);
    /* Messages: kept, and never received; too long for its receive; ready, and no receive was posted. */
    void (*unmatched)(struct peal_machine *machine);
    void (*truncated)(struct peal_machine *machine, const struct round_failure *wrong);
    void (*unready)(struct node *node, const struct request *send);
    /* The node ends, and this request of its is incomplete. */
    void (*lost)(struct node *node, const struct request *lost, bool ended);
    /* A delivery could not read or write at `address`: name the node that gave us that buffer, or that request. */
    void (*bad_buffer)(struct peal_machine *machine, const char *address);
    void (*bad_request)(struct peal_machine *machine, const struct request *bad, const char *address);
    /* Nodes are about to be lent buffers, without which some would wait for ever: describe these.  Gives a flag a node,
     * of those that it names, the caller's to free; NULL without memory. */
    bool *(*unbuffered)(struct peal_machine *machine, struct peal_run_finding *finding);
    /* The run has failed: what each unfinished node waits for. */
    void (*nodes)(struct peal_machine *machine);
} * reporter;

/* Where a copy returns to if its memory was not mapped. */
struct copy_guard {
    sigjmp_buf jump;
    void *address; /* the one that could not be read or written */
};
extern _Thread_local struct copy_guard *copy_guard; /* set while this thread copies */

/* Whether a copy came back here: the whole condition of an if; never in a browser, which has no signals. */
#if PEAL_THREADS
#define copy_fails(guard) sigsetjmp((guard).jump, 0)
#else
#define copy_fails(guard) false
#endif

/* Why this process abandons a node, and ends. */
enum abandon_reason {
    NODE_STUCK, /* it has not stopped long after its time was up: no signal reaches it, or it cannot be stopped there */
    NODE_STAYS, /* the node has ended, but its thread has not */
    NODE_THREAD, /* its thread has ended, but the node has not */
    NODE_LOCKED, /* it waits for a lock held by a failed node */
};

/* Called around runs, and where nodes crash.  Set before main by lib/child/signals.c. */
extern const struct crash_hooks {
    void (*begins)(struct peal_machine *machine); /* peal_run; stacks are made next */
    void (*starts)(void);                         /* its time */
    void (*expires)(void);
    void (*ended)(const struct peal_machine *machine);
    /* Handlers of signals, for the length of a run. */
    void (*install)(struct peal_machine *machine);
    void (*restore)(struct peal_machine *machine);
    /* The node left its program by EXIT_CRASHED or EXIT_EXPIRED: report that. */
    void (*report)(struct node *node, enum node_exit way);
    /* Report that its stack overflowed; the node goes on until it parks. */
    void (*overflowed)(struct node *node);
    /* Abandon the nodes whose stacks were overwritten from above: they cannot be unwound.  Called while every node is
     * parked. */
    void (*abandon)(struct peal_machine *machine);
    /* Let this thread, which is not a node, act on a node whose memory may have been overwritten.  False if it
     * crashed. */
    bool (*survives)(void (*act)(struct node *), struct node *node);
    /* End this process, and report what is known about the node.  Does not return. */
    void (*lose)(struct node *node, enum abandon_reason why);
} * crash_hooks;

/* Collectives that are played.  Set before main by lib/score/score.c. */
extern const struct score_hooks {
    void (*begin)(struct peal_machine *machine); /* a run */
    void (*destroy)(struct peal_machine *machine);
    /* The phase is over.  True: nodes that offered their calls go on, before there is a round. */
    bool (*phase)(struct peal_machine *machine);
    void (*round)(struct peal_machine *machine); /* one is made while a call is recorded */
} * score_hooks;

/* Called on a node's own stack by its posts, waits, allocations and end, before these take effect (room: by the maker
 * of the round).  May fail the node.  Set by a check of memory (lib/memory/watch.c). */
struct memory_hooks {
    /* The request is taken; its pieces, with words of this many bytes, are not yet. */
    void (*posted)(struct node *node, uint32_t id, const struct peal_piece *pieces, int count, size_t word_bytes);
    /* The request is complete, and about to be consumed. */
    void (*finished)(struct node *node, uint32_t id);
    /* Allocate memory in place of malloc: `header` bytes for the machine, then `bytes` that the program asked for at
     * this line; NULL: out of memory.  `ours`: for scratch of the machine's own collectives. */
    void *(*get)(struct node *node, size_t header, size_t bytes, bool zero, bool ours, const char *file, int line);
    void (*put)(struct node *node, void *memory);
    /* The program, at pc, frees `memory`, and `header` bytes before it for the machine: end it if these are not from
     * get, and the node's. */
    void (*frees)(struct node *node, void *memory, size_t header, void *pc);
    /* An operator of labels is about to read or write these words, for its caller at pc; NULL: not asked for. */
    void (*touched)(const void *words, size_t bytes, bool write, void *pc);
    /* How many of the bytes that a round delivers may be written there: the heap keeps its lists behind its blocks.
     * NULL: all. */
    size_t (*room)(const void *to, size_t bytes);
    /* The node's program returned. */
    void (*ended)(struct node *node);
};

/* Called after each round by its maker, for traces and for what nodes hold.  Every node is parked, the words are
 * delivered, and the round's lists of transfers, admitted, complete and released are as the round left them. */
struct round_listener {
    void (*look)(struct peal_machine *machine, void *arg);
    void *arg;
    int64_t
        *operations; /* per node: declared when it parked last.  The listener's, which resets it; NULL: not asked for */
    struct round_listener *next; /* another one of the same machine */
};

/* Add a listener from the next run on, until it is removed.  owner: borrows it.  thread: not during a run */
void round_listener_add(struct peal_machine *machine, struct round_listener *listener);
void round_listener_remove(struct peal_machine *machine, struct round_listener *listener);

/* Called for each number of peal_random, and of rand and random where they are not seeded, in place of the node's own
 * generator; NULL: never.  Set by a confirmation (lib/marking/confirm_program.c). */
extern uint64_t (*random_source)(const struct node *node);

/* Asked before it is said that nothing can move.  Set where programs may have threads of their own (outsiders.c). */
extern const struct peal_other_threads *other_threads;

/* What a node asks the chooser, while it is parked: which of several requests its call returns, or whether a probe has
 * found a message. */
struct node_question {
    struct peal_pick *pick; /* NULL: of a probe */
    uint32_t probe;         /* 0: of requests */
    const char *file;       /* of the call */
    int line;
    bool answered, yes;
    bool no_asleep; /* the chooser's own: the answer must not be no */
};

typedef void (*node_releaser)(struct peal_machine *machine, struct node *node);

/* Called by the maker of a round when nothing else can move: decides which send a receive from any source takes.  The
 * round holds these receives (round_hold).  Set by a check (lib/check/explore.c). */
struct match_chooser {
    /* Nothing moves: call round_choose for one of the round's options, or answer a question, and return true; false:
     * there are none. */
    bool (*choose)(struct match_chooser *chooser, struct peal_machine *machine, node_releaser release);
    /* Whether there is a question to answer; NULL: it answers none. */
    bool (*is_asked)(struct match_chooser *chooser, const struct peal_machine *machine);
    bool (*refuse)(struct match_chooser *chooser, struct peal_machine *machine, node_releaser release);
};

/* Called in place of carriers and rounds where every node is a process: by the node's calls, on its own stack, and by
 * peal_machine_create, peal_run and peal_machine_destroy.  Set by an engine (lib/cluster), and where a mark is
 * confirmed (lib/marking/confirm_node.c).  May be NULL: open, close, print, called and share, which then do nothing;
 * measured; and one_clock, which then is true. */
struct remote {
    /* Find the other processes of a machine whose options are checked; release them.
     *
     *   errors   PEAL_USAGE when there are not as many as nodes; PEAL_RESOURCES when they cannot be reached */
    enum peal_status (*open)(struct peal_machine *machine, struct peal_error *error);
    void (*close)(struct peal_machine *machine);
    /* Run this process's node from entry to end, and agree with the others on how the run ended. */
    void (*run)(struct peal_machine *machine);
    /* The node has posted request `id` to, or for a message from, `peer` of the view's group. */
    void (*posted)(struct node *node, uint32_t id, int peer);
    /* As node_park. */
    void (*park)(struct node *node, enum node_state state);
    /* The node consumes a complete request; an incomplete one is tested once. */
    void (*consumed)(struct node *node, uint32_t id);
    bool (*test)(struct node *node, uint32_t id);
    void (*computed)(struct node *node, int64_t operations);
    double (*clock)(struct node *node);
    void (*print)(struct node *node, const void *bytes, size_t count);
    /* As peal_declare_call, outside of collectives. */
    void (*called)(struct peal_node *me, const struct peal_call *call, const char *file, int line);
    /* As the round does it: fills call->view; false without memory.  The call is a collective of the group. */
    bool (*split)(struct node *node, struct split_call *call);
    const struct peal_measured *(*measured)(const struct peal_machine *machine);
    bool (*one_clock)(const struct peal_machine *machine);
    /* See peal_machine_share; errors: false without memory. */
    bool (*share)(struct peal_machine *machine, void *memory, size_t bytes);

    /* For the further calls of <peal/post.h>; all three NULL: they are unsupported.  Its posts are made by `posted`,
     * which may read their extra data until the node's next call.
     *
     * Find out which of the incomplete requests are complete: at once (enough 0); after a round's rest, unless so many
     * are before (peal_count_complete); or wait until one is (enough -1). */
    void (*ask)(struct node *node, const uint32_t *ids, int count, int enough);
    bool (*probe)(struct peal_node *me, const struct peal_post *probe, struct peal_envelope *envelope);
    /* Hold the meeting, and fill `view` with the node in its group (NULL: without); false without memory. */
    bool (*meet)(struct peal_node *me, const struct peal_meeting *meeting, struct peal_node *view);
};
