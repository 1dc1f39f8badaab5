/* SPDX-License-Identifier: MIT */
/* Broadcasts. */
#include "own.h"

/* check broadcast linear: proved */
int
linear(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    if (rank_in(comm) != root)
        return MPI_Recv(buffer, count, type, root, 1, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < size_of(comm); i++)
        if (i != root)
            MPI_Send(buffer, count, type, i, 1, comm);
    return MPI_SUCCESS;
}

/* check bcast binomial: proved costs=broadcast/binomial */
int
binomial(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int P = size_of(comm), vrank = (rank_in(comm) - root + P) % P, mask = 1;

    for (; mask < P; mask <<= 1)
        if (vrank & mask) {
            MPI_Recv(buffer, count, type, (vrank - mask + root) % P, 1, comm, MPI_STATUS_IGNORE);
            break;
        }
    for (mask >>= 1; mask > 0; mask >>= 1)
        if (vrank + mask < P)
            MPI_Send(buffer, count, type, (vrank + mask + root) % P, 1, comm);
    return MPI_SUCCESS;
}

/* The test of the root is the wrong way round.
 * check broadcast inverted_root: bad-rank P=1 n=0 line=A */
int
inverted_root(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    if (rank_in(comm) == root)
        return MPI_Recv(buffer, count, type, root == 0, 1, comm, MPI_STATUS_IGNORE); /* A */
    return MPI_Send(buffer, count, type, root, 1, comm);
}

/* Pairs by the rank, and not by the rank relative to the root.
 * check broadcast rank_for_vrank: deadlock P=2 n=0 r=1 line=V */
int
rank_for_vrank(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int P = size_of(comm), rank = rank_in(comm), vrank = (rank - root + P) % P;

    /* pairs: the even one of each has it from the even one before */
    if (vrank > 0)
        MPI_Recv(buffer, count, type, (vrank % 2 ? rank - 1 + P : rank - 2 + P) % P, 1, comm, /* V */
                 MPI_STATUS_IGNORE);
    if (rank % 2 == 0) {
        if (vrank + 1 < P)
            MPI_Send(buffer, count, type, (rank + 1) % P, 1, comm);
        if (vrank + 2 < P)
            MPI_Send(buffer, count, type, (rank + 2) % P, 1, comm);
    }
    return MPI_SUCCESS;
}

/* check broadcast vrank_for_rank: proved */
int
vrank_for_rank(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int P = size_of(comm), rank = rank_in(comm), vrank = (rank - root + P) % P;

    if (vrank > 0)
        MPI_Recv(buffer, count, type, (vrank % 2 ? rank - 1 + P : rank - 2 + P) % P, 1, comm, MPI_STATUS_IGNORE);
    if (vrank % 2 == 0) {
        if (vrank + 1 < P)
            MPI_Send(buffer, count, type, (rank + 1) % P, 1, comm);
        if (vrank + 2 < P)
            MPI_Send(buffer, count, type, (rank + 2) % P, 1, comm);
    }
    return MPI_SUCCESS;
}

/* MPI_COMM_WORLD in place of comm.
 * check broadcast on_the_world: wrong-result|deadlock|bad-rank|unmatched-message P=1 */
int
on_the_world(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    (void)comm;
    return linear(buffer, count, type, root, MPI_COMM_WORLD);
}

/* check broadcast by_library: proved */
int
by_library(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return MPI_Bcast(buffer, count, type, root, comm);
}

/* Scatter by halves, then a ring; blocks of count / P, the last takes the rest.
 * check broadcast scatter_ring: proved */
int
scatter_ring(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm), m = count / P, left = (r + P - 1) % P, right = (r + 1) % P;

#define LENGTH(b) ((b) == P - 1 ? count - (P - 1) * m : m)
    if (r == root) {
        for (int i = 0; i < P; i++)
            if (i != root)
                MPI_Send(at(buffer, (size_t)(i * m), type), LENGTH(i), type, i, 2, comm);
    } else {
        MPI_Recv(at(buffer, (size_t)(r * m), type), LENGTH(r), type, root, 2, comm, MPI_STATUS_IGNORE);
    }
    for (int k = 0; k < P - 1; k++) {
        int out = (r + P - k) % P, in = (r + P - k - 1) % P;

        MPI_Sendrecv(at(buffer, (size_t)(out * m), type), LENGTH(out), type, right, 3,
                     at(buffer, (size_t)(in * m), type), LENGTH(in), type, left, 3, comm, MPI_STATUS_IGNORE);
    }
    return MPI_SUCCESS;
#undef LENGTH
}

/* The rest of count / P is forgotten.
 * check broadcast loses_the_rest: wrong-result P=2 n=1 */
int
loses_the_rest(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int P = size_of(comm);

    return linear(buffer, count / P * P, type, root, comm);
}

/* A course's form: void, and the type left out.
 * check broadcast course --arguments 'buffer, count, root, comm': proved */
void
course(double *a, int n, int root, MPI_Comm comm)
{
    if (rank_in(comm) == root)
        for (int i = 0; i < size_of(comm); i++) {
            if (i != root)
                MPI_Send(a, n, MPI_DOUBLE, i, 7, comm);
        }
    else
        MPI_Recv(a, n, MPI_DOUBLE, root, 7, comm, MPI_STATUS_IGNORE);
}

/* check broadcast returns_code: wrong-result P=2 n=0 */
int
returns_code(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    linear(buffer, count, type, root, comm);
    return rank_in(comm) == 1 ? MPI_ERR_COUNT : MPI_SUCCESS;
}

/* Right where P is a power of two: the note says so.
 * check broadcast powers: bad-rank P=3 note=2^q
 * check broadcast powers --only 'P = 2^q': proved */
int
powers(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int P = size_of(comm), vrank = rank_in(comm) ^ root;

    for (int mask = 1; mask < P; mask <<= 1)
        if (vrank < mask)
            MPI_Send(buffer, count, type, (vrank | mask) ^ root, 1, comm);
        else if (vrank < 2 * mask)
            MPI_Recv(buffer, count, type, (vrank ^ mask) ^ root, 1, comm, MPI_STATUS_IGNORE);
    return MPI_SUCCESS;
}

/* It refuses what it cannot do.
 * check broadcast refuses: wrong-result P=3 note=2^q
 * check broadcast refuses --may-refuse: proved */
int
refuses(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int P = size_of(comm);

    return P & (P - 1) ? MPI_ERR_SIZE : powers(buffer, count, type, root, comm);
}

/* One node refuses, and others do not.
 * check broadcast root_refuses --may-refuse: wrong-result P=2 n=0 */
int
root_refuses(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    linear(buffer, count, type, root, comm);
    return rank_in(comm) == 0 && size_of(comm) > 1 ? MPI_ERR_ROOT : MPI_SUCCESS;
}

/* Blocks of count / P.
 * check broadcast equal_blocks: wrong-result P=2 n=1 note=--divides
 * check broadcast equal_blocks --divides: proved */
int
equal_blocks(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int m = count / size_of(comm);
    void *own = room_of((size_t)m * extent_of(type));

    MPI_Scatter(buffer, m, type, own, m, type, root, comm);
    MPI_Allgather(own, m, type, buffer, m, type, comm);
    free(own);
    return MPI_SUCCESS;
}

/* Two ints of one word: one is sent, the other received.
 * check broadcast two_in_a_word: proved */
int
two_in_a_word(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm), pair[2] = {r, -1};
    MPI_Request requests[2];

    MPI_Isend(&pair[0], 1, MPI_INT, (r + 1) % P, 1, comm, &requests[0]);
    MPI_Irecv(&pair[1], 1, MPI_INT, (r + P - 1) % P, 1, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    return pair[1] == (r + P - 1) % P ? linear(buffer, count, type, root, comm) : MPI_ERR_OTHER;
}

/* Both are the same int.
 * check broadcast one_for_both: buffer-reuse P=1 n=0 line=B */
int
one_for_both(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm), pair[2] = {r, -1};
    MPI_Request requests[2];

    MPI_Isend(&pair[0], 1, MPI_INT, (r + 1) % P, 1, comm, &requests[0]);
    MPI_Irecv(&pair[0], 1, MPI_INT, (r + P - 1) % P, 1, comm, &requests[1]); /* B */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    return linear(buffer, count, type, root, comm);
}
