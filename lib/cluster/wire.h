/* SPDX-License-Identifier: MIT */
/* The calls that Peal needs of a message-passing library, as one table.  The files libpeal-mpi-openmpi.so and -mpich.so
 * fill one each (wire_mpi.c, the only file that sees mpi.h); libpeal loads the one that the job runs under.
 *
 * Every call is made by the thread that runs the process's node. */
#pragma once

#include <peal/machine.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { WIRE_VERSION = 7 };

/* The processes of one machine, and Peal's own communicators between them. */
struct wire {
    int rank, size;
    int local;      /* processes on this process's host */
    int most_tags;  /* the largest tag */
    bool crowded;   /* more processes than cores on this host: a waiting process must let others work */
    unsigned polls; /* how often MPI is asked before something else is looked at */
};

/* A clock that costs little. */
static inline int64_t
ticks_now(void)
{
#if defined __x86_64__
    return (int64_t)__builtin_ia32_rdtsc();
#else
    return nanoseconds_now();
#endif
}

/* Nothing came: let others have the core now and then, if they need it.  Processes that sleep a moment are woken before
 * those that yield. */
static inline void
wire_relax(const struct wire *wire)
{
    static unsigned turns;

    if (wire->crowded && (++turns & 7) == 0)
        nanosleep(&(struct timespec){.tv_nsec = 10 * 1000}, NULL);
}

/* The result of a request. */
struct wire_status {
    int source, tag;
    size_t bytes;
};

enum wire_answer { WIRE_PENDING, WIRE_DONE, WIRE_TOO_LONG, WIRE_BROKEN };

struct wire_kind {
    int version;
    const char *name;             /* "Open MPI", "MPICH" */
    const char *(*library)(void); /* its version, in words */
    /* Begin MPI unless the program has; end it if begin began it. */
    bool (*begin)(void);
    void (*end)(void);
    /* Duplicate *communicator, an MPI_Comm (NULL: of all processes); NULL when that fails. */
    struct wire *(*open)(const void *communicator);
    void (*close)(struct wire *wire);
    /* The first `processes` of *communicator by themselves, an MPI_Comm that lasts until the next call; NULL on the
     * others and when that fails.  All must call. */
    const void *(*narrow)(const void *communicator, int processes);

    /* Requests are numbered by the caller; a number stands for one at a time.  A context is a communicator: 0 and 1
     * exist, splits make others. */
    bool (*send)(struct wire *wire, uint32_t context, uint32_t id, const void *data, size_t words, size_t word_bytes,
                 int peer, int tag);
    bool (*receive)(struct wire *wire, uint32_t context, uint32_t id, void *data, size_t words, size_t word_bytes,
                    int peer, int tag);
    /* Ask at most `turns` times whether it is complete; `status` may be NULL. */
    enum wire_answer (*test)(struct wire *wire, uint32_t id, unsigned turns, struct wire_status *status);
    /* Give up a receive; a send is left to complete. */
    void (*cancel)(struct wire *wire, uint32_t id);
    /* Discard one message that was not received, if there is one. */
    bool (*swallow)(struct wire *wire);
    /* Split `parent`: processes of one color >= 0 get the contexts `context` and `context` + 1.  All members must
     * call. */
    bool (*split)(struct wire *wire, uint32_t parent, int color, int key, uint32_t context);
    /* Forget the contexts from 2 on; with `all`, make 0 and 1 anew too, so that they hold no earlier message. */
    void (*forget)(struct wire *wire, bool all);

    /* Separately: control messages between the processes' libraries.  post copies; look returns the next one, which
     * the caller frees, or NULL. */
    bool (*post)(struct wire *wire, int dest, int kind, const void *bytes, size_t count);
    void *(*look)(struct wire *wire, int *source, int *kind, size_t *count);
    /* A gather over all processes of a context: begin it, and ask whether all have. */
    bool (*gather_begin)(struct wire *wire, uint32_t context, const int mine[2], int *all);
    bool (*gather_done)(struct wire *wire);
    bool (*meet_begin)(struct wire *wire);
    bool (*meet_done)(struct wire *wire);
    void (*broadcast)(struct wire *wire, void *bytes, size_t count, int root);
    /* Give all bytes of all processes, in order of the ranks, and the number of each; the caller frees them.  NULL
     * without memory. */
    char *(*exchange)(struct wire *wire, const void *bytes, size_t count, size_t *counts);
    double (*seconds)(void);
    void (*abort)(struct wire *wire, int code);
};

/* What each file defines. */
extern const struct wire_kind peal_wire;
