/* SPDX-License-Identifier: MIT */
/* Nonblocking collectives: strands that carry out the blocking ones. */
#ifndef LIB_MPI_ICOLL_H
#define LIB_MPI_ICOLL_H

#include "lib/mpi/coll.h"
#include "lib/mpi/request.h"

/* The arguments of any of them. */
struct coll_args {
    const void *send;
    void *receive;
    int send_count, receive_count;
    const int *send_counts, *receive_counts, *send_displs, *receive_displs;
    const MPI_Aint *send_places, *receive_places;
    MPI_Datatype send_type, receive_type;
    const MPI_Datatype *send_types, *receive_types;
    MPI_Op op;
    int root;
    MPI_Comm *made; /* MPI_Comm_idup */
};

/* What a strand has until its request is waited for. */
struct pending {
    struct mpi mpi; /* as it was at the call: what the strand needs of it until its first wait, and the call's place */
    struct mpi *node;
    struct comm comm; /* with the strand's view */
    struct comm *of;  /* the program's communicator */
    const struct peal_form *form;
    int (*run)(struct pending *pending);
    struct coll_args args;
    int error;
    struct type **types; /* that it uses, though the program may free them */
    int type_count;
};

/* Start one.  form: what the nodes of the communicator compare, with the root and the operator. */
int icoll_start(struct mpi *mpi, MPI_Comm comm, MPI_Request *request, const struct peal_form *form,
                int (*run)(struct pending *pending), const struct coll_args *args);

#endif
