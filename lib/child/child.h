/* SPDX-License-Identifier: MIT */
/* Runs in a child process: it does something, and reports by what it writes; its parent reads that, watches the time
 * and the memory that it takes, and reports how it ended. */
#pragma once

#include "lib/base/clock.h"
#include <peal/machine.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/resource.h>

struct black_box;
struct child;

enum { CHILD_TOKEN_BYTES = 16, CHILD_SILENT_SECONDS = 5 };

/* What a child may take. */
struct child_limits {
    double run_seconds;    /* of one run, and of a program's constructors; 0: any */
    double silent_seconds; /* more, for a run that its machine should have ended; usually CHILD_SILENT_SECONDS */
    uint64_t memory_bytes; /* 0: any */
    bool own_memory;       /* without the memory that it shares */
};

/* The program that a child runs, for looking up lines.  bytes NULL: it has none */
struct child_program {
    const void *bytes;
    size_t size;
};

/* What a child is to be. */
struct child_setup {
    const char *what;                       /* it is for, "the run" */
    int (*body)(void *arg, struct child *); /* what it does; gives its exit code; NULL: it is a fork of its caller */
    void *arg;
    struct black_box *box; /* where it notes why it cannot report; NULL: nowhere */
    bool signals;          /* its parent gets SIGCHLD then */
    atomic_int *denied;    /* 1 + the number of the system call for which the sandbox ended it; NULL */
    char *(*say_denied)(int number, char text[200]);
    struct child_limits limits; /* which its parent may change while it runs */
    struct child_program program;
    int on_death;                       /* the signal that it gets when its parent ends; 0: SIGKILL */
    bool untrusted;                     /* it leaves its parent's session: with it ends every process that it started */
    bool prints;                        /* its output is separate, at most `most_printed` bytes */
    size_t most_printed, most_reported; /* bytes that are read of it; 0: all of a report */
    bool talks;                         /* it also reads: parent and child share a socket that nobody else reads */
    bool alone;                         /* where the system allows, it is process 1 of a namespace, and sees no other */
    bool here; /* in a build without processes this process runs it, before peal_child_start returns */
};

/* The clock for a child's limits. */
struct child_clock {
    struct time_spent spent;
    int64_t stage_since, stage_began; /* when the child's stage began, by its box; the same on this clock */
};

/* Read the child's clock, and publish it to the child in its box. */
void child_clock_look(struct child *child);

/* What a child writes. */
struct child_stream {
    int from;   /* -1: it has ended */
    int to;     /* in the child */
    char *text; /* what has come; the parent takes and frees it */
    size_t bytes, room;
    size_t taken; /* of these, by child_read_message */
};

struct child {
    struct child_setup setup;
    pid_t process; /* 0: none */
    struct child_stream report, printed;
    unsigned char token[CHILD_TOKEN_BYTES]; /* only it and its parent know it */
    bool over;                              /* it has ended, and everything it wrote has been read */
    bool overflows;                         /* it prints too much */
    struct child_clock clock;
    int64_t progressed; /* when it last made progress, by the caller's measure, who sets it */
    struct rusage used; /* once it has been ended */
    int ends;           /* a pidfd; -1: none */
    struct child *next;
};

/* Start it.  The struct stays where it is until peal_child_end.  Without a body it returns in the child, too, whose
 * `process` is 0; such a child has no streams.
 *
 *   thread   no other thread may run in the process: it forks
 *   errors   PEAL_RESOURCES: there is no child */
PEAL_PRIVATE enum peal_status peal_child_start(struct child *child, const struct child_setup *setup,
                                               struct peal_error *error);

/* Wait for a moment until a child of this process writes or ends; read what they all write, and look at their time. */
PEAL_PRIVATE void peal_child_attend(void);

/* What is wrong with a child, by its limits. */
enum child_fault {
    CHILD_WELL,
    CHILD_LOST,  /* it has noted in its box why it cannot go on */
    CHILD_LATE,  /* it has made no progress for too long */
    CHILD_LOADS, /* constructors of its program have run for too long */
    CHILD_LARGE, /* it takes too much memory */
};
enum child_fault child_look(const struct child *child);

/* End it, with SIGKILL, and everything that it has started if it is untrusted. */
PEAL_PRIVATE void peal_child_kill(const struct child *child);

/* Wait for its end; gives its status, as of waitpid.  Its streams' texts stay. */
PEAL_PRIVATE int peal_child_end(struct child *child);

/* In a child: end it; where this process runs it, its body ends. */
_Noreturn void child_exit(int code);

/* The bytes that a process has in memory, 0 when unknown, with `own` without shared ones; the most it may have. */
uint64_t child_memory(pid_t process, bool own);
uint64_t child_memory_limit(void);
