/* SPDX-License-Identifier: MIT */
/* Accesses of all nodes to the memory of windows, in strict runs: conflicting ones are findings. */
#ifndef LIB_MPI_CONFLICT_H
#define LIB_MPI_CONFLICT_H

#include "mpi/span.h"
#include "mpi/win.h"

struct touch;

/* The kind of an access: by the owner of the memory, in a call's own buffer; or by a call at its target. */
enum touch_kind { TOUCH_LOAD, TOUCH_STORE, TOUCH_GET, TOUCH_PUT, TOUCH_ACCUMULATE };

/* The operation of an accumulate. */
struct touch_op {
    MPI_Op op;              /* MPI_OP_NULL: compares and swaps */
    const struct type *one; /* the basic type; NULL: several */
};

bool conflict_begin(int nodes);
void conflict_end(void);

/* The present call accesses this data of the rank's from now on, until conflict_close; it was made in the phase
 * `called`, and has waited only for the target's lock.  NULL in a run that is not strict. */
struct touch *conflict_open(struct mpi *mpi, const struct win *win, int rank, const struct typed_data *target,
                            enum touch_kind kind, struct touch_op op, uint64_t called);

/* The present call accesses its own buffer, where that is in a window; else NULL. */
struct touch *conflict_local(struct mpi *mpi, const struct byte_span *span, bool writes);
void conflict_close(struct mpi *mpi, struct touch *touch);

/* Memory of this node is part of a window from now on, or no longer: in a strict run of a watched program conflict_look
 * is asked of every access to it. */
void conflict_expose(const void *base, size_t bytes, bool more);

/* The program itself loads from such memory of its node's, or stores to it; `site` is the address that follows in the
 * code. */
void conflict_look(struct peal_node *me, const void *address, size_t bytes, bool writes, const char *site);

/* The node has one lock more, or less: of all, or of its own memory alone, which keeps others out. */
void conflict_lock(const struct mpi *mpi, bool all, bool more);

/* The program cares for the unified memory model, in which nodes may poll: only stores during updates are wrong in
 * both. */
void conflict_unify(void);

/* Nodes share memory: a node may know that an access is complete before the next round. */
void conflict_share(void);

#endif
