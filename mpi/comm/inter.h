/* SPDX-License-Identifier: MIT */
/* Intercommunicators: two groups; each node communicates with the other group. */
#pragma once

#include "mpi/comm/comm.h"
#include <peal/collective.h>

/* Make an intercommunicator of `view`, whose first `low` ranks are one side, and of the own side's `local`. */
struct comm *inter_make(struct mpi *mpi, struct peal_node *view, struct peal_node *local, int low,
                        const struct comm *parent);

/* The size of the side with the first ranks of the view. */
static inline int
inter_low(const struct comm *comm)
{
    const struct inter *inter = comm->inter;

    return inter->first_local ? inter->first_local : inter->first_remote;
}

/* MPI_Comm_dup, MPI_Comm_split and MPI_Comm_create of an intercommunicator: the new one; NULL: the node belongs to
 * none, or the other side is empty.  The keys order the ranks of a side. */
struct comm *inter_copy(struct mpi *mpi, struct comm *comm);
struct comm *inter_split(struct mpi *mpi, struct comm *comm, int color, int key);

/* ------------------------------------------------------------------ collectives, whose arguments are still to be
 * checked: see coll.h */

struct coll_args;

int inter_barrier(struct mpi *mpi, struct comm *comm);
int inter_broadcast(struct mpi *mpi, struct comm *comm, const struct coll_args *a);
int inter_gather(struct mpi *mpi, struct comm *comm, const struct coll_args *a);
int inter_scatter(struct mpi *mpi, struct comm *comm, const struct coll_args *a);
int inter_allgather(struct mpi *mpi, struct comm *comm, const struct coll_args *a);
int inter_alltoall(struct mpi *mpi, struct comm *comm, const struct coll_args *a);

/* Reductions: of the other side's data. */
int inter_reduce(struct mpi *mpi, struct comm *comm, const struct coll_args *a);
int inter_allreduce(struct mpi *mpi, struct comm *comm, const struct coll_args *a);
int inter_reduce_scatter(struct mpi *mpi, struct comm *comm, const struct coll_args *a);

/* One message to or from a rank of the other side; one each way between the leaders.  Fewer bytes than expected are a
 * finding. */
void inter_send(const struct comm *comm, struct peal_node *me, const void *data, size_t bytes, int to);
void inter_receive(struct mpi *mpi, struct comm *comm, struct peal_node *me, void *data, size_t bytes, int from);
void inter_swap(struct mpi *mpi, struct comm *comm, struct peal_node *me, const void *out, size_t out_bytes, void *in,
                size_t in_bytes);

/* Broadcast the leader's data on the own side. */
void inter_spread(struct mpi *mpi, const struct comm *comm, void *data, size_t bytes);
