/* SPDX-License-Identifier: MIT */
/* The lengths of lists that have an entry for each node, neighbour or dimension. */
#pragma once

#include "mpi/call/node.h"

enum length_kind { MEMBERS, OWN, AT_ROOT, SOURCES, DESTINATIONS, DIMENSIONS };

/* The entries of a list: one for each node that the communicator's messages go to, or of its own group; these at the
 * root alone; one for each neighbour, or dimension of its grid.  0: there is no such communicator or topology. */
PEAL_API int peal_mpi_length(MPI_Comm handle, int what, int root);
