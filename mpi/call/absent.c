/* SPDX-License-Identifier: MIT */
/* The functions that Peal does not have: each ends the run with its name and line. */
#define PEAL_MPI_ITSELF 1
#include "mpi/call/mpi_advice.h"
#include <string.h>

__attribute__((noreturn, noinline)) static void
refuse(enum mpi_call call, const void *site)
{
    struct mpi *mpi = mpi_enter_any(call, site);

    if (strncmp(mpi->call, "MPI_File_", 9) == 0)
        peal_advise(mpi->me, PEAL_HINT(no_files));
    mpi_fail(mpi, PEAL_UNSUPPORTED, "Peal has no such function (peal-mpi(7) lists those it has)");
}

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define PEAL_MPI(type, name, parameters)
#define PEAL_MPI_ABSENT(type, name, parameters)                                                                        \
    extern __typeof__(PMPI_##name) MPI_##name __attribute__((weak, alias("PMPI_" #name)));                             \
    type PMPI_##name parameters                                                                                        \
    {                                                                                                                  \
        refuse(CALL_##name, __builtin_return_address(0));                                                              \
    }
#include <peal/mpi/calls.def>
