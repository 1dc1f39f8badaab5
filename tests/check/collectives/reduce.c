/* SPDX-License-Identifier: MIT */
/* Reductions to one node, and prefixes. */
#include "own.h"

/* check reduce linear: proved */
int
linear(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);
    size_t bytes = (size_t)count * extent_of(type);

    if (r != root)
        return MPI_Send(in, count, type, root, 1, comm);
    char *sum = room_of(bytes), *came = room_of(bytes);

    memcpy(came, in == MPI_IN_PLACE ? out : in, bytes);
    for (int i = P - 1; i >= 0; i--) {
        if (i == r)
            memcpy(sum, came, i == P - 1 ? bytes : 0);
        if (i != r)
            MPI_Recv(i == P - 1 ? sum : out, count, type, i, 1, comm, MPI_STATUS_IGNORE);
        if (i < P - 1)
            MPI_Reduce_local(i == r ? came : out, sum, count, type, op);
    }
    memcpy(out, sum, bytes);
    free(sum);
    free(came);
    return MPI_SUCCESS;
}

/* The binomial tree of the relative ranks: right for operators that commute.
 * check reduce binomial --op sum: proved
 * check reduce binomial: noncommutative-order P=2 n=1 r=1 */
int
binomial(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm), vrank = (r - root + P) % P;
    size_t bytes = (size_t)count * extent_of(type);
    char *sum = room_of(bytes), *came = room_of(bytes);

    memcpy(sum, in == MPI_IN_PLACE ? out : in, bytes);
    for (int mask = 1; mask < P; mask <<= 1) {
        if (vrank & mask) {
            MPI_Send(sum, count, type, (vrank - mask + root) % P, 1, comm);
            break;
        }
        if (vrank + mask < P) {
            MPI_Recv(came, count, type, (vrank + mask + root) % P, 1, comm, MPI_STATUS_IGNORE);
            MPI_Reduce_local(sum, came, count, type, op);
            memcpy(sum, came, bytes);
        }
    }
    if (r == root)
        memcpy(out, sum, bytes);
    free(sum);
    free(came);
    return MPI_SUCCESS;
}

/* Combines one element more than came.
 * check reduce reduces_beyond --op sum: out-of-bounds P=2 n=1 r=0 line=Y */
int
reduces_beyond(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    int r = rank_in(comm), P = size_of(comm);
    void *came = room_of((size_t)count * extent_of(type));

    if (r != root)
        MPI_Send(in, count, type, root, 1, comm);
    else if (in != MPI_IN_PLACE)
        memcpy(out, in, (size_t)count * extent_of(type));
    for (int i = 0; r == root && i < P; i++) {
        if (i == root)
            continue;
        MPI_Recv(came, count, type, i, 1, comm, MPI_STATUS_IGNORE);
        MPI_Reduce_local(came, out, count + (count > 0), type, op); /* Y */
    }
    free(came);
    return MPI_SUCCESS;
}

/* recvbuf is significant at the root only.
 * check reduce uses_recvbuf_everywhere: crash P=2 n=1 */
int
uses_recvbuf_everywhere(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    if (in != MPI_IN_PLACE)
        memcpy(out, in, (size_t)count * extent_of(type));
    if (rank_in(comm) == root)
        return MPI_Reduce(MPI_IN_PLACE, out, count, type, op, root, comm);
    return MPI_Reduce(out, NULL, count, type, op, root, comm);
}

/* sendbuf is const.
 * check reduce spoils_sendbuf: wrong-result P=2 n=1 */
int
spoils_sendbuf(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    int r = rank_in(comm), P = size_of(comm);
    void *own = in == MPI_IN_PLACE ? out : (void *)(size_t)in, *came = room_of((size_t)count * extent_of(type));

    if (r > 0) {
        MPI_Recv(came, count, type, r - 1, 1, comm, MPI_STATUS_IGNORE);
        MPI_Reduce_local(came, own, count, type, op);
    }
    if (r < P - 1)
        MPI_Send(own, count, type, r + 1, 1, comm);
    free(came);
    if (root != P - 1 && r == P - 1)
        MPI_Send(own, count, type, root, 2, comm);
    if (r == root && root != P - 1)
        MPI_Recv(out, count, type, P - 1, 2, comm, MPI_STATUS_IGNORE);
    else if (r == root && own != out)
        memcpy(out, own, (size_t)count * extent_of(type));
    return MPI_SUCCESS;
}

/* From any source, combined as it comes.
 * check reduce any_order --op sum: proved
 * check reduce any_order -p 1:4: noncommutative-order P=2 n=1 */
int
any_order(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    size_t bytes = (size_t)count * extent_of(type);

    if (rank_in(comm) != root) {
        MPI_Send(in, count, type, root, 1, comm);
        return MPI_Barrier(comm);
    }
    void *came = room_of(bytes);

    if (in != MPI_IN_PLACE)
        memcpy(out, in, bytes);
    for (int i = 1; i < size_of(comm); i++) {
        MPI_Recv(came, count, type, MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE);
        MPI_Reduce_local(came, out, count, type, op);
    }
    free(came);
    return MPI_Barrier(comm);
}

/* check scan chain_scan: proved */
int
chain_scan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);
    void *came = room_of((size_t)count * extent_of(type));

    if (in != MPI_IN_PLACE)
        memcpy(out, in, (size_t)count * extent_of(type));
    if (r > 0) {
        MPI_Recv(came, count, type, r - 1, 1, comm, MPI_STATUS_IGNORE);
        MPI_Reduce_local(came, out, count, type, op);
    }
    if (r < P - 1)
        MPI_Send(out, count, type, r + 1, 1, comm);
    free(came);
    return MPI_SUCCESS;
}

/* check exscan chain_exscan: proved */
int
chain_exscan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);
    size_t bytes = (size_t)count * extent_of(type);
    void *next = room_of(bytes);

    memcpy(next, in == MPI_IN_PLACE ? out : in, bytes);
    if (r > 0) {
        MPI_Recv(out, count, type, r - 1, 1, comm, MPI_STATUS_IGNORE);
        MPI_Reduce_local(out, next, count, type, op);
    }
    if (r < P - 1)
        MPI_Send(next, count, type, r + 1, 1, comm);
    free(next);
    return MPI_SUCCESS;
}

/* An inclusive one.
 * check exscan scan_for_exscan: wrong-result P=2 n=1 */
int
scan_for_exscan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return MPI_Scan(in, out, count, type, op, comm);
}

/* check scan exscan_and_own: proved */
int
exscan_and_own(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    size_t bytes = (size_t)count * extent_of(type);
    char *own = room_of(bytes), *before = room_of(bytes);

    memcpy(own, in == MPI_IN_PLACE ? out : in, bytes);
    MPI_Exscan(own, before, count, type, op, comm);
    if (rank_in(comm) > 0)
        MPI_Reduce_local(before, own, count, type, op);
    memcpy(out, own, bytes);
    free(own);
    free(before);
    return MPI_SUCCESS;
}

/* Nodes that are not the root combine in what they send from.
 * check reduce adds_into_input --buffers separate -p 2: wrong-result P=2 n=1 line=I */
int
adds_into_input(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);
    char *sum = r == root ? out : (char *)(size_t)in, *theirs = room_of((size_t)count * extent_of(type));

    if (r == root)
        memcpy(sum, in, (size_t)count * extent_of(type));
    if (r + 1 < P) {
        MPI_Recv(theirs, count, type, r + 1, 1, comm, MPI_STATUS_IGNORE);
        MPI_Reduce_local(sum, theirs, count, type, op);
        memcpy(sum, theirs, (size_t)count * extent_of(type)); /* I */
    }
    if (r > 0)
        MPI_Send(sum, count, type, r - 1, 1, comm);
    if (r == 0 && root != 0)
        MPI_Send(sum, count, type, root, 2, comm);
    if (r == root && root != 0)
        MPI_Recv(out, count, type, 0, 2, comm, MPI_STATUS_IGNORE);
    free(theirs);
    return MPI_SUCCESS;
}
