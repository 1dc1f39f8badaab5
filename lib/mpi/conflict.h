/* SPDX-License-Identifier: MIT */
/* Accesses of all nodes to the memory of windows, in strict runs: those that conflict are findings. */
#ifndef LIB_MPI_CONFLICT_H
#define LIB_MPI_CONFLICT_H

#include "lib/mpi/span.h"
#include "lib/mpi/win.h"

struct touch;

/* What is done: by the node whose memory it is, in a call's own buffer; or by a call at its target. */
enum touch_kind { TOUCH_LOAD, TOUCH_STORE, TOUCH_GET, TOUCH_PUT, TOUCH_ACCUMULATE };

/* What an accumulate does. */
struct touch_op {
    MPI_Op op;              /* MPI_OP_NULL: compares and swaps */
    const struct type *one; /* the basic type; NULL: several */
};

bool conflict_begin(int nodes);
void conflict_end(void);

/* The call that is made accesses that data of the rank's from now on, until conflict_close.  NULL in a run that is not strict. */
struct touch *conflict_open(struct mpi *mpi, const struct win *win, int rank, const struct data *target,
                            enum touch_kind kind, struct touch_op op);

/* The same of a call's own buffer, where it is in a window; else NULL. */
struct touch *conflict_local(struct mpi *mpi, const struct span *span, bool writes);
void conflict_close(struct mpi *mpi, struct touch *touch);

/* Nodes share memory: a node may know that an access is complete before the next round. */
void conflict_share(void);

#endif
