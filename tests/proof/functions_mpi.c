/* SPDX-License-Identifier: MIT */
/* Functions for MPI, as functions.c has them for Peal. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* allgather: every m */
int
allgather_by_size(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm)
{
    int P, r, size;

    MPI_Comm_size(comm, &P);
    MPI_Comm_rank(comm, &r);
    MPI_Type_size(recvtype, &size);
    char *all = recvbuf;
    const size_t bytes = (size_t)recvcount * (size_t)size;

    for (int i = 0; i < P; i++)
        MPI_Sendrecv(sendbuf, sendcount, sendtype, (r + i) % P, 0, all + (size_t)((r - i + P) % P) * bytes, recvcount,
                     recvtype, (r - i + P) % P, 0, comm, MPI_STATUS_IGNORE);
    return MPI_SUCCESS;
}

/* scatter: every root */
int
scatter_linear(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
               MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    int P, r;
    MPI_Aint low, extent;

    MPI_Comm_size(comm, &P);
    MPI_Comm_rank(comm, &r);
    if (r != root)
        return MPI_Recv(recvbuf, recvcount, recvtype, root, 0, comm, MPI_STATUS_IGNORE);
    MPI_Type_get_extent(sendtype, &low, &extent);
    for (int i = 0; i < P; i++) {
        const char *block = (const char *)sendbuf + (MPI_Aint)i * sendcount * extent;

        if (i == root)
            MPI_Sendrecv(block, sendcount, sendtype, r, 0, recvbuf, recvcount, recvtype, r, 0, comm, MPI_STATUS_IGNORE);
        else
            MPI_Send(block, sendcount, sendtype, i, 0, comm);
    }
    return MPI_SUCCESS;
}

static int
ring(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
     MPI_Comm comm, int late)
{
    int P, r;
    MPI_Aint low, extent;
    char *out = recvbuf;

    MPI_Comm_size(comm, &P);
    MPI_Comm_rank(comm, &r);
    MPI_Type_get_extent(recvtype, &low, &extent);
    MPI_Sendrecv(sendbuf, sendcount, sendtype, r, 0, out + r * recvcount * extent, recvcount, recvtype, r, 0, comm,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < P - 1; i++) {
        MPI_Request requests[2];
        int tag = P > 100 ? late : 7;

        MPI_Irecv(out + (r - i - 1 + P) % P * recvcount * extent, recvcount, recvtype, (r - 1 + P) % P, 7, comm,
                  &requests[0]);
        MPI_Isend(out + (r - i + P) % P * recvcount * extent, recvcount, recvtype, (r + 1) % P, tag, comm,
                  &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    return MPI_SUCCESS;
}

/* allgather: P times the count below 2^31 */
int
allgather_ring(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
               MPI_Datatype recvtype, MPI_Comm comm)
{
    return ring(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, 7);
}

/* alltoall: every m */
int
alltoall_shift(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
               MPI_Datatype recvtype, MPI_Comm comm)
{
    int P, r;
    MPI_Aint low, extent;

    MPI_Comm_size(comm, &P);
    MPI_Comm_rank(comm, &r);
    MPI_Type_get_extent(sendtype, &low, &extent);
    MPI_Aint bytes = extent * sendcount;

    for (int i = 0; i < P; i++) {
        int dest = (r + i) % P, source = (r - i + P) % P;

        MPI_Sendrecv((const char *)sendbuf + dest * bytes, sendcount, sendtype, dest, i % 2,
                     (char *)recvbuf + source * bytes, recvcount, recvtype, source, i % 2, comm, MPI_STATUS_IGNORE);
    }
    return MPI_SUCCESS;
}

/* bcast: every root */
int
broadcast_blocking(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    int P, r;

    MPI_Comm_size(comm, &P);
    MPI_Comm_rank(comm, &r);
    if (r != root)
        return MPI_Recv(buffer, count, datatype, root, 0, comm, MPI_STATUS_IGNORE);
    for (int i = P - 1; i >= 0; i--)
        if (i != root)
            MPI_Send(buffer, count, datatype, i, 0, comm);
    return MPI_SUCCESS;
}

/* bcast: every root */
int
broadcast_linear(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    MPI_Request request;
    MPI_Status status;
    int P, r;

    MPI_Comm_size(comm, &P);
    MPI_Comm_rank(comm, &r);
    if (r == root)
        for (int i = 0; i < P; i++) {
            if (i != root) {
                MPI_Isend(buffer, count, datatype, i, 0, comm, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
        }
    else
        MPI_Recv(buffer, count, datatype, root, 0, comm, &status);
    return MPI_SUCCESS;
}

/* reduce: any associative operator */
int
reduce_linear(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
    int P, r;
    MPI_Aint low, extent;

    MPI_Comm_size(comm, &P);
    MPI_Comm_rank(comm, &r);
    if (r != root)
        return MPI_Send(sendbuf, count, datatype, root, 0, comm);
    MPI_Type_get_extent(datatype, &low, &extent);
    void *other = malloc((size_t)(count * extent));

    if (!other)
        return MPI_ERR_NO_MEM;
    if (root == P - 1) {
        memcpy(recvbuf, sendbuf, (size_t)(count * extent));
    } else {
        MPI_Recv(recvbuf, count, datatype, P - 1, 0, comm, MPI_STATUS_IGNORE);
        for (int i = P - 2; i > root; i--) {
            MPI_Recv(other, count, datatype, i, 0, comm, MPI_STATUS_IGNORE);
            MPI_Reduce_local(other, recvbuf, count, datatype, op);
        }
        MPI_Reduce_local(sendbuf, recvbuf, count, datatype, op);
    }
    for (int i = root - 1; i >= 0; i--) {
        MPI_Recv(other, count, datatype, i, 0, comm, MPI_STATUS_IGNORE);
        MPI_Reduce_local(other, recvbuf, count, datatype, op);
    }
    free(other);
    return MPI_SUCCESS;
}

/* barrier: proved for every P */
void
barrier_dissemination(MPI_Comm comm)
{
    int P, r;

    MPI_Comm_size(comm, &P);
    MPI_Comm_rank(comm, &r);
    for (int d = 1; d < P; d <<= 1)
        MPI_Sendrecv(NULL, 0, MPI_BYTE, (r + d) % P, d > 1, NULL, 0, MPI_BYTE, (r - d + P) % P, d > 1, comm,
                     MPI_STATUS_IGNORE);
}

/* barrier: proved for every P */
int
barrier_tree(MPI_Comm comm)
{
    int P, r, mask = 1;

    MPI_Comm_size(comm, &P);
    MPI_Comm_rank(comm, &r);
    for (; mask < P && (r & mask) == 0; mask <<= 1)
        if (r + mask < P)
            MPI_Recv(NULL, 0, MPI_BYTE, r + mask, 0, comm, MPI_STATUS_IGNORE);
    if (r > 0) {
        MPI_Send(NULL, 0, MPI_BYTE, r - mask, 0, comm);
        MPI_Recv(NULL, 0, MPI_BYTE, r - mask, 0, comm, MPI_STATUS_IGNORE);
    }
    for (mask >>= 1; mask > 0; mask >>= 1)
        if (r + mask < P)
            MPI_Send(NULL, 0, MPI_BYTE, r + mask, 0, comm);
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ right to P = 16 */

/* allgather: smallest: P = 101 */
int
allgather_other_tag(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm)
{
    return ring(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, 8);
}

/* barrier: smallest: P = 101 */
int
barrier_but_100(MPI_Comm comm)
{
    int r;

    MPI_Comm_rank(comm, &r);
    return r < 100 ? barrier_tree(comm) : MPI_SUCCESS;
}

/* gather: functions_mpi.c:248: a receive from any source is not followed */
int
gather_from_any(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    int P, r;
    MPI_Aint low, extent;

    MPI_Comm_size(comm, &P);
    MPI_Comm_rank(comm, &r);
    MPI_Type_get_extent(sendtype, &low, &extent);
    if (r == root)
        for (int i = 0; i < P; i++)
            if (i == root)
                memcpy((char *)recvbuf + i * sendcount * extent, sendbuf, (size_t)(sendcount * extent));
            else
                MPI_Recv((char *)recvbuf + i * recvcount * extent, recvcount, recvtype, MPI_ANY_SOURCE, i, comm,
                         MPI_STATUS_IGNORE);
    else
        MPI_Send(sendbuf, sendcount, sendtype, root, r, comm);
    return MPI_SUCCESS;
}
