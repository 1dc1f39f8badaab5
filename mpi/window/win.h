/* SPDX-License-Identifier: MIT */
/* Windows: memory that other nodes access, and the epochs in which they may. */
#pragma once

#include "mpi/strict/happens_before.h"

/* Memory attached to a dynamic window; the list is its node's, and read by the machine when a message is delivered. */
struct win_region {
    char *base; /* as the program names it */
    size_t bytes;
    struct win_region *next;
    ptrdiff_t shift; /* from there to the memory: not 0 where the program is a process of its own */
};

/* Where a node asserted MPI_MODE_NOPUT: at its last even or odd fence, counted from 1, or at MPI_Win_post.  Others read
 * it in the following epoch. */
struct asserted {
    uint64_t fences[2]; /* 0: none */
    const char *fence_sites[2];
    const char *post_site; /* NULL: it did not */
};

/* A node's share of a window. */
struct member {
    char *base; /* of a dynamic window NULL: displacements are addresses */
    MPI_Aint size;
    int unit;
    struct win_region **regions; /* of a dynamic window; else NULL */
    const struct asserted *asserted;
    struct vclock_locks *locks, *syncs; /* guarded by vclock_lock */
};

/* The node's right to the memory of one other. */
enum lock_state { UNLOCKED, LOCKED_SHARED, LOCKED_EXCLUSIVE };

struct target {
    uint8_t lock;            /* enum lock_state, as the program asked */
    bool started;            /* MPI_Win_start named it */
    struct peal_handle held; /* the machine's lock; PEAL_NO_HANDLE: none */
};

/* A call that a node repeats for one result, within one phase. */
struct spin {
    const char *site;
    const void *result, *target;
    uint64_t phase;
    int count;
};
enum { SPINS = 8 };

struct win {
    struct comm *comm; /* the window's own communicator: its contexts, and the handler of errors */
    MPI_Win handle;
    int flavor, model;          /* values of attributes */
    struct member *members;     /* by rank */
    struct win_region *regions; /* of this node */
    struct asserted asserted;
    void *memory; /* that the window allocated, or NULL */
    char *name;
    struct attribute *attributes;
    struct info *hints;

    /* the access epoch */
    uint64_t fences;    /* fences called so far */
    bool fenced;        /* a fence has opened one */
    bool used;          /* and there has been an access since */
    bool started;       /* by MPI_Win_start */
    bool all;           /* by MPI_Win_lock_all */
    bool all_free;      /* with MPI_MODE_NOCHECK */
    const char *opened; /* where the last epoch was opened */
    int locks;          /* targets that MPI_Win_lock has locked, MPI_PROC_NULL included */
    bool nobody;        /* MPI_PROC_NULL is one of them */
    int *start;         /* ranks that MPI_Win_start named */
    int start_count;
    struct target *targets;            /* by rank */
    struct win_access *first, *last;   /* not yet completed */
    uint32_t made;                     /* the node's turns when it was made (happens_before.h) */
    struct spin spins[SPINS];          /* by a hash of the call's place */
    struct touch *touches;             /* of those that are complete at the origin only (conflict.h) */
    struct vclock_locks known, synced; /* by holders of this node's lock; at MPI_Win_sync on shared memory, rank 0's */

    /* since a fence that was not the last of its epoch */
    const char *fence; /* its place; NULL: there is none */
    const char *inner; /* the place of a call that opened another epoch, with accesses, since; or NULL */
    const char *inner_call;
    uint64_t inner_end; /* the phase in which it was closed */

    /* the exposure epoch, by MPI_Win_post */
    bool posted;
    struct peal_handle *completes; /* receives of the messages that end it */
    int complete_count;
};

/* Find the window of a handle; return an error from the call if there is none. */
#define FIND_WIN(found, window)                                                                                        \
    struct win *found = handle_find(mpi, KIND_WIN, (uintptr_t)window);                                                 \
    if (!found)                                                                                                        \
    return mpi_error(mpi, NULL, MPI_ERR_WIN, #window " %s", handle_wrong(mpi, KIND_WIN, (uintptr_t)window))

/* Check a rank that may be MPI_PROC_NULL. */
int win_check_rank(struct mpi *mpi, struct win *win, const char *name, int rank);

/* The call that opened an epoch, at win->opened, "MPI_Win_start"; NULL: none is open. */
const char *win_epoch_call(const struct win *win);

/* Windows are closed when the node comes to MPI_Finalize: fail if an epoch is open. */
void win_end(struct mpi *mpi);

/* ------------------------------------------------------------------ win_access.c */

/* Complete the accesses to a rank, or to all with -1.  Gives the error of the first that is wrong.  *any, unless NULL:
 * there were some. */
int access_complete(struct mpi *mpi, struct win *win, int rank, bool *any);

/* Complete the access of a request, and free it. */
int access_finish(struct mpi *mpi, struct win_access *access);

/* The program may use its buffers from now on. */
void access_give(struct mpi *mpi, struct win_access *access);

/* The access no longer has a request. */
void win_access_free(struct win_access *access);

/* win_epoch.c: wait for the lock of the rank. */
void win_take_lock(struct mpi *mpi, struct win *win, int rank, bool shared);

/* Check that the node may access the rank now, and take the lock if MPI_Win_lock_all has promised it. */
int win_check_access(struct mpi *mpi, struct win *win, int rank, bool passive_only);

/* Report that the node is about to update the rank's memory, by a put or otherwise, if the rank has asserted that
 * nobody does. */
void win_compare_asserted(struct mpi *mpi, const struct win *win, int rank, bool puts);

/* info.c: take the values of the standard's hints; with MPI_INFO_NULL, their defaults. */
int win_take_hints(struct mpi *mpi, struct win *win, MPI_Info info);
void win_drop_hints(struct mpi *mpi, struct win *win);

/* The window as an owner of attributes: see attribute.h. */
struct owner win_owner(struct win *win);
