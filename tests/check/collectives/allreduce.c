/* SPDX-License-Identifier: MIT */
/* All-reductions. */
#include "own.h"

static void
begin(const void *in, void *out, int count, MPI_Datatype type)
{
    if (in != MPI_IN_PLACE)
        memcpy(out, in, (size_t)count * extent_of(type));
}

/* check allreduce chain: proved */
int
chain(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);
    void *came = room_of((size_t)count * extent_of(type));

    begin(in, out, count, type);
    if (r > 0) {
        MPI_Recv(came, count, type, r - 1, 1, comm, MPI_STATUS_IGNORE);
        MPI_Reduce_local(came, out, count, type, op);
    }
    if (r < P - 1) {
        MPI_Send(out, count, type, r + 1, 1, comm);
        MPI_Recv(out, count, type, r + 1, 2, comm, MPI_STATUS_IGNORE);
    }
    if (r > 0)
        MPI_Send(out, count, type, r - 1, 2, comm);
    free(came);
    return MPI_SUCCESS;
}

/* check allreduce reduce_bcast: proved */
int
reduce_bcast(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    if (in == MPI_IN_PLACE && rank_in(comm) > 0)
        MPI_Reduce(out, NULL, count, type, op, 0, comm);
    else
        MPI_Reduce(in, out, count, type, op, 0, comm);
    return MPI_Bcast(out, count, type, 0, comm);
}

/* MPI_IN_PLACE is passed on as a buffer.
 * check allreduce in_place_as_buffer --buffers both: invalid-argument P=1 n=1 line=I */
int
in_place_as_buffer(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    MPI_Sendrecv(in, count, type, rank_in(comm), 4, out, count, type, rank_in(comm), 4, comm, /* I */
                 MPI_STATUS_IGNORE);
    return chain(MPI_IN_PLACE, out, count, type, op, comm);
}

/* Recursive doubling; P a power of two.
 * check allreduce doubling -p 2,4,8: proved costs=allreduce/recursive-doubling
 * check allreduce doubling: wrong-result P=3 n=1 */
int
doubling(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);
    size_t bytes = (size_t)count * extent_of(type);
    void *came = room_of(bytes);

    begin(in, out, count, type);
    for (int d = 1; d < P; d <<= 1) {
        int partner = r ^ d;

        if (partner >= P)
            continue;
        MPI_Sendrecv(out, count, type, partner, d, came, count, type, partner, d, comm, MPI_STATUS_IGNORE);
        if (partner < r) {
            MPI_Reduce_local(came, out, count, type, op);
        } else {
            MPI_Reduce_local(out, came, count, type, op);
            memcpy(out, came, bytes);
        }
    }
    free(came);
    return MPI_SUCCESS;
}

/* Operands on the wrong side.
 * check allreduce swapped -p 2,4: noncommutative-order P=2 n=1
 * check allreduce swapped -p 2,4 --op sum: proved */
int
swapped(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);
    void *came = room_of((size_t)count * extent_of(type));

    begin(in, out, count, type);
    for (int d = 1; d < P; d <<= 1) {
        MPI_Sendrecv(out, count, type, r ^ d, d, came, count, type, r ^ d, d, comm, MPI_STATUS_IGNORE);
        MPI_Reduce_local(came, out, count, type, op);
    }
    free(came);
    return MPI_SUCCESS;
}

/* A ring of P - 1 and P - 1 steps, of blocks; commutative.
 * check allreduce ring --op sum: proved */
int
ring(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm), left = (r + P - 1) % P, right = (r + 1) % P;
    void *came = room_of((size_t)(count / P + 1) * extent_of(type));

#define BEGIN(b) (size_t)((b) * (count / P) + ((b) < count % P ? (b) : count % P))
#define LENGTH(b) (count / P + ((b) < count % P))
    begin(in, out, count, type);
    for (int k = 0; k < P - 1; k++) {
        int gives = (r + P - k) % P, gets = (r + 2 * P - k - 1) % P;

        MPI_Sendrecv(at(out, BEGIN(gives), type), LENGTH(gives), type, right, 1, came, LENGTH(gets), type, left, 1,
                     comm, MPI_STATUS_IGNORE);
        MPI_Reduce_local(came, at(out, BEGIN(gets), type), LENGTH(gets), type, op);
    }
    for (int k = 0; k < P - 1; k++) {
        int gives = (r + 1 + P - k) % P, gets = (r + P - k) % P;

        MPI_Sendrecv(at(out, BEGIN(gives), type), LENGTH(gives), type, right, 2, at(out, BEGIN(gets), type),
                     LENGTH(gets), type, left, 2, comm, MPI_STATUS_IGNORE);
    }
    free(came);
    return MPI_SUCCESS;
#undef BEGIN
#undef LENGTH
}

/* A course's form: one buffer, and MPI_SUM.
 * check allreduce course --arguments 'buffer, count, comm': proved */
void
course(double *a, int n, MPI_Comm comm)
{
    MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_DOUBLE, MPI_SUM, comm);
}

/* check allreduce to_node_0_only --arguments 'buffer, count, comm': wrong-result P=2 n=1 */
void
to_node_0_only(double *a, int n, MPI_Comm comm)
{
    if (rank_in(comm) == 0)
        MPI_Reduce(MPI_IN_PLACE, a, n, MPI_DOUBLE, MPI_SUM, 0, comm);
    else
        MPI_Reduce(a, NULL, n, MPI_DOUBLE, MPI_SUM, 0, comm);
}

/* A user's operator around MPI's function for two halves.
 * check allreduce halves_by_comm: proved */
int
halves_by_comm(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm), half = (P + 1) / 2;
    MPI_Comm part;
    void *came = room_of((size_t)count * extent_of(type));

    MPI_Comm_split(comm, r >= half, r, &part);
    begin(in, out, count, type);
    chain(MPI_IN_PLACE, out, count, type, op, part);
    MPI_Comm_free(&part);
    if (P > 1 && r == 0) {
        MPI_Recv(came, count, type, half, 3, comm, MPI_STATUS_IGNORE);
        MPI_Reduce_local(out, came, count, type, op);
        memcpy(out, came, (size_t)count * extent_of(type));
    } else if (r == half) {
        MPI_Send(out, count, type, 0, 3, comm);
    }
    free(came);
    return MPI_Bcast(out, count, type, 0, comm);
}

/* The duplicate is kept.
 * check allreduce leaks_a_duplicate: leak P=1 n=0 line=D
 * check allreduce leaks_a_duplicate --allow leak: proved */
int
leaks_a_duplicate(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    MPI_Comm own;

    MPI_Comm_dup(comm, &own); /* D */
    return chain(in, out, count, type, op, own);
}

/* Memory for a vector is count times the size.
 * check allreduce room_by_size: out-of-bounds P=2 n=3 line=R */
int
room_by_size(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm), size;

    MPI_Type_size(type, &size);
    void *came = room_of((size_t)(count * size));

    begin(in, out, count, type);
    if (r > 0) {
        MPI_Recv(came, count, type, r - 1, 1, comm, MPI_STATUS_IGNORE); /* R */
        MPI_Reduce_local(came, out, count, type, op);
    }
    if (r < P - 1)
        MPI_Send(out, count, type, r + 1, 1, comm);
    free(came);
    return MPI_Bcast(out, count, type, P - 1, comm);
}

/* Packed, and unpacked where it came; MPI_Pack counts bytes by an int.
 * check allreduce packed: out-of-bounds P=2 n=268435457
 * check allreduce packed --only 'n < 2^28': proved */
int
packed(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm), bytes, place = 0;

    MPI_Pack_size(count, type, comm, &bytes);
    char *box = room_of((size_t)bytes);
    void *came = room_of((size_t)count * extent_of(type));

    begin(in, out, count, type);
    if (r > 0) {
        MPI_Recv(box, bytes, MPI_PACKED, r - 1, 1, comm, MPI_STATUS_IGNORE);
        MPI_Unpack(box, bytes, &place, came, count, type, comm);
        MPI_Reduce_local(came, out, count, type, op);
    }
    place = 0;
    MPI_Pack(out, count, type, box, bytes, &place, comm);
    if (r < P - 1)
        MPI_Send(box, place, MPI_PACKED, r + 1, 1, comm);
    free(box);
    free(came);
    return MPI_Bcast(out, count, type, P - 1, comm);
}

/* One-sided, into a window of node 0.
 * check allreduce by_window: proved */
int
by_window(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);
    size_t bytes = (size_t)count * extent_of(type);
    char *all;
    MPI_Win window;

    MPI_Win_allocate((MPI_Aint)(r == 0 ? (size_t)P * bytes : 0), 1, MPI_INFO_NULL, comm, &all, &window);
    begin(in, out, count, type);
    MPI_Win_fence(0, window);
    MPI_Put(out, count, type, 0, (MPI_Aint)((size_t)r * bytes), count, type, window);
    MPI_Win_fence(0, window);
    for (int i = P - 2; r == 0 && i >= 0; i--)
        MPI_Reduce_local(all + (size_t)i * bytes, all + (size_t)(P - 1) * bytes, count, type, op);
    if (r == 0)
        memcpy(out, all + (size_t)(P - 1) * bytes, bytes);
    MPI_Win_free(&window);
    return MPI_Bcast(out, count, type, 0, comm);
}
