/* SPDX-License-Identifier: MIT */
/* Messages between the sides of an intercommunicator, in the context of a collective, and data that the leaders pass
 * on. */
#ifndef LIB_MPI_INTER_LEADERS_H
#define LIB_MPI_INTER_LEADERS_H

#include "mpi/inter.h"
#include <peal/collective.h>

/* Begin a collective of both sides, all of whose nodes say the same: the node in its context, which peal_leave ends. */
struct peal_node *inter_begin(struct mpi *mpi, const struct comm *comm, const struct peal_call *call);

static inline struct peal_node *
inter_enter(struct mpi *mpi, const struct comm *comm, const struct peal_form *form)
{
    return inter_begin(mpi, comm, &(struct peal_call){.form = form});
}

/* One message to or from a rank of the other side; one each way between the leaders.  Fewer bytes than expected are a
 * finding. */
void inter_send(const struct comm *comm, struct peal_node *me, const void *data, size_t bytes, int to);
void inter_receive(struct mpi *mpi, struct comm *comm, struct peal_node *me, void *data, size_t bytes, int from);
void inter_swap(struct mpi *mpi, struct comm *comm, struct peal_node *me, const void *out, size_t out_bytes, void *in,
                size_t in_bytes);

/* Broadcast the leader's data on the own side. */
void inter_spread(struct mpi *mpi, const struct comm *comm, void *data, size_t bytes);

#endif
