/* SPDX-License-Identifier: MIT */
/* Receives that are longer than their buffers: right where each message fits, whatever lies behind. */
#include "own.h"

/* Have the root send to all, and return true on the others. */
static int
receives(const void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    if (rank_in(comm) != root)
        return 1;
    for (int i = 0; i < size_of(comm); i++)
        if (i != root)
            MPI_Send(buffer, count, type, i, 1, comm);
    return 0;
}

/* check broadcast twice_as_long: proved noted=out-of-bounds */
int
twice_as_long(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    if (receives(buffer, count, type, root, comm))
        MPI_Recv(buffer, 2 * count, type, root, 1, comm, MPI_STATUS_IGNORE);
    return MPI_SUCCESS;
}

/* What is allocated while the receive is on is not its memory.
 * check broadcast long_request: proved noted=out-of-bounds */
int
long_request(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    size_t bytes = (size_t)count * extent_of(type);
    MPI_Request request;

    if (!receives(buffer, count, type, root, comm))
        return MPI_SUCCESS;
    char *came = room_of(bytes), *other;

    MPI_Irecv(came, 3 * count, type, root, 1, comm, &request);
    other = memset(room_of(bytes + 64), 1, bytes + 64);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    memcpy(buffer, came, bytes);
    free(came);
    free(other);
    return MPI_SUCCESS;
}

/* check broadcast long_vector -n 1: proved noted=out-of-bounds
 * check broadcast long_vector -n 5 -p 1:3: proved noted=out-of-bounds */
int
long_vector(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    size_t extent = extent_of(type);
    MPI_Datatype every_second;

    if (!receives(buffer, count, type, root, comm))
        return MPI_SUCCESS;
    char *came = room_of(2 * (size_t)count * extent);

    MPI_Type_vector(3 * count + 1, 1, 2, type, &every_second);
    MPI_Type_commit(&every_second);
    MPI_Recv(came, 1, every_second, root, 1, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++)
        memcpy(at(buffer, (size_t)i, type), at(came, 2 * (size_t)i, type), extent);
    MPI_Type_free(&every_second);
    free(came);
    return MPI_SUCCESS;
}

/* Into a part of the result that is followed by others' blocks, and the last by nothing.
 * check allgather long_blocks --buffers separate: proved noted=out-of-bounds */
int
long_blocks(const void *in, int sent, MPI_Datatype sendtype, void *out, int got, MPI_Datatype type, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);

    memcpy(at(out, (size_t)(r * got), type), in, (size_t)got * extent_of(type));
    for (int k = 1; k < P; k++) {
        int to = (r + k) % P, from = (r + P - k) % P;

        MPI_Sendrecv(in, sent, sendtype, to, 1, at(out, (size_t)(from * got), type), P * got, type, from, 1, comm,
                     MPI_STATUS_IGNORE);
    }
    return MPI_SUCCESS;
}

/* A variable of 64 bytes, and messages of up to 512.
 * check broadcast into_variable -n 8: proved noted=out-of-bounds
 * check broadcast into_variable -n 9: out-of-bounds P=2 line=V kinds=1 */
int
into_variable(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    char came[64];

    if (!receives(buffer, count, type, root, comm))
        return MPI_SUCCESS;
    MPI_Recv(came, 512, MPI_BYTE, root, 1, comm, MPI_STATUS_IGNORE); /* V */
    memcpy(buffer, came, (size_t)count * extent_of(type));
    return MPI_SUCCESS;
}

/* More comes than the block has room for.
 * check broadcast request_overflows -n 5: out-of-bounds P=2 line=I kinds=1 */
int
request_overflows(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    MPI_Request request;

    if (!receives(buffer, count, type, root, comm))
        return MPI_SUCCESS;
    char *came = room_of((size_t)count * extent_of(type) - 1);

    MPI_Irecv(came, 2 * count, type, root, 1, comm, &request); /* I */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    memcpy(buffer, came, (size_t)count * extent_of(type) - 1);
    free(came);
    return MPI_SUCCESS;
}

/* check broadcast vector_overflows -n 3: out-of-bounds P=2 line=Y kinds=1 */
int
vector_overflows(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    size_t extent = extent_of(type);
    MPI_Datatype every_second;

    if (!receives(buffer, count, type, root, comm))
        return MPI_SUCCESS;
    char *came = room_of((size_t)count * extent);

    MPI_Type_vector(count, 1, 2, type, &every_second);
    MPI_Type_commit(&every_second);
    MPI_Recv(came, 1, every_second, root, 1, comm, MPI_STATUS_IGNORE); /* Y */
    memcpy(buffer, came, (size_t)count * extent);
    MPI_Type_free(&every_second);
    free(came);
    return MPI_SUCCESS;
}
