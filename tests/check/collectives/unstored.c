/* SPDX-License-Identifier: MIT */
/* Bytes that an int cannot hold, found in a run of 2^28 + 1 elements; and communicators and displacements that a
 * function takes for those that it knows. */
#include "own.h"

/* check allreduce bytes_of_int: out-of-bounds P=2 n=268435457 line=B note=2^28
 * check allreduce bytes_of_int --only 'n < 2^28': proved */
int
bytes_of_int(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int bytes = count * (int)extent_of(type);

    if (in != MPI_IN_PLACE)
        memcpy(out, in, (size_t)bytes); /* B */
    return MPI_Allreduce(MPI_IN_PLACE, out, count, type, op, comm);
}

/* check broadcast offset_of_int: out-of-bounds P=2 n=268435457 line=O */
int
offset_of_int(void *x, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int half = count - 1, extent = (int)extent_of(type);

    if (count == 0)
        return MPI_SUCCESS;
    if (rank_in(comm) == root) {
        for (int i = 0; i < size_of(comm); i++)
            if (i != root) {
                MPI_Send(x, half, type, i, 1, comm);
                MPI_Send((char *)x + half * extent, 1, type, i, 2, comm); /* O */
            }
        return MPI_SUCCESS;
    }
    MPI_Recv(x, half, type, root, 1, comm, MPI_STATUS_IGNORE);
    return MPI_Recv((char *)x + half * extent, 1, type, root, 2, comm, MPI_STATUS_IGNORE);
}

/* check gather room_of_int: out-of-bounds|crash|invalid-argument P=2 m=268435457 */
int
room_of_int(const void *in, int sent, MPI_Datatype sendtype, void *out, int got, MPI_Datatype type, int root,
            MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);

    if (r != root)
        return MPI_Send(in, sent, sendtype, root, 1, comm);
    char *all = malloc((size_t)(P * got * (int)extent_of(type) + 16));

    for (int i = 0; i < P; i++)
        if (i != root)
            MPI_Recv(all + (size_t)(i * got) * extent_of(type), got, type, i, 1, comm, MPI_STATUS_IGNORE);
    if (in != MPI_IN_PLACE)
        memcpy(all + (size_t)(r * got) * extent_of(type), in, (size_t)got * extent_of(type));
    else
        memcpy(all + (size_t)(r * got) * extent_of(type), at(out, (size_t)(r * got), type),
               (size_t)got * extent_of(type));
    memcpy(out, all, (size_t)(P * got) * extent_of(type));
    free(all);
    return MPI_SUCCESS;
}

/* The communicator of the first call is kept.
 * check broadcast keeps_first --allow leak: uninitialised-send P=2
 * check broadcast keeps_first --allow leak --call once: proved */
int
keeps_first(void *x, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    static MPI_Comm own;
    static int there;

    if (!there)
        MPI_Comm_dup(comm, &own);
    there = 1;
    return MPI_Bcast(x, count, type, root, own);
}

/* Blocks are taken to follow one another.
 * check gatherv no_gaps: wrong-result|out-of-bounds P=1|2
 * check gatherv no_gaps --call once: proved */
int
no_gaps(const void *in, int sent, MPI_Datatype sendtype, void *out, const int *counts, const int *displs,
        MPI_Datatype type, int root, MPI_Comm comm)
{
    int begin = 0;

    (void)displs;
    if (rank_in(comm) != root)
        return MPI_Send(in, sent, sendtype, root, 1, comm);
    for (int i = 0; i < size_of(comm); begin += counts[i++])
        if (i != root)
            MPI_Recv(at(out, (size_t)begin, type), counts[i], type, i, 1, comm, MPI_STATUS_IGNORE);
        else if (in != MPI_IN_PLACE)
            MPI_Sendrecv(in, sent, sendtype, root, 2, at(out, (size_t)begin, type), counts[i], type, root, 2, comm,
                         MPI_STATUS_IGNORE);
    return MPI_SUCCESS;
}

/* The bytes of a displacement are an int.
 * check gatherv place_of_int: out-of-bounds P=2 line=D note=2^28 */
int
place_of_int(const void *in, int count, MPI_Datatype type, void *out, const int *counts, const int *displs,
             MPI_Datatype to, int root, MPI_Comm comm)
{
    const int extent = (int)extent_of(to);

    if (rank_in(comm) != root)
        return MPI_Send(in, count, type, root, 1, comm);
    if (in != MPI_IN_PLACE)
        memcpy(at(out, (size_t)displs[root], to), in, (size_t)counts[root] * extent_of(to));
    for (int i = 0; i < size_of(comm); i++)
        if (i != root)
            MPI_Recv((char *)out + displs[i] * extent, counts[i], to, i, 1, comm, MPI_STATUS_IGNORE); /* D */
    return MPI_SUCCESS;
}

/* check alltoallv with_gaps --buffers separate: proved */
int
with_gaps(const void *in, const int *scounts, const int *sdispls, MPI_Datatype stype, void *out, const int *rcounts,
          const int *rdispls, MPI_Datatype rtype, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);

    for (int k = 0; k < P; k++) {
        int to = (r + k) % P, from = (r + P - k) % P;

        MPI_Sendrecv(at(in, (size_t)sdispls[to], stype), scounts[to], stype, to, 1,
                     at(out, (size_t)rdispls[from], rtype), rcounts[from], rtype, from, 1, comm, MPI_STATUS_IGNORE);
    }
    return MPI_SUCCESS;
}
