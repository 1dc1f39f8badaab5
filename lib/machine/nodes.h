/* SPDX-License-Identifier: MIT */
/* A node: what its program and the machine know of it. */
#pragma once

#include <peal/node.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum node_state {
    NODE_RUNS,     /* or is about to */
    NODE_WAITS,    /* for requests */
    NODE_POSTS,    /* for a place in a box */
    NODE_TESTS,    /* one round, then answers */
    NODE_RESTS,    /* one round */
    NODE_SLEEPS,   /* one round, which barely counts as polling */
    NODE_SPLITS,   /* for the rest of its group */
    NODE_MEETS,    /* for the others of a meeting */
    NODE_OFFERS,   /* for the others to come to its collective, or for the end of the phase: lib/score */
    NODE_FINISHED, /* its program returned */
    NODE_FAILED,   /* it was unwound */
};

/* Ways to leave a node program other than returning, as sigsetjmp gives them. */
enum node_exit { EXIT_NONE, EXIT_DONE, EXIT_FAILED, EXIT_UNWOUND, EXIT_CRASHED, EXIT_EXPIRED };

/* A node seen in a group and a context. */
struct peal_node {
    struct node *node;
    struct group *group;
    int rank;
    uint32_t context;
    const char *collective; /* the outermost one entered, NULL in the program */
    const char *file;       /* reported in place of the call's own place, when entered */
    int line;
    uint32_t collectives;   /* the context of the collectives that are called on it */
    int parameter;          /* of the algorithm that runs, 0: none */
    uint32_t scale;         /* machine words in one of its words: 1 except for views */
    size_t words_limit;     /* of a message, in its own words */
    size_t packet;          /* words of a packet on a noncombining machine; 0: no limit */
    size_t blocks;          /* memory blocks that were allocated on it and not freed */
    struct peal_node *next; /* the node's list of views */
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

/* The probable cause of a later crash, noted by a call and reported if the node crashes. */
struct crash_hint {
    const char *call; /* NULL: none */
    const char *file; /* and line: where its buffer is a pointer; NULL: its displacements look like bytes */
    int line, displacement, elements;
    const void *buffer;
    uintptr_t held; /* the pointer */
};

/* A partner out of range that a call was given, and the ranks of the group: what advice was about. */
struct bad_partner {
    const struct group *group; /* NULL: none */
    const char *instead;
    int rank, peer;
    bool sends;
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
    struct shadow_copy *copy;       /* of its program's, likewise; NULL: it has accessed nothing yet */
    uintptr_t program;              /* the base of its copy of the program, once it was looked up: passed.c */
    void *held;                     /* of the call it is in: freed with the node's memory if the call does not return */
    struct meet_call *meets;        /* the meetings it waits for, the last first */
    struct strands *strands;        /* strand.c; NULL: it never had any */
    uint32_t ready;                 /* its ready sends since the last round, a list */
    uint32_t wanted;                /* NODE_TESTS: how many more of the tested requests are wanted */
    struct node_question *question; /* NODE_WAITS: the question whose answer it waits for; NULL: none */
    bool calls_ended;               /* it makes no more collective calls: see peal_end_calls */
    bool called;                    /* it has called a collective that has words */
    bool aborts;                    /* its program ends the run: peal_abort_at */
    bool crashed_by_abort;          /* or by abort(), as assert does */
    bool times;                     /* it asks for the time repeatedly, where computing costs nothing */
    int buffered;                   /* its buffered sends that are not carried yet */
    uint64_t buffered_words;
    bool ends;                      /* its program is over */
    bool clearing;                  /* its memory is being freed */
    uint8_t stopped;                /* 1 + its enum node_state when its time was up; 0: its time was not up */
    uint32_t kind;                  /* of the collective that it agreed on last: calls.c; 0: not known */
    uint32_t call;                  /* the collective that it called last: callers.c; 0: not kept */
    int agreed;                     /* off the line of the collective that it agreed on last: see site_take */
    bool writes_result;             /* peal_suspect_result */
    struct crash_hint *crash_hint;  /* NULL: none; not on the heap, which a crash may have corrupted */
    char *advice;                   /* the fix of its next failure or finding; NULL: none */
    struct bad_partner bad_partner; /* the last that was advised on */
    struct shown_values *shown;     /* values.c; NULL: none */
    uint64_t call_note;             /* the types of its next collective call's data: see peal_call_types */
    const char *call_types;
};

extern _Thread_local struct node *self
    __attribute__((tls_model("initial-exec"))); /* the node that runs on this thread */
enum { SIGNAL_STOP = 23 };                      /* SIGURG: sent to a node that still computes when the time is up */

/* Whether it has not ended. */
static inline bool
node_is_left(const struct node *node)
{
    return node->state != NODE_FINISHED && node->state != NODE_FAILED;
}
