/* SPDX-License-Identifier: MIT */
/* The black box: notes of a process that runs a user's program, in memory that it shares with its parent.
 *
 * A node that crashes in the C library may hold the lock of the heap or of a file, and a node that loops there cannot
 * be stopped.  After that nothing in the process that needs such a lock works, least of all a report.  So the process
 * last notes what happened, with plain stores, and waits for its end; the parent reports.  Without a parent, it writes
 * one line to standard error and ends itself. */
#pragma once

#include "lib/child/crash.h"

enum box_stage {
    BOX_BEGINS,
    BOX_LOADS,   /* the program: its constructors run */
    BOX_RUNS,    /* a machine runs */
    BOX_RAN,     /* peal_run has returned */
    BOX_REPORTS, /* and the process was found able to report */
    BOX_DONE,    /* it has reported */
};

enum box_watch { BOX_UNWATCHED, BOX_WATCHED /* its time is watched */, BOX_EXPIRES /* the run is being ended */ };

enum { BOX_TEXT = 700 }; /* of box_words */

enum note_state { NOTE_NONE, NOTE_WRITING, NOTE_WRITTEN }; /* of the crash note, which is written once */

/* Why a process cannot continue. */
struct crash_note {
    enum peal_failure_kind kind; /* PEAL_CRASH, PEAL_TIMED_OUT */
    int rank;                    /* -1: none of the nodes' */
    int signal;                  /* of process_ended: 0 or below: it exited, with this code negated */
    bool thread_ended, thread_stays, process_ended;
    bool became;    /* another program, by exec */
    bool stopped;   /* the process, by a signal */
    char stray[48]; /* PEAL_BAD_REQUEST: the function that was called outside of a node */
    bool bereft;    /* the descriptors for the report are closed */
    bool limited;   /* a limit denies the process what the report needs */
    bool locked;    /* a lock that the report needs cannot be taken */
    bool after_run; /* the nodes had ended */
    bool loading;   /* in a constructor */
    int thread_of;  /* rank -1: the node whose thread it is; -1: unknown */
    uintptr_t address;
    char refused[240]; /* of a node that crashed: see crash_refusal */
    int offset_count;
    uintptr_t offsets[CRASH_FRAMES]; /* in the program's file, of calls that had not returned; the innermost first */
};

/* Whether a parent that is about to end the process asks where its nodes are. */
enum { BOX_NOT_ASKED, BOX_ASKED, BOX_ANSWERED };

/* Where the program is untrusted, the parent trusts nothing in it: it only puts it into words. */
struct black_box {
    _Atomic uint32_t stage, note_state;
    _Atomic int64_t since;        /* nanoseconds_now, when that stage began */
    int loading;                  /* BOX_LOADS: the node whose copy is constructed; -1: that of all nodes */
    _Atomic int64_t spent;        /* of the parent's clock for limits, as child_clock_look publishes it */
    _Atomic uint32_t watch;       /* BOX_RUNS: enum box_watch */
    _Atomic uint32_t asked;       /* BOX_NOT_ASKED, ... */
    pid_t parent;                 /* receives SIGCHLD once the process is lost; 0: it polls */
    int code;                     /* BOX_DONE */
    _Atomic uint32_t shown;       /* the output is complete: it must not be printed twice */
    struct peal_machine *machine; /* of the last run; an address in that process */
    const struct image *image;    /* of the program that was loaded last: an address in that process */
    char symbols[64];             /* its machine's `symbols`; "" */
    /* the last call of a node that does not stop; after a run, of the lowest node that made a call; -1: none did */
    int rank, line;
    uintptr_t offset; /* in the program's file, where the call has no line: see struct call_site; 0: unknown */
    char file[200];
    struct crash_note words;
};

/* This process's own; NULL: no parent watches it. */
extern struct black_box *black_box;

/* Make one, to be shared with processes forked later.  NULL without memory. */
struct black_box *box_create(void);
void box_destroy(struct black_box *box);
/* Make this process use it. */
void box_use(struct black_box *box, pid_t parent);
void box_stage(enum box_stage stage);
/* A program is loaded: for the lines of what its constructors, threads and destructors do. */
void box_load(int rank); /* constructors of this node's copy run from now on */
void box_note_program(const struct image *image, const char *symbols);
/* A run begins, on this machine; its nodes and their time start; the time is up. */
void box_begin(struct peal_machine *machine);
void box_start(void);
void box_expire(void);
/* The run has ended: note the last call of its nodes, which are freed with the machine.  Damage they did may be found
 * later. */
void box_end(const struct peal_machine *machine);

/* Note the last call of one node, about which something is reported. */
void box_note_node(const struct node *node);

/* In the parent: ask the threads of `child` to note where they are, and give them a moment for it. */
void box_ask(struct black_box *box, pid_t child);

/* Note the frames of this thread's crash that lie in the program. */
void box_note_frames(struct crash_note *words, const struct peal_machine *machine);
/* Note why this process cannot go on, and wait for its end. */
_Noreturn void box_lose(const struct crash_note *words, const struct peal_machine *machine);
/* Describe it in one line.  seconds: of the limit on time.  after: what to append, "" */
void box_words(const struct crash_note *words, double seconds, const char *after, char text[BOX_TEXT]);
/* Write how to correct it; "" where that is not known.  known: whether its line is known. */
void box_fix(const struct crash_note *words, bool known, char *fix, size_t bytes);

/* Keep the descriptors that are open, and the limits as they are. */
void saved_fds_keep(void);

enum saved_fds_state {
    SAVED_FDS_RESTORED,
    SAVED_FDS_CLOSED,  /* a descriptor is lost */
    SAVED_FDS_LIMITED, /* a limit is too low for the report */
};

/* Restore the descriptors that were closed meanwhile, and the limits. */
enum saved_fds_state saved_fds_restore(void);

/* Fill the machine, which has not run, from the last one of the process whose box this is: the schedule, the cost, what
 * its nodes are doing.  The process is a child of this one, was forked by it, and is stopped; where its memory cannot
 * be read, or it is gone (0), nothing is known of the nodes. */
void recover_machine(struct peal_machine *machine, pid_t process, const struct black_box *box);

/* Make `words` the machine's failure, unless an earlier one is set; find the line. */
void recover_failure(struct peal_machine *machine, const struct black_box *box, const struct crash_note *words);
