/* SPDX-License-Identifier: MIT */
/* Functions that refuse a number of nodes, an operator or a type, each in a way of its own: the note names what makes
 * them right. */
#include "own.h"
#include <assert.h>
#include <stdbool.h>

static bool
is_power(int P)
{
    return (P & (P - 1)) == 0;
}

/* check barrier aborts: crash P=3 note=2^q
 * check barrier aborts --may-refuse: proved */
int
aborts(MPI_Comm comm)
{
    if (!is_power(size_of(comm)))
        MPI_Abort(comm, 3);
    return MPI_Barrier(comm);
}

/* check barrier asserts: crash P=3 note=2^q
 * check barrier asserts --may-refuse: proved */
int
asserts(MPI_Comm comm)
{
    assert(is_power(size_of(comm)));
    return MPI_Barrier(comm);
}

/* check barrier exits: crash P=3 note=2^q
 * check barrier exits --may-refuse: proved */
int
exits(MPI_Comm comm)
{
    if (!is_power(size_of(comm)))
        exit(2);
    return MPI_Barrier(comm);
}

/* It has sent by then: that is a crash.
 * check barrier aborts_later --may-refuse: crash P=3 */
int
aborts_later(MPI_Comm comm)
{
    int error = MPI_Barrier(comm);

    if (!is_power(size_of(comm)))
        MPI_Abort(comm, 3);
    return error;
}

/* The error code says the same of as many nodes as a power of two does, which says more.
 * check barrier returns: wrong-result P=3 note=2^q */
int
returns(MPI_Comm comm)
{
    return is_power(size_of(comm)) ? MPI_Barrier(comm) : MPI_ERR_COMM;
}

/* check broadcast squares: crash P=2 note=floor(sqrt(P)) */
int
squares(void *a, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    int P = size_of(comm), side = 1;

    while (side * side < P)
        side++;
    if (side * side != P)
        abort();
    return MPI_Bcast(a, n, type, root, comm);
}

/* check allreduce commutes: crash P=1 note=--op */
int
commutes(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int does;

    MPI_Op_commutative(op, &does);
    if (!does)
        MPI_Abort(comm, 1);
    return MPI_Allreduce(in, out, n, type, op, comm);
}

/* Two things at once.
 * check allreduce commutes_on_powers: crash P=1 note=2^q'
 * check allreduce commutes_on_powers --only 'P = 2^q' --op sum: proved */
int
commutes_on_powers(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    assert(is_power(size_of(comm)));
    return commutes(in, out, n, type, op, comm);
}

/* check allreduce takes_sums: wrong-result P=1 note=--elements */
int
takes_sums(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return op == MPI_SUM && type == MPI_DOUBLE ? MPI_Allreduce(in, out, n, type, op, comm) : MPI_ERR_OP;
}

/* The largest, and the smallest, of ints, by comparison.
 * check allreduce largest: wrong-result P=1 note=max
 * check allreduce largest --elements int --op max: proved
 * check allreduce largest --elements int --op min: wrong-result P=1
 * check allreduce largest --cflags -DSMALLEST --elements int --op min: proved
 * check allreduce largest --cflags -DFORGETS --elements int --op max: wrong-result P=3
 * check allreduce largest --cflags -DMIXES --elements int --op max: wrong-result P=4 n=2 */
int
largest(const int *in, int *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    const int P = size_of(comm), r = rank_in(comm);
    int *came = room_of((size_t)n * sizeof *came), *mine = room_of((size_t)n * sizeof *mine);

#ifdef SMALLEST
    const int sign = -1;
    if (op != MPI_MIN)
#else
    const int sign = 1;
    if (op != MPI_MAX)
#endif
        return MPI_ERR_OP;
    memcpy(mine, in == MPI_IN_PLACE ? out : in, (size_t)n * sizeof *mine);
    if (out != mine)
        memcpy(out, mine, (size_t)n * sizeof *mine);
#ifdef FORGETS
    for (int i = 1; i < P && i < 2; i++) {
#else
    for (int i = 1; i < P; i++) {
#endif
        MPI_Sendrecv(mine, n, type, (r + i) % P, 0, came, n, type, (r + P - i) % P, 0, comm, MPI_STATUS_IGNORE);
        for (int k = 0; k < n; k++)
            out[k] = sign * came[k] > sign * out[k] ? came[k] : out[k];
    }
#ifdef MIXES
    if (P == 4 && n > 1 && out[0] > out[1])
        out[1] = out[0];
#endif
    free(came);
    free(mine);
    return MPI_SUCCESS;
}

/* The size is the stride, which only holds for datatypes without gaps.
 * check allgather by_size: wrong-result|out-of-bounds|uninitialised-send P=2 note=--contiguous
 * check allgather by_size --contiguous: proved limits=larger
 * check allgather by_size --cflags -DWRONG --contiguous: truncation|wrong-result|collective-mismatch P=3 m=3 */
int
by_size(const void *in, int count, MPI_Datatype type, void *out, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    const int P = size_of(comm), r = rank_in(comm);
    char *blocks = out;
    int bytes;

    MPI_Type_size(recvtype, &bytes);
    const size_t size = (size_t)bytes * (size_t)recvcount;
#ifdef WRONG
    recvcount -= P > 2 && recvcount > 2;
#endif
    if (in != MPI_IN_PLACE)
        MPI_Sendrecv(in, count, type, r, 0, blocks + (size_t)r * size, recvcount, recvtype, r, 0, comm,
                     MPI_STATUS_IGNORE);
    for (int i = 0; i < P; i++)
        MPI_Bcast(blocks + (size_t)i * size, recvcount, recvtype, i, comm);
    return MPI_SUCCESS;
}
