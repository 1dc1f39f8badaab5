/* SPDX-License-Identifier: MIT */
/* Handlers of errors. */
#pragma once

#include "mpi/node.h"

/* Count one user more of the handler, or less. */
MPI_Errhandler errhandler_share(struct mpi *mpi, MPI_Errhandler handle);
void errhandler_drop(struct mpi *mpi, MPI_Errhandler handle);

/* The value of the attribute MPI_LASTUSEDCODE. */
const int *error_last_used(struct mpi *mpi);
