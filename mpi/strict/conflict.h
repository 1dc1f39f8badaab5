/* SPDX-License-Identifier: MIT */
/* Accesses of all nodes to the memory of windows, in strict runs: two that conflict are a finding if neither happens
 * before the other. */
#pragma once

#include "mpi/strict/span.h"
#include "mpi/window/win.h"

struct touch;
struct vclock_clock;

/* The kind of an access: by the owner of the memory, also in a call's own buffer; then by a call at its target. */
enum touch_kind { TOUCH_LOAD, TOUCH_STORE, TOUCH_GET, TOUCH_PUT, TOUCH_ACCUMULATE };

/* The operation of an accumulate. */
struct touch_op {
    MPI_Op op;              /* MPI_OP_NULL: compares and swaps */
    const struct type *one; /* the basic type; NULL: several */
};

/* The clocks that an access to a window takes along, and brings back. */
struct touch_order {
    struct vclock_clock *gives; /* the clock at its post */
    uint32_t *got;              /* the clocks of the nodes whose updates it has read */
    bool polls;                 /* it polls, or may: what it reads orders what follows */
};

bool conflict_begin(int nodes);
void conflict_end(bool whole); /* as vclock_end */

/* From now until conflict_close the present call accesses this data of the rank.  NULL in a run that is not strict. */
struct touch *conflict_open(struct mpi *mpi, const struct win *win, int rank, const struct typed_data *target,
                            enum touch_kind kind, struct touch_op op, struct touch_order *order);

/* The machine carries out the access, while no node runs: whether it updates the memory, and reads it. */
void conflict_reach(struct touch *touch, struct touch_order *order, bool updates, bool reads);

/* The node has received what the access read; that memory is free again. */
void conflict_got(const struct mpi *mpi, struct touch *touch, struct touch_order *order);

/* The access is complete at its target; or only at the origin, until conflict_flush. */
void conflict_close(struct touch *touch);
void conflict_wait(struct win *win, struct touch *touch);
void conflict_flush(struct win *win, int rank); /* -1: all ranks */

/* The present call accesses its own buffer, where that is in a window; else NULL.  `blocking`: until
 * conflict_return. */
struct touch *conflict_local(struct mpi *mpi, const struct byte_span *span, bool writes, bool blocking);
void conflict_return(struct mpi *mpi);

/* The node calls MPI_Win_lock_all, or locks its own memory.  If it has synchronised with nobody since the window was
 * made, its own earlier accesses there are ignored: programs set windows up this way, often ordered by time only. */
void conflict_set_up(const struct mpi *mpi, const struct win *win);

/* Memory of this node is part of a window from now on, or no longer: in a strict run of a watched program conflict_look
 * is called for every access to it. */
void conflict_expose(const void *base, size_t bytes, bool more);

/* The program itself loads from such memory of its node, or stores to it; `site` is the address of the next
 * instruction. */
void conflict_look(struct peal_node *me, const void *address, size_t bytes, bool writes, const char *site);

/* The node no longer polls: report the races that polling would have excused. */
void conflict_settle(struct mpi *mpi);

/* The node lets others proceed, as when it polls: MPI_Win_sync, or with `flushes` a flush. */
void conflict_rest(struct mpi *mpi, bool flushes);

/* Integers in windows that nodes get, change and put back: in strict runs a change that is lost this way is a note. */

/* Before a run and after it. */
void counter_begin(int nodes);
void counter_end(void);

/* This node has got, or puts, the data at `buffer`, of the type and rank of `target`, in a passive epoch. */
void counter_got(struct mpi *mpi, const struct win *win, int rank, const struct typed_data *target, const char *buffer);
void counter_put(struct mpi *mpi, const struct win *win, int rank, const struct typed_data *target, const char *buffer);
