/* SPDX-License-Identifier: MIT */
/* Handlers of errors. */
#ifndef LIB_MPI_ERROR_H
#define LIB_MPI_ERROR_H

#include "mpi/node.h"

/* Count one user more of the handler, or less. */
MPI_Errhandler errhandler_share(struct mpi *mpi, MPI_Errhandler handle);
void errhandler_drop(struct mpi *mpi, MPI_Errhandler handle);

/* The value of the attribute MPI_LASTUSEDCODE. */
const int *error_last_used(struct mpi *mpi);

#endif
