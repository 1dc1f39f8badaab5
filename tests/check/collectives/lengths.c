/* SPDX-License-Identifier: MIT */
/* Blocks of unequal lengths. */
#include "own.h"

/* check scatterv scatterv_linear: proved */
int
scatterv_linear(const void *in, const int counts[], const int displs[], MPI_Datatype type, void *out, int received,
                MPI_Datatype to, int root, MPI_Comm comm)
{
    if (rank_in(comm) != root)
        return MPI_Recv(out, received, to, root, 1, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < size_of(comm); i++)
        if (i != root)
            MPI_Send(at(in, (size_t)displs[i], type), counts[i], type, i, 1, comm);
        else if (out != MPI_IN_PLACE)
            memcpy(out, at(in, (size_t)displs[i], type), (size_t)counts[i] * extent_of(type));
    return MPI_SUCCESS;
}

/* check gatherv gatherv_linear: proved */
int
gatherv_linear(const void *in, int count, MPI_Datatype type, void *out, const int counts[], const int displs[],
               MPI_Datatype to, int root, MPI_Comm comm)
{
    if (rank_in(comm) != root)
        return count > 0 ? MPI_Send(in, count, type, root, 1, comm) : MPI_SUCCESS;
    for (int i = 0; i < size_of(comm); i++)
        if (i != root && counts[i] > 0)
            MPI_Recv(at(out, (size_t)displs[i], to), counts[i], to, i, 1, comm, MPI_STATUS_IGNORE);
        else if (i == root && in != MPI_IN_PLACE)
            memcpy(at(out, (size_t)displs[i], to), in, (size_t)counts[i] * extent_of(to));
    return MPI_SUCCESS;
}

/* An empty block is not sent, and awaited.
 * check gatherv awaits_empty: deadlock P=2|1 */
int
awaits_empty(const void *in, int count, MPI_Datatype type, void *out, const int counts[], const int displs[],
             MPI_Datatype to, int root, MPI_Comm comm)
{
    if (rank_in(comm) != root)
        return count > 0 ? MPI_Send(in, count, type, root, 1, comm) : MPI_SUCCESS;
    for (int i = 0; i < size_of(comm); i++)
        if (i != root)
            MPI_Recv(at(out, (size_t)displs[i], to), counts[i], to, i, 1, comm, MPI_STATUS_IGNORE);
        else if (in != MPI_IN_PLACE)
            memcpy(at(out, (size_t)displs[i], to), in, (size_t)counts[i] * extent_of(to));
    return MPI_SUCCESS;
}

/* All blocks are taken to be as long as one's own.
 * check allgatherv as_long_as_mine: wrong-result|truncation|out-of-bounds|collective-mismatch P=1|2 */
int
as_long_as_mine(const void *in, int count, MPI_Datatype type, void *out, const int counts[], const int displs[],
                MPI_Datatype to, MPI_Comm comm)
{
    (void)displs, (void)counts;
    return MPI_Allgather(in, count, type, out, count, to, comm);
}

/* check allgatherv ringv: proved */
int
ringv(const void *in, int count, MPI_Datatype type, void *out, const int counts[], const int displs[], MPI_Datatype to,
      MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);

    if (in != MPI_IN_PLACE)
        memcpy(at(out, (size_t)displs[r], to), in, (size_t)count * extent_of(type));
    for (int k = 0; k < P - 1; k++) {
        int gives = (r + P - k) % P, gets = (r + P - k - 1) % P;

        MPI_Sendrecv(at(out, (size_t)displs[gives], to), counts[gives], to, (r + 1) % P, 1,
                     at(out, (size_t)displs[gets], to), counts[gets], to, (r + P - 1) % P, 1, comm, MPI_STATUS_IGNORE);
    }
    return MPI_SUCCESS;
}

/* check alltoallv direct --buffers separate: proved */
int
direct(const void *in, const int counts[], const int displs[], MPI_Datatype type, void *out, const int received[],
       const int places[], MPI_Datatype to, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);

    for (int k = 0; k < P; k++) {
        int dest = (r + k) % P, source = (r + P - k) % P;

        MPI_Sendrecv(at(in, (size_t)displs[dest], type), counts[dest], type, dest, 1,
                     at(out, (size_t)places[source], to), received[source], to, source, 1, comm, MPI_STATUS_IGNORE);
    }
    return MPI_SUCCESS;
}

/* check alltoallw by_types --buffers separate: proved */
int
by_types(const void *in, const int counts[], const int displs[], const MPI_Datatype types[], void *out,
         const int received[], const int places[], const MPI_Datatype to[], MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);

    for (int k = 0; k < P; k++) {
        int dest = (r + k) % P, source = (r + P - k) % P;

        MPI_Sendrecv((const char *)in + displs[dest], counts[dest], types[dest], dest, 1, (char *)out + places[source],
                     received[source], to[source], source, 1, comm, MPI_STATUS_IGNORE);
    }
    return MPI_SUCCESS;
}

/* Displacements in bytes, taken for elements.
 * check alltoallw bytes_as_elements --buffers separate: out-of-bounds P=1 */
int
bytes_as_elements(const void *in, const int counts[], const int displs[], const MPI_Datatype types[], void *out,
                  const int received[], const int places[], const MPI_Datatype to[], MPI_Comm comm)
{
    return direct(in, counts, displs, types[0], out, received, places, to[0], comm);
}

/* check reduce_scatter by_blocks: proved */
int
by_blocks(const void *in, void *out, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int r = rank_in(comm), begin = 0, all = 0;

    for (int i = 0; i < size_of(comm); i++) {
        begin += i < r ? counts[i] : 0;
        all += counts[i];
    }
    char *sum = room_of((size_t)all * extent_of(type));

    MPI_Allreduce(in == MPI_IN_PLACE ? out : in, sum, all, type, op, comm);
    memcpy(out, at(sum, (size_t)begin, type), (size_t)counts[r] * extent_of(type));
    free(sum);
    return MPI_SUCCESS;
}

/* The begin of one's own block is rank times its length.
 * check reduce_scatter begins_by_own: out-of-bounds P=2 */
int
begins_by_own(const void *in, void *out, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int r = rank_in(comm), all = 0;

    for (int i = 0; i < size_of(comm); i++)
        all += counts[i];
    char *sum = room_of((size_t)all * extent_of(type));

    MPI_Allreduce(in == MPI_IN_PLACE ? out : in, sum, all, type, op, comm);
    memcpy(out, at(sum, (size_t)(r * counts[r]), type), (size_t)counts[r] * extent_of(type));
    free(sum);
    return MPI_SUCCESS;
}

/* Counts of size_t.
 * check allgatherv long_ring --long-counts: proved */
int
long_ring(const void *in, size_t count, MPI_Datatype type, void *out, const size_t counts[], const size_t displs[],
          MPI_Datatype to, MPI_Comm comm)
{
    int P = size_of(comm), *short_counts = room_of(2 * (size_t)P * sizeof *short_counts);

    for (int i = 0; i < P; i++) {
        short_counts[i] = (int)counts[i];
        short_counts[P + i] = (int)displs[i];
    }
    int error = ringv(in, (int)count, type, out, short_counts, short_counts + P, to, comm);

    free(short_counts);
    return error;
}

/* A length that is set on one path only.
 * check allreduce length_unset --buffers separate: out-of-bounds P=1 line=N kinds=1
 * check allreduce length_unset --buffers separate --only 'P > 1': proved */
int
length_unset(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int got = -1;
    char *copy = room_of((size_t)count * extent_of(type));

    if (size_of(comm) > 1)
        got = count;
    MPI_Allreduce(in, out, count, type, op, comm);
    memcpy(copy, out, (size_t)got * extent_of(type)); /* N */
    free(copy);
    return MPI_SUCCESS;
}
