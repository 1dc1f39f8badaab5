/* SPDX-License-Identifier: MIT */
/* Shared by the functions here, which include mpi.h through it. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static inline int
rank_in(MPI_Comm comm)
{
    int rank;

    MPI_Comm_rank(comm, &rank);
    return rank;
}

static inline int
size_of(MPI_Comm comm)
{
    int size;

    MPI_Comm_size(comm, &size);
    return size;
}

static inline size_t
extent_of(MPI_Datatype type)
{
    MPI_Aint low, extent;

    MPI_Type_get_extent(type, &low, &extent);
    return (size_t)extent;
}

static inline void *
room_of(size_t bytes)
{
    return malloc(bytes ? bytes : 1);
}

/* Element i. */
static inline char *
at(const void *x, size_t i, MPI_Datatype type)
{
    return (char *)(size_t)x + i * extent_of(type);
}
