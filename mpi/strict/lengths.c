/* SPDX-License-Identifier: MIT */
/* The lengths of lists in calls of watched programs (arguments.py). */
#include "mpi/strict/lengths.h"
#include "mpi/comm/topo.h"

int
peal_mpi_length(MPI_Comm handle, int what, int root)
{
    struct peal_node *me = peal_self();
    struct mpi *mpi = me && mpi_nodes ? &mpi_nodes[peal_world_rank(me)] : NULL;
    const struct comm *comm = mpi && mpi->phase == PHASE_RUNS ? comm_find(mpi, handle) : NULL;
    struct neighbours near;

    if (!comm)
        return 0;
    if (what == MEMBERS || what == OWN)
        return what == MEMBERS ? comm_peers(comm) : comm->size;
    if (what == AT_ROOT)
        return root == (comm->inter ? MPI_ROOT : comm->rank) ? comm_peers(comm) : 0;
    if (what == DIMENSIONS)
        return comm->topology && comm->topology->kind == MPI_CART ? comm->topology->cart.dimensions : 0;
    if (!neighbours_find(mpi, comm, &near))
        return 0;
    int count = what == SOURCES ? near.in : near.out;

    neighbours_fini(mpi, &near);
    return count;
}
