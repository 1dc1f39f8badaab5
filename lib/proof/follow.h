/* SPDX-License-Identifier: MIT */
/* One run of a function for all numbers of nodes of a class, all ranks, roots and lengths at once: its numbers are
 * terms.  What it sends, receives and copies comes out as events, each with the condition under which it happens. */
#pragma once

#include "lib/proof/clang_tree.h"
#include "lib/proof/smt.h"
#include <setjmp.h>

/* ------------------------------------------------------------------ values */

enum value_kind {
    VALUE_NONE,       /* not initialised, or differing in a way that is not followed */
    VALUE_NUMBER,     /* a */
    VALUE_TRUTH,      /* a */
    VALUE_WORDS,      /* the words of the blocks a .. a+b-1, counted round the end */
    VALUE_LENGTH,     /* a times the words m of a block, that are all equal; number: 1 in bytes; b: at the root only */
    VALUE_WORD_BYTES, /* those of a words */
    VALUE_BYTES,      /* those of VALUE_WORDS */
    VALUE_DATA,       /* where block a begins in a buffer, its number */
    VALUE_NULL,
    VALUE_PLACE,    /* the address of an object, or of element a of one that is an array */
    VALUE_STRUCT,   /* an object that nothing else has */
    VALUE_REQUEST,  /* an event, its number */
    VALUE_FUNCTION, /* its name */
    VALUE_LIST,     /* the pieces of a list, its object: `blocks`, NULL where it is empty; it has room for a pieces */
    VALUE_GROWING,  /* those of a list that each round of a loop adds to; blocks: what this round has added */
    VALUE_OTHER     /* what models alone look at: its name, or a constant a */
};

struct c_value {
    enum value_kind kind;
    term a, b;
    int number; /* a buffer, an event; of words and other lists of blocks: an enum cut */
    struct c_object *to;
    const char *name;
    const struct block_run *blocks;
};

/* A variable of the function, or a part of one. */
struct c_object {
    const char *type;
    struct c_value value;
    struct c_object **parts; /* of a struct in the order of its fields, of an array as far as they were used */
    const json_t *fields;
    size_t capacity;
    int count, serial; /* an object is newer than those with a lower one */
    bool is_array, is_struct, zero;
    bool gone;               /* its block was left */
    int expression, operand; /* where it was last read or written: the first operand that does so */
    bool written;            /* there */
    struct c_object *next;   /* in the list of all, for freeing them */
};

/* ------------------------------------------------------------------ events */

/* How data are cut into blocks: the lengths of blocks are those of a list that the function was given, of the second
 * one (all-to-all receives other lengths than it sends), or the parts of a vector. */
enum cut { CUT_BLOCKS = 1, CUT_RECEIVED, CUT_VECTOR, CUT_NOTHING /* of no words */ };

enum buffer_kind {
    BUFFER_IN,
    BUFFER_OUT,
    BUFFER_VECTOR,
    BUFFER_BUNDLE, /* room for blocks, each in a place of its own */
    BUFFER_SCRATCH
};

struct c_buffer {
    enum buffer_kind kind;
    bool room;              /* for one block, of any rank's length */
    int own;                /* of a bundle: the buffer in which the node's own block lies; -1 among the others */
    term first, end, start; /* of a bundle: it has room for the blocks first .. end-1 after that of rank `start` */
    term allocated, freed;  /* of what malloc gave: where it did, and where that is free again; 0: others' */
};

enum event_kind { EVENT_SEND, EVENT_RECV, EVENT_COPY, EVENT_COMBINE };

/* Blocks lo .. lo+count-1, counted round the end, which begin where block `at` of the buffer lies.  step: how many
 * places each lies after the one before it, negative: before it; 0: they are neighbours. */
struct block_run {
    int buffer;
    enum cut cut;
    term at, lo, count;
    int room; /* 1: it is in a room for one block, of any rank's length */
    int step;
};

enum { EVENT_ITEMS = 3, EVENT_BRANCHES = 24 };

/* A loop of unknown length: the round k >= 0 takes place if `holds` does, which is so for the first ones only. */
struct loop {
    term k, holds, wide; /* wide: k without its bound */
    const json_t *node;
    struct loop *next;
};

struct c_event {
    enum event_kind kind;
    term condition, brief; /* those of its path up to here */
    term guard, peer, tag; /* tag: of MPI; 0: messages have none */
    struct block_run
        item[EVENT_ITEMS]; /* of a copy: where to, and where from; of a combination: where to, left, right */
    int items;
    const struct loop *loop;              /* NULL: it happens once */
    int post, wait;                       /* when, on a clock of the path; wait 0: not yet */
    int branch[EVENT_BRANCHES], branches; /* the branches and rounds of loops it lies in, negative in `else` */
    bool waits_inside;                    /* its wait is in the same round of its loop */
    int line;
    size_t unit;   /* of the line */
    uint64_t site; /* the calls that lead to it */
};

/* One way through the function. */
struct path {
    term condition; /* all decisions */
    term brief;     /* a shorter one; that it is the same is an obligation */
    struct c_event *events;
    size_t count, capacity;
};

/* ------------------------------------------------------------------ the run */

enum { BUFFERS = 40 };

/* How a statement ends. */
enum jump { JUMP_ON, JUMP_BREAK, JUMP_CONTINUE, JUMP_RETURN };

enum follow_end { FOLLOW_DONE, FOLLOW_REFUSED, FOLLOW_CLASSES }; /* CLASSES: ⌈log₂P⌉ must be known */

struct following {
    struct terms *terms;
    struct smt *smt;
    struct sources *sources;
    term P, rank, number, root, by; /* number: of the node after the root; the rank where there is none */
    term nowhere, others_nowhere;   /* 1: the vector's address is NULL, here and at another node */
    bool log_known;
    int parameter;    /* -1: it depends on ⌈log₂P⌉ */
    int own_buffer;   /* which has room for the node's own block only; -1: none */
    bool combines;    /* there is an operator */
    bool tells;       /* messages have no words: they only tell that nodes have come */
    bool one_port;    /* the function asks for the machine's ports, of which there is one */
    bool mpi;         /* the function is one for MPI */
    bool whole;       /* a length is that of a vector, not of a block; of a function for MPI */
    bool narrow;      /* a multiple of a length, up to P times it, is in an int */
    enum cut out_cut; /* how the result is cut, where a function is given one length of blocks */
    struct path *paths;
    size_t path_count, path_capacity;
    struct c_buffer buffers[BUFFERS];
    int buffer_count;
    int owns[BUFFERS]; /* the same on all paths: where the own block of a bundle lies, plus 1; 0: none */
    char reason[300];  /* why it is not followed: "ring.c:12: ..." */
    struct peal_error error;
    int facts; /* proved on the way */

    /* of the path that is run */
    term condition, brief, guard, skipped;
    bool *decisions;
    size_t decision_count, decision_capacity, decided;
    struct path path;
    int clock, branch_count, branch[EVENT_BRANCHES], branches;
    struct c_object *objects;
    int serials;
    struct {
        const char *name;
        struct c_object *object;
    } scope[1000];
    int scope_count, frame, depth;
    size_t unit;
    struct journal {
        struct c_object *object;
        struct c_value before;
        bool left; /* of what a round of a loop changes: it leaves `before` there, whatever was there */
    } * journal;
    struct touch {
        struct c_object *object;
        bool writes;
    } * touches; /* what was read or written since the outermost expression began */
    size_t touch_count, touch_capacity;
    int nested;               /* expressions that are evaluated */
    struct c_object messages; /* stands for all that is sent, received and copied */
    int expressions;
    size_t journal_count, journal_capacity;
    int journals; /* that are open */
    struct merging {
        const json_t *node;
        bool loop;
    } merging[EVENT_BRANCHES];
    int merge_count;
    const json_t *forks[200], *generic[50], *peeled[20];
    int fork_count, generic_count, peeled_count;
    struct loop *loops, *loop; /* all, and the one that is run */
    term loop_guard;           /* the condition of its round */
    const json_t *inner;       /* the loop that is run round by round now */
    int loop_serials;          /* objects up to it are older than the loop */
    bool waits_for_all;        /* there was a wait for all in this round */
    int unrolled;              /* loops that are run round by round, in a round of one that is not */
    uint64_t site;
    /* set before a path: expressions have calls and statements in them */
    struct c_value (*call)(struct following *run, struct c_function function, const struct c_value *arguments,
                           int count);
    enum jump (*statement)(struct following *run, const json_t *node, struct c_value *returned);
    const json_t *at; /* the node that is evaluated */
    long steps;
    jmp_buf stop;
};

/* Run the function on all paths.  Its arguments are those of the collective.
 *
 *   errors   FOLLOW_REFUSED: run->reason says what is not followed, or run->error is set */
enum follow_end follow_function(struct following *run, const struct c_function *function,
                                const struct c_value *arguments, int count);
void follow_fini(struct following *run);

/* ------------------------------------------------------------------ for models of functions */

/* Give up: what is at run->at is not followed. */
_Noreturn void follow_refuse(struct following *run, const char *format, ...) PEAL_PRINTF(2, 3);
_Noreturn void follow_needs_log(struct following *run);

/* Whether it holds wherever the run is now. */
bool follow_holds(struct following *run, term truth);

/* Give up unless it holds here. */
void follow_require(struct following *run, term truth, const char *why);

/* Give up unless this is the root, if the value counts there only. */
void follow_require_root(struct following *run, term root_only);

term follow_number(struct following *run, struct c_value value);

/* A number modulo P, as a rank or a block: 0 .. P-1. */
term follow_round(struct following *run, term number);

struct c_value follow_value(enum value_kind kind, term a, term b);
void *follow_allocate(struct following *run, size_t bytes); /* until the path ends */
struct c_object *follow_object(struct following *run, const char *type);
struct c_object *follow_field(struct following *run, struct c_object *object, const char *name);
struct c_object *follow_element(struct following *run, struct c_object *array, term index);
struct c_object *follow_at(struct following *run, struct c_value place); /* what a place is of */
void follow_store(struct following *run, struct c_object *object, struct c_value value);
struct c_value follow_load(struct following *run, struct c_object *object);

/* Post an event, and wait for it. */
struct c_event *follow_post(struct following *run, enum event_kind kind, term peer, const struct block_run *items,
                            int count);
void follow_wait(struct following *run, size_t from, size_t to); /* all of these that are outstanding */

/* Run again, with the loop that is now run round by round as one of unknown length; give up if there is none. */
_Noreturn void follow_whole_loop(struct following *run);

/* ------------------------------------------------------------------ lists of blocks */

/* An empty list with room for `most` pieces, as struct list. */
struct c_value follow_list_new(struct following *run, term most);

/* Add one block. */
void follow_list_add(struct following *run, struct c_object *list, struct block_run item);

/* The blocks of `pieces`, if `count` is their number, of the same list; NULL for other values. */
const struct block_run *follow_list_blocks(struct c_value pieces, struct c_value count);

/* Of a member of a list, which a round of a loop has given the value `after`: the value with which the next round is
 * run; false: there is none. */
bool follow_list_grows(struct c_value before, struct c_value after, struct c_value *next);

/* What the member is after all rounds of the loop, whose counter grows by `by` per round; `after`: after one. */
struct c_value follow_list_grown(struct following *run, const struct loop *loop, struct c_value before,
                                 struct c_value after, int64_t by);

/* What a call of a library's function does; false: there is no model of it. */
bool follow_model(struct following *run, const char *name, const struct c_value *arguments, int count,
                  struct c_value *result);
