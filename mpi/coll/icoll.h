/* SPDX-License-Identifier: MIT */
/* Nonblocking collectives: strands that carry out the blocking ones. */
#pragma once

#include "mpi/coll/coll.h"
#include "mpi/comm/inter.h"
#include "mpi/p2p/mpi_request.h"

/* The data of a strand until its request is waited for. */
struct pending_coll {
    struct mpi mpi; /* a copy made at the call: the strand uses it until its first wait, and for the call's place */
    struct mpi *node;
    struct comm comm;   /* with the strand's view */
    struct inter inter; /* of an intercommunicator: with its own side, seen from the strand */
    struct comm local;
    struct comm *of; /* the program's communicator */
    coll_function carry_out;
    struct coll_args args;
    int error;
    struct type **types; /* that it uses, though the program may free them */
    int type_count;
    struct buffer_hold *holds; /* its buffers (held.h) */
    char *copy, *first;        /* the copy that it receives into instead of the memory from `first` on, or NULL */
    struct vclock_meeting *meeting;
};

/* Hold the buffers of a collective that is about to start, whose arguments may be wrong; release them, once. */
void icoll_guard(struct mpi *mpi, struct pending_coll *pending);
void icoll_unguard(struct mpi *mpi, struct pending_coll *pending, bool complete);

/* Start one.  The nodes of the communicator compare the form, and with one group the root and the operator. */
int icoll_start(struct mpi *mpi, MPI_Comm comm, MPI_Request *request, coll_function carry_out,
                const struct coll_args *args);
