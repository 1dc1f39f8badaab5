/* SPDX-License-Identifier: MIT */
/* The call that peal check --mpi makes of a user's function: between libpealmpi.so, which fills in the arguments, and
 * the text that Peal compiles around the user's file, which passes those that the function takes. */
#ifndef PEAL_MPI_JUDGED_H
#define PEAL_MPI_JUDGED_H

#include <peal/mpi/mpi.h>
#include <stddef.h>

/* Elements before each block, of a call with gaps between blocks. */
enum { PEAL_JUDGED_GAP = 2 };

/* Arguments by MPI's own names, and three more: buffer is also a vector that is changed in place, rank and size are
 * those of comm. */
struct peal_mpi_call {
    void *sendbuf, *recvbuf, *buffer;
    int count, sendcount, recvcount, root, rank, size;
    int *sendcounts, *recvcounts, *sdispls, *rdispls; /* displs is that of the side that has one */
    size_t *long_sendcounts, *long_recvcounts, *long_sdispls, *long_rdispls;
    int *sbytes, *rbytes; /* displacements in bytes */
    MPI_Datatype datatype, *sendtypes, *recvtypes;
    MPI_Op op;
    MPI_Comm comm;
};

typedef int peal_mpi_function(const struct peal_mpi_call *call);

/* Declare the arguments; lists of counts are of int, or with `long_` of size_t. */
#define PEAL_MPI_ARGUMENTS(type, kind)                                                                                 \
    void *sendbuf = peal_call->sendbuf, *recvbuf = peal_call->recvbuf, *buffer = peal_call->buffer;                    \
    int count = peal_call->count, sendcount = peal_call->sendcount, recvcount = peal_call->recvcount;                  \
    int root = peal_call->root, rank = peal_call->rank, size = peal_call->size;                                        \
    type *sendcounts = peal_call->kind##sendcounts, *recvcounts = peal_call->kind##recvcounts;                         \
    type *sdispls = peal_call->kind##sdispls, *rdispls = peal_call->kind##rdispls;                                     \
    type *displs = sdispls ? sdispls : rdispls;                                                                        \
    int *sbytes = peal_call->sbytes, *rbytes = peal_call->rbytes;                                                      \
    MPI_Datatype datatype = peal_call->datatype, sendtype = datatype, recvtype = datatype;                             \
    MPI_Datatype *sendtypes = peal_call->sendtypes, *recvtypes = peal_call->recvtypes;                                 \
    MPI_Op op = peal_call->op;                                                                                         \
    MPI_Comm comm = peal_call->comm;                                                                                   \
                                                                                                                       \
    (void)sendbuf, (void)recvbuf, (void)buffer, (void)count, (void)sendcount, (void)recvcount, (void)root, (void)rank; \
    (void)size, (void)sendcounts, (void)recvcounts, (void)sdispls, (void)rdispls, (void)displs, (void)sbytes;          \
    (void)rbytes, (void)datatype, (void)sendtype, (void)recvtype, (void)sendtypes, (void)recvtypes, (void)op;          \
    (void)comm

/* The value of a call, an error code; 0 of a function that returns nothing. */
#define PEAL_MPI_RESULT(call)                                                                                          \
    __builtin_choose_expr(__builtin_types_compatible_p(__typeof__(call), void), ((call), 0), (call))

#endif
