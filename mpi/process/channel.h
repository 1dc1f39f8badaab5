/* SPDX-License-Identifier: MIT */
/* What a node and its process share: one call at a time, in memory that both map.
 *
 *   file           one for a run: a hall, then a channel for each node.  Of enclosed nodes, which share nothing with
 *                  one another, each channel is a file of its own, and the processes do not map the hall
 *   state          who may read and write: the process (COMPUTES, ANSWERED, ASKS), its node (HAS_CALLED, GIVEN)
 *   hall->bell     grows whenever a process calls, has done what it was asked, or has ended: the nodes sleep on it; if
 *                  enclosed, on the states, too */
#pragma once

#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A word that one side changes, while the other waits for that. */
struct awaited {
    _Atomic uint32_t word, sleeps;
};

static inline void
futex(_Atomic uint32_t *word, int what, uint32_t value, const struct timespec *time)
{
    syscall(SYS_futex, word, what, value, time, NULL, 0);
}

static inline int64_t
channel_nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Wait until the word has another value, at most for the time; NULL: without end.  Others run first, whom it may wait
 * for, and the core stays awake: a switch costs 1 us, waking an idle core 20 to 50.  Not before that time of all who
 * wait, nor if it is NULL.  After one has taken long that is later, since the system then lets this one wait as long
 * again. */
static inline void
awaited_wait(struct awaited *one, uint32_t value, const struct timespec *time, _Atomic int64_t *not_before)
{
    enum { AWAKE = 50 * 1000, LONG = 200 * 1000, WHILE = 200 }; /* nanoseconds; WHILE: times what was lost */
    int64_t now = not_before ? channel_nanoseconds() : 0;

    for (const int64_t end = now + AWAKE; not_before && now < end && now >= atomic_load(not_before);) {
        const int64_t began = now;

        if (atomic_load(&one->word) != value)
            return;
        sched_yield();
        now = channel_nanoseconds();
        if (now - began > LONG)
            atomic_store(not_before, now + WHILE * (now - began));
    }
    atomic_store(&one->sleeps, 1);
    futex(&one->word, FUTEX_WAIT, value, time); /* looks at the word after that store */
    atomic_store(&one->sleeps, 0);
}

/* Wake who waits, after a change of the word. */
static inline void
awaited_wake(struct awaited *one)
{
    if (atomic_load(&one->sleeps))
        futex(&one->word, FUTEX_WAKE, 1, NULL);
}

enum channel_state {
    COMPUTES,   /* the process, outside of MPI */
    HAS_CALLED, /* it has made a call, */
    ANSWERED,   /* which the node has answered */
    ASKS,       /* the node asks for something that only the process can do, */
    GIVEN,      /* which it has done */
};

enum { LARGE_CALL = 1 << 12 }; /* added to the number of a call */

/* What a node asks for. */
enum process_request {
    ASK_READ,  /* copy bytes of the process's memory to the room, */
    ASK_WRITE, /* or from it */
    ASK_CALL,  /* call a function of the program */
    ASK_ARRAY, /* find the array of Python with an address: where its memory begins, its bytes, in the room its name */
    ASK_MAP,   /* map memory behind the channels in the file: the offset, the number of bytes */
    ASK_THREADS, /* whether another thread, outside of MPI, may call: the result */
};

enum {
    MAX_ENCLOSED = 64,
    MAX_ARGUMENTS = 16,
    SLOT_BYTES = 32,
    TEXT_BYTES = 2048,
    MAX_PIECES = 4,
    PIECES_BYTES = 1024,
    ROOM_BYTES = 1 << 18,
    MAX_NAMES = 256
};

/* What must be converted between the interface of the program's library and Peal's. */
enum element_kind {
    ELEMENT_PLAIN,
    ELEMENT_RANK,
    ELEMENT_TAG,
    ELEMENT_ERROR,
    ELEMENT_SENTINEL, /* an address that names no memory */
    ELEMENT_ASSERT,   /* a sum of MPI_MODE_ constants */
    ELEMENT_KEYVAL,
    ELEMENT_COMPARISON,
    ELEMENT_TOPOLOGY,
    ELEMENT_SPLIT,
    ELEMENT_LOCK,
    ELEMENT_THREADS,
    ELEMENT_ORDER,
    ELEMENT_DISTRIBUTION,
    ELEMENT_PORTION,
    ELEMENT_COMBINER,
    ELEMENT_CLASS,
    ELEMENT_FLAVOR,
    ELEMENT_MODEL,
    ELEMENT_INTEGER, /* plus the kind: a handle in Fortran */
    ELEMENT_STATUS = ELEMENT_INTEGER + 16,
    ELEMENT_LARGE,  /* an MPI_Count, in place of an int */
    ELEMENT_HANDLE, /* plus the kind */
};

/* ELEMENT_INTEGER or ELEMENT_HANDLE plus an enum handle_kind. */
#define OF_KIND(element, kind) ((int)(element) + (int)(kind))

/* A handle or number of the interface, and Peal's own; the handles come first, zeros end the list. */
struct known_name {
    uint64_t kind, theirs, ours;
};

/* The interface's form of a status. */
enum status_form { STATUS_OF_OPENMPI, STATUS_OF_MPICH, STATUS_OF_ABI };
static const size_t status_bytes[] = {24, 20, 32};

/* Where a call is made: with line 0 at the offset in a file with code. */
struct call_place {
    int32_t line;
    uint64_t offset;
    char file[256], function[64], through[64];
};

/* Short pieces of the process's memory, which it copies itself: from there or to there. */
struct short_pieces {
    uint32_t count, bytes[MAX_PIECES];
    uint64_t at[MAX_PIECES];
    unsigned char data[PIECES_BYTES];
};

struct channel {
    struct awaited state;     /* by the process */
    _Atomic uint32_t ended;   /* or stopped: 1 + the status that wait gave; 0: it has not */
    _Atomic uint32_t refused; /* errno, if the program could not be started */
    _Atomic uint32_t pid;     /* the process, which waits here until the spawner knows it: 0 */
    int32_t output;           /* the descriptor of its standard output, before it is started */
    uint64_t seed;            /* of an enclosed process, for the environment */
    uint64_t self;            /* this channel's address in the process; 0: it has not called MPI */
    /* the call */
    int32_t call, large; /* large: it has counts of 64 bits */
    struct call_place place;
    char lacks[64]; /* the function that it calls, if Peal does not have it */
    char said[256]; /* the exception that ends the program; "": none */
    int64_t result;
    double seconds;
    uint64_t values[MAX_ARGUMENTS];
    unsigned char slots[MAX_ARGUMENTS][SLOT_BYTES];
    char texts[MAX_ARGUMENTS][TEXT_BYTES];
    int32_t runs;              /* whether it is between MPI_Init and MPI_Finalize */
    struct short_pieces ahead; /* what the call reads, if it is the last one again, with the same values */
    struct short_pieces back;  /* what it writes */
    /* other threads that want to call, and wait until the call has returned */
    _Atomic uint32_t waiting;
    _Atomic int32_t next_call; /* what one of them calls, and where; 0 or -1: that is not known */
    struct call_place next_place;
    /* what is asked */
    int32_t asked;
    uint64_t function_at, with[6];
    uint64_t cells[2];    /* numbers to which the function gets pointers */
    uint64_t objects[16]; /* values of attributes of MPI's own, to which the program gets pointers */
    struct known_name names[MAX_NAMES];
    int32_t handle_bytes, status_form;
    _Alignas(64) unsigned char room[ROOM_BYTES];
};

struct hall {
    struct awaited bell;
    _Atomic int64_t yields_not_before; /* of CLOCK_MONOTONIC, in nanoseconds */
    int32_t count;
    size_t channel_bytes; /* of each, in whole pages; the first begins there, too */
    int32_t enclosed, files[MAX_ENCLOSED];
};

/* The variable of the environment by which a process finds its channel: "DESCRIPTOR RANK PARENT ENCLOSED"; an enclosed
 * node's own random number; the lines of its program, whose file it cannot read. */
#define CHANNEL_VARIABLE "PEAL_PROCESS"
#define SEED_VARIABLE "PEAL_SEED"
#define LINES_VARIABLE "PEAL_LINES"
