/* SPDX-License-Identifier: MIT */
/* Communicators and groups. */
#pragma once

#include "mpi/call/node.h"

/* Ranks in the whole machine, by rank in the group. */
struct mpi_group {
    int references;
    int size;
    int rank; /* of this node, or MPI_UNDEFINED */
    int *ranks;
    int *sorted; /* the ranks in this group by those in the machine; NULL: not made yet */
};

/* What an intercommunicator has in addition.  Its view is the node in the group of both sides, one side's ranks after
 * the other's; its rank and size are those of the node's own side. */
struct inter {
    struct comm *local; /* the node's own side, with a context of its own; it has no handle */
    int remote_size;
    int first_local, first_remote; /* rank 0 of each side, as a rank of the view */
};

struct comm {
    int references; /* one for the handle, and one per request */
    struct peal_node *view;
    struct peal_node *elements; /* the view with words as long as those last reduced; NULL: none yet */
    int rank, size;             /* of the node's own group */
    struct inter *inter;        /* NULL unless it is an intercommunicator: inter.h */
    MPI_Comm handle;
    struct win *win; /* the window that it belongs to; NULL: the program's */
    MPI_Errhandler errhandler;
    char *name;
    struct comm_topology *topology; /* NULL: it has none; see topo.h */
    struct attribute *attributes;
    int idups;            /* calls of MPI_Comm_idup on it */
    uint64_t collectives; /* that the node has called on it */
};

/* Make MPI_COMM_WORLD and MPI_COMM_SELF. */
void comm_begin(struct mpi *mpi);

/* The communicator of a handle; NULL: it names none. */
static inline struct comm *
comm_find(const struct mpi *mpi, MPI_Comm handle)
{
    if (handle == MPI_COMM_WORLD)
        return mpi->world;
    if (handle == MPI_COMM_SELF)
        return mpi->self;
    return handle_find(mpi, KIND_COMM, (uintptr_t)handle);
}

void comm_drop(struct mpi *mpi, struct comm *comm);

/* Note that the call gives the program MPI_COMM_NULL: it freed the communicator, or the color was MPI_UNDEFINED. */
void comm_gave_null(struct mpi *mpi, bool freed, bool undefined);

/* The node in the communicator with words of `word_bytes` bytes, kept until another length is wanted; forget it. */
struct peal_node *comm_elements(const struct mpi *mpi, struct comm *comm, size_t word_bytes);
void comm_forget_elements(struct comm *comm);

void comm_set_name(struct mpi *mpi, struct comm *comm, const char *name);

/* A new communicator of the nodes of `view`, with a handle, that handles errors as `parent` does. */
struct comm *comm_make(struct mpi *mpi, struct peal_node *view, const struct comm *parent);

/* A new communicator without a handle. */
struct comm *comm_without_handle(struct mpi *mpi, struct peal_node *view, const struct comm *parent);

/* Split off the first `count` ranks, with a handle; the other nodes get MPI_COMM_NULL, and NULL. */
struct comm *comm_of_first(struct mpi *mpi, struct comm *c, long long count, MPI_Comm *newcomm);

/* Give the copy of a communicator its attributes and topology, and its handle to the program. */
int comm_finish_copy(struct mpi *mpi, struct comm *c, struct comm *copy, MPI_Comm *newcomm);

/* Check a root. */
int root_check(struct mpi *mpi, struct comm *comm, int root);

/* How many nodes messages can go to.  The rank of one in the view, where MPI_ANY_SOURCE and MPI_PROC_NULL stay
 * themselves; and back. */
static inline int
comm_peers(const struct comm *comm)
{
    return comm->inter ? comm->inter->remote_size : comm->size;
}

static inline int
comm_view_rank(const struct comm *comm, int peer)
{
    return comm->inter && peer >= 0 ? peer + comm->inter->first_remote : peer;
}

static inline int
comm_peer_rank(const struct comm *comm, int view_rank)
{
    return comm->inter && view_rank >= 0 ? view_rank - comm->inter->first_remote : view_rank;
}

/* The rank in the whole machine of a member of the own group; of one of the group that messages go to. */
static inline int
comm_world_rank(const struct comm *comm, int rank)
{
    return peal_rank_in_world(comm->view, comm->inter ? rank + comm->inter->first_local : rank);
}

static inline int
comm_peer_world_rank(const struct comm *comm, int rank)
{
    return peal_rank_in_world(comm->view, comm_view_rank(comm, rank));
}

/* Find the communicator of a handle; return an error from the call if there is none. */
#define FIND_COMM(found, handle)                                                                                       \
    struct comm *found = comm_find(mpi, handle);                                                                       \
    if (!found)                                                                                                        \
    return mpi_error(mpi, NULL, MPI_ERR_COMM, #handle " %s", handle_wrong(mpi, KIND_COMM, (uintptr_t)handle))

/* Likewise for a call that does not take intercommunicators. */
#define FIND_INTRA(found, handle)                                                                                      \
    FIND_COMM(found, handle);                                                                                          \
    if (found->inter)                                                                                                  \
    return mpi_error(mpi, found, MPI_ERR_COMM, #handle " is an intercommunicator, which is not allowed here")

/* Return an error from the call if one of these arguments is NULL. */
#define NEED(...)                                                                                                      \
    TRY(mpi_need(mpi, #__VA_ARGS__, (const void *const[]){__VA_ARGS__},                                                \
                 sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *)))
int mpi_need(struct mpi *mpi, const char *names, const void *const *arguments, size_t count);

/* ------------------------------------------------------------------ groups */

struct mpi_group *group_find(const struct mpi *mpi, MPI_Group handle);

/* The rank in the whole machine of rank `rank` of the group. */
int group_rank_at(const struct mpi_group *group, int rank);

/* The members' ranks in the communicator, scratch; NULL: it does not have all of them. */
int *group_ranks_in(struct mpi *mpi, const struct mpi_group *group, struct comm *comm);

/* How the communicators' own groups, or with `remote` the groups at the other side, compare: MPI_IDENT, MPI_SIMILAR or
 * MPI_UNEQUAL. */
int group_compare(struct mpi *mpi, const struct comm *a, const struct comm *b, bool remote);

/* The communicator as an owner of attributes: see attribute.h. */
struct owner comm_owner(struct comm *comm);

/* Handlers of errors. */

/* Count one more user of the handler, or one fewer. */
MPI_Errhandler errhandler_share(struct mpi *mpi, MPI_Errhandler handle);
void errhandler_drop(struct mpi *mpi, MPI_Errhandler handle);

/* The value of the attribute MPI_LASTUSEDCODE. */
const int *error_last_used(struct mpi *mpi);
