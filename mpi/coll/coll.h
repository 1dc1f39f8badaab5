/* SPDX-License-Identifier: MIT */
/* Shared by the collectives. */
#pragma once

#include "mpi/comm/comm.h"
#include "mpi/type/type.h"
#include <peal/collective.h>

/* The arguments of one side of a collective: a buffer of one block, or of several. */
struct coll_side {
    void *at;
    int count;
    MPI_Datatype type;
    const int *counts;         /* NULL: each is `count` */
    const int *displs;         /* in elements, or in bytes if there are `types`; NULL: one block after the other */
    const MPI_Aint *places;    /* in bytes, with `types` */
    const MPI_Datatype *types; /* NULL: each is `type` */
};

static inline int
side_count(const struct coll_side *side, int i)
{
    return side->counts ? side->counts[i] : side->count;
}

/* Blocks of a buffer, one per rank: where each begins and how many elements it has. */
struct blocks_of {
    const struct coll_side *side;
    char *buffer;
    struct type *type;
    size_t bytes;    /* of all */
    size_t *lengths; /* of each, in bytes, scratch; NULL: each is `length` */
    size_t length;
    bool in_one; /* they lie one after the other in one piece */
};

/* The arguments of a collective. */
struct coll_args {
    struct coll_side send, receive; /* of a reduction, `receive` has the count and type of both */
    MPI_Op op;
    int root;
    bool unequal;               /* a call with lists of counts, which nodes other than the root may leave out */
    enum peal_collective which; /* of coll_reduce_everywhere */
    bool to_all;                /* of coll_neighbours: one block for all; otherwise each neighbour has its own */
    const struct peal_form *form;
    MPI_Comm *made; /* of MPI_Comm_idup */
};

/* Check the blocks of a side, which must outlive `blocks`; the data of a side of one block.  `what` names the count. */
int blocks_check(struct mpi *mpi, struct comm *comm, const struct coll_side *side, const char *what,
                 struct blocks_of *blocks);

static inline int
side_check(struct mpi *mpi, struct comm *comm, const struct coll_side *side, const char *what, struct typed_data *data)
{
    return typed_data_check(mpi, comm, side->at, side->count, side->type, what, data);
}

void blocks_fini(struct mpi *mpi, struct blocks_of *blocks);

/* Check a gather or a scatter. */
struct gathered {
    bool root, in_place;
    struct typed_data own; /* the node's own block; without bytes if in place */
    struct blocks_of all;  /* the root's */
};
int rooted_check(struct mpi *mpi, struct comm *c, const struct coll_args *a, bool scatters, struct gathered *call);

/* The data of one block. */
struct typed_data block_data(const struct blocks_of *blocks, int rank);

/* The blocks as bytes one after the other: where they are, or a copy, packed if `filled`. */
char *blocks_packed(struct mpi *mpi, const struct blocks_of *blocks, int size, bool filled, char **copy);

/* Check that the data sent and the data received have no bytes in common; `own`: one is the node's own block of the
 * other, which the algorithms allow. */
int buffers_refuse(struct mpi *mpi, struct comm *comm);

static inline int
buffers_check(struct mpi *mpi, struct comm *comm, const char *in, size_t in_bytes, const char *out, size_t out_bytes,
              bool own)
{
    bool common = in < out + out_bytes && out < in + in_bytes && in_bytes > 0 && out_bytes > 0;

    return __builtin_expect(common && !own, 0) ? buffers_refuse(mpi, comm) : MPI_SUCCESS;
}

/* The algorithm that --coll names for a call, if it fits; NULL: the cheapest. */
extern const char *coll_named[PEAL_COLLECTIVES]; /* NULL: the cheapest */
const char *coll_named_algorithm(struct mpi *mpi, const struct comm *comm, enum peal_collective collective,
                                 size_t words, const struct peal_op *op, int root, bool unequal);

static inline const char *
coll_algorithm(struct mpi *mpi, const struct comm *comm, enum peal_collective collective, size_t words,
               const struct peal_op *op, int root, bool unequal)
{
    return __builtin_expect(!coll_named[collective], 1)
               ? NULL
               : coll_named_algorithm(mpi, comm, collective, words, op, root, unequal);
}

/* Read the value of --coll: false, with a message on standard error, if it is wrong. */
bool coll_configure(void);

/* ------------------------------------------------------------------ the collectives, their communicator found */

/* Carry one out; nonblocking ones do it in a strand, with a communicator as seen from there (icoll.c). */
typedef int (*coll_function)(struct mpi *mpi, struct comm *c, const struct coll_args *a);
int coll_barrier(struct mpi *mpi, struct comm *c, const struct coll_args *a);
int coll_broadcast(struct mpi *mpi, struct comm *c, const struct coll_args *a);
int coll_gather(struct mpi *mpi, struct comm *c, const struct coll_args *a);
int coll_gatherv(struct mpi *mpi, struct comm *c, const struct coll_args *a);
int coll_scatter(struct mpi *mpi, struct comm *c, const struct coll_args *a);
int coll_scatterv(struct mpi *mpi, struct comm *c, const struct coll_args *a);
int coll_allgather(struct mpi *mpi, struct comm *c, const struct coll_args *a); /* of unequal blocks, too */
int coll_alltoall(struct mpi *mpi, struct comm *c, const struct coll_args *a);  /* likewise */
int coll_alltoallw(struct mpi *mpi, struct comm *c, const struct coll_args *a);
int coll_reduce(struct mpi *mpi, struct comm *c, const struct coll_args *a);
int coll_reduce_everywhere(struct mpi *mpi, struct comm *c, const struct coll_args *a);
int coll_reduce_blocks(struct mpi *mpi, struct comm *c, const struct coll_args *a);
int coll_neighbours(struct mpi *mpi, struct comm *c, const struct coll_args *a);

/* coll_held.c: make a call, whose arguments may be wrong, hold its buffers (held.h); holds NULL: only check whether
 * other operations hold them. */
struct buffer_hold;
void coll_hold(struct mpi *mpi, const struct comm *c, coll_function carry_out, const struct coll_args *args,
               struct buffer_hold **holds);

/* Find the data of one side of a call, one block for each of `count` nodes, or the same one for all: scratch memory;
 * NULL after an error. */
struct typed_data *blocks_find(struct mpi *mpi, struct comm *comm, const struct coll_side *side, int count, bool same,
                               const char *what, int *error);

/* Begin a collective that is carried out by direct messages, with the same call on all its nodes; gives the node in its
 * context, which peal_leave ends. */
struct peal_node *coll_begin(struct mpi *mpi, const struct comm *comm, const struct peal_call *call);

static inline struct peal_node *
coll_enter(struct mpi *mpi, const struct comm *comm, const struct peal_form *form)
{
    return coll_begin(mpi, comm, &(struct peal_call){.form = form});
}

/* One of its messages. */
struct block_message {
    struct typed_data data;
    bool sends;
    int peer, tag;
    struct peal_handle handle; /* of the post; and a copy of the data, if there is one */
    void *copy;
};

/* Post all, in this order, and wait for all; received data are compared with the types they were sent as. */
void blocks_move(struct mpi *mpi, struct comm *comm, struct peal_node *me, struct block_message *messages, int count);

/* Check that a node sends itself as much as it receives from itself; types that differ are a finding. */
int same_block(struct mpi *mpi, struct comm *comm, struct typed_data sent, struct typed_data received);
