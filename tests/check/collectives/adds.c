/* SPDX-License-Identifier: MIT */
/* Functions that add by themselves, as courses have them: their elements are numbers. */
#include "own.h"

/* check allreduce adds_ints --arguments 'buffer, count, comm' --elements int: proved */
void
adds_ints(int *a, int n, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);
    int *came = room_of((size_t)n * sizeof *came);

    if (r > 0) {
        MPI_Recv(came, n, MPI_INT, r - 1, 1, comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; i++)
            a[i] += came[i];
    }
    if (r < P - 1)
        MPI_Send(a, n, MPI_INT, r + 1, 1, comm);
    free(came);
    MPI_Bcast(a, n, MPI_INT, P - 1, comm);
}

/* The last is not added.
 * check allreduce adds_one_too_few --arguments 'buffer, count, comm' --elements int: wrong-result P=2 n=1 */
void
adds_one_too_few(int *a, int n, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);
    int *came = room_of((size_t)n * sizeof *came);

    if (r > 0) {
        MPI_Recv(came, n, MPI_INT, r - 1, 1, comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < n - 1; i++)
            a[i] += came[i];
    }
    if (r < P - 1)
        MPI_Send(a, n, MPI_INT, r + 1, 1, comm);
    free(came);
    MPI_Bcast(a, n, MPI_INT, P - 1, comm);
}

/* A word is added twice where P is not a power of two.
 * check reduce again --arguments sendbuf,recvbuf,count,root,comm --elements double --root 0: wrong-result P=3 n=1
 * check reduce again --arguments sendbuf,recvbuf,count,root,comm --elements double -r 0 --only 'P = 2^q': proved */
void
again(const double *in, double *out, int n, int root, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);
    double *sum = room_of((size_t)n * sizeof *sum), *came = room_of((size_t)n * sizeof *came);

    (void)root;
    memcpy(sum, in, (size_t)n * sizeof *sum);
    for (int d = 1; d < P; d *= 2) {
        MPI_Sendrecv(sum, n, MPI_DOUBLE, (r + P - d) % P, d, came, n, MPI_DOUBLE, (r + d) % P, d, comm,
                     MPI_STATUS_IGNORE);
        for (int i = 0; i < n; i++)
            sum[i] += came[i];
    }
    if (r == 0)
        memcpy(out, sum, (size_t)n * sizeof *sum);
    free(sum);
    free(came);
}

/* check scan adds_floats --arguments 'sendbuf, recvbuf, count, comm' --elements float: proved */
int
adds_floats(const float *in, float *out, int n, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);

    memcpy(out, in == MPI_IN_PLACE ? out : in, (size_t)n * sizeof *out);
    if (r > 0) {
        float *came = room_of((size_t)n * sizeof *came);

        MPI_Recv(came, n, MPI_FLOAT, r - 1, 1, comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; i++)
            out[i] += came[i];
        free(came);
    }
    return r < P - 1 ? MPI_Send(out, n, MPI_FLOAT, r + 1, 1, comm) : MPI_SUCCESS;
}

/* Blocks of ints that follow one another; the size of a double for that of an int.
 * check gather ints_of_8 --arguments sendbuf,sendcount,recvbuf,root,comm --elements int: out-of-bounds P=2 m=1 line=E
 * check gather ints --arguments sendbuf,sendcount,recvbuf,root,comm --elements int: proved */
int
ints_of_8(const int *in, int m, int *out, int root, MPI_Comm comm)
{
    if (rank_in(comm) != root)
        return MPI_Send(in, m, MPI_INT, root, 1, comm);
    for (int i = 0; i < size_of(comm); i++)
        if (i != root)
            MPI_Recv((char *)out + (size_t)(i * m) * sizeof(double), m, MPI_INT, i, 1, comm, /* E */
                     MPI_STATUS_IGNORE);
    memcpy(out + root * m, in, (size_t)m * sizeof *out);
    return MPI_SUCCESS;
}

int
ints(const int *in, int m, int *out, int root, MPI_Comm comm)
{
    if (rank_in(comm) != root)
        return MPI_Send(in, m, MPI_INT, root, 1, comm);
    for (int i = 0; i < size_of(comm); i++)
        if (i != root)
            MPI_Recv(out + i * m, m, MPI_INT, i, 1, comm, MPI_STATUS_IGNORE);
    memcpy(out + root * m, in, (size_t)m * sizeof *out);
    return MPI_SUCCESS;
}

/* With MPI's own signature, and its operator.
 * check reduce_scatter_block with_ops --elements float: proved */
int
with_ops(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int P = size_of(comm);
    char *all = room_of((size_t)(count * P) * extent_of(type));

    MPI_Allreduce(in == MPI_IN_PLACE ? out : in, all, count * P, type, op, comm);
    memcpy(out, at(all, (size_t)(rank_in(comm) * count), type), (size_t)count * extent_of(type));
    free(all);
    return MPI_SUCCESS;
}

/* Adds ints itself, of which a label is two.
 * check allreduce adds_other_ints --arguments 'sendbuf, recvbuf, count, comm': wrong-result P=1 n=1 fix=--elements
 * check allreduce adds_other_ints --arguments 'sendbuf, recvbuf, count, comm' --elements int: proved
 * Each message goes to memory for 700 of them.
 * check allreduce adds_few --arguments 'sendbuf, recvbuf, count, comm' --elements int: out-of-bounds P=2 n=701 line=F
 * check allreduce adds_parts --arguments 'sendbuf, recvbuf, count, comm' --elements int: proved */
static void
add_parts(const int *in, int *out, int n, int part, int *came, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);

    memcpy(out, in, (size_t)n * sizeof *in);
    for (int begin = 0; begin < n; begin += part)
        for (int k = 0, m = n - begin < part ? n - begin : part; k < P - 1; k++) {
            MPI_Sendrecv(&in[begin], m, MPI_INT, (r + k + 1) % P, 1, came, m, MPI_INT, (r + P - k - 1) % P, 1, /* F */
                         comm, MPI_STATUS_IGNORE);
            for (int i = 0; i < m; i++)
                out[begin + i] += came[i];
        }
}

void
adds_other_ints(const int *in, int *out, int n, MPI_Comm comm)
{
    int *came = room_of((size_t)n * sizeof *in);

    add_parts(in, out, n, n > 0 ? n : 1, came, comm);
    free(came);
}

void
adds_few(const int *in, int *out, int n, MPI_Comm comm)
{
    int came[700];

    add_parts(in, out, n, n > 0 ? n : 1, came, comm);
}

void
adds_parts(const int *in, int *out, int n, MPI_Comm comm)
{
    int came[700];

    add_parts(in, out, n, 700, came, comm);
}
