/* SPDX-License-Identifier: MIT */
/* Communicators and groups. */
#ifndef LIB_MPI_COMM_H
#define LIB_MPI_COMM_H

#include "lib/mpi/node.h"

/* Ranks in the whole machine, by rank in the group. */
struct group {
    int references;
    int size;
    int rank;   /* of this node; MPI_UNDEFINED */
    int *ranks; /* NULL: 0 .. size - 1 */
};

struct comm {
    int references; /* the handle's, and one of each request */
    struct peal_node *view;
    int rank, size;
    MPI_Comm handle;
    MPI_Errhandler errhandler;
    char *name;
    struct topology *topology; /* NULL: it has none; see topo.h */
    struct attribute *attributes;
};

/* Make MPI_COMM_WORLD and MPI_COMM_SELF; the node has come to MPI_Finalize. */
void comm_begin(struct mpi *mpi);
void comm_end(struct mpi *mpi);

/* The communicator of a handle; NULL: it names none. */
struct comm *comm_find(const struct mpi *mpi, MPI_Comm handle);
void comm_drop(struct mpi *mpi, struct comm *comm);

/* A new communicator of the nodes of `view`, with a handle, that handles errors as `parent` does. */
struct comm *comm_make(struct mpi *mpi, struct peal_node *view, const struct comm *parent);

/* The rank in the whole machine. */
int comm_world_rank(const struct comm *comm, int rank);

/* Return from a call whose communicator names none. */
#define FIND_COMM(found, handle)                                                                                       \
    struct comm *found = comm_find(mpi, handle);                                                                       \
    if (!found)                                                                                                        \
    return mpi_error(mpi, NULL, MPI_ERR_COMM, #handle " %s", handle_wrong(mpi, KIND_COMM, (uintptr_t)handle))

/* Return from a call in which an out argument is NULL. */
#define NEED(argument)                                                                                                 \
    if (!(argument))                                                                                                   \
    return mpi_error(mpi, NULL, MPI_ERR_ARG, #argument " is NULL")

/* ------------------------------------------------------------------ groups */

struct group *group_find(const struct mpi *mpi, MPI_Group handle);

/* The rank in the whole machine of rank `rank` of the group. */
int group_rank_at(const struct group *group, int rank);

/* The members' ranks in the communicator, scratch; NULL: it has not all of them. */
int *group_ranks_in(struct mpi *mpi, const struct group *group, struct comm *comm);

/* Whether the communicators have the same nodes, in whatever order. */
bool group_similar(struct mpi *mpi, const struct comm *a, const struct comm *b);

/* Whose attributes those of the communicator are: see attribute.h. */
struct owner comm_owner(struct comm *comm);

#endif
