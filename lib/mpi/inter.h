/* SPDX-License-Identifier: MIT */
/* Intercommunicators: two groups, of which each node speaks to the other one. */
#ifndef LIB_MPI_INTER_H
#define LIB_MPI_INTER_H

#include "lib/mpi/comm.h"

/* What a communicator has that is one.  Its view is the node in the group of both sides, one side's ranks behind the other's; its
 * rank and size are those of the node's own side. */
struct inter {
    struct comm *local; /* the node's own side, with a context of its own; it has no handle */
    int remote_size;
    int first_local, first_remote; /* of each side the rank 0, as a rank of the view */
};

/* Make an intercommunicator of `view`, whose first `low` ranks are one side, and of the own side's `local`. */
struct comm *inter_make(struct mpi *mpi, struct peal_node *view, struct peal_node *local, int low,
                        const struct comm *parent);

/* MPI_Comm_dup, MPI_Comm_split and MPI_Comm_create of an intercommunicator: the new one; NULL: the node is in none, or the other
 * side is empty.  The keys order the ranks of a side. */
struct comm *inter_copy(struct mpi *mpi, struct comm *comm);
struct comm *inter_split(struct mpi *mpi, struct comm *comm, int color, int key);

/* ------------------------------------------------------------------ collectives, whose arguments are still to be checked */

struct inter_move {
    const void *send;
    int send_count;
    const int *send_counts, *send_displs; /* NULL: all of send_count */
    MPI_Datatype send_type;
    const MPI_Datatype *send_types; /* NULL: send_type */
    void *receive;
    int receive_count;
    const int *receive_counts, *receive_displs;
    MPI_Datatype receive_type;
    const MPI_Datatype *receive_types;
    int root;
    bool unequal; /* a call that has lists of counts; nodes that are not the root have none */
};

int inter_barrier(struct mpi *mpi, struct comm *comm);
int inter_broadcast(struct mpi *mpi, struct comm *comm, void *buffer, int count, MPI_Datatype type, int root);
int inter_gather(struct mpi *mpi, struct comm *comm, const struct inter_move *move);
int inter_scatter(struct mpi *mpi, struct comm *comm, const struct inter_move *move);
int inter_allgather(struct mpi *mpi, struct comm *comm, const struct inter_move *move);
int inter_alltoall(struct mpi *mpi, struct comm *comm, const struct inter_move *move);

/* Reductions: of the other side's data. */
struct inter_reduction {
    const void *send;
    void *receive;
    int count;
    const int *counts; /* of MPI_Reduce_scatter */
    MPI_Datatype type;
    MPI_Op op;
    int root;
};

int inter_reduce(struct mpi *mpi, struct comm *comm, const struct inter_reduction *call);
int inter_allreduce(struct mpi *mpi, struct comm *comm, const struct inter_reduction *call);
int inter_reduce_scatter(struct mpi *mpi, struct comm *comm, const struct inter_reduction *call);

#endif
