/* SPDX-License-Identifier: MIT */
/* Scatter, gather, all-gather, all-to-all, reduce-scatter, barrier. */
#include "own.h"

/* check scatter scatter_linear: proved */
int
scatter_linear(const void *in, int count, MPI_Datatype type, void *out, int received, MPI_Datatype to, int root,
               MPI_Comm comm)
{
    if (rank_in(comm) != root)
        return MPI_Recv(out, received, to, root, 1, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < size_of(comm); i++)
        if (i != root)
            MPI_Send(at(in, (size_t)(i * count), type), count, type, i, 1, comm);
        else if (out != MPI_IN_PLACE)
            memcpy(out, at(in, (size_t)(i * count), type), (size_t)count * extent_of(type));
    return MPI_SUCCESS;
}

/* By halves, from any root.
 * check scatter halves: proved */
int
halves(const void *in, int count, MPI_Datatype type, void *out, int received, MPI_Datatype to, int root, MPI_Comm comm)
{
    int P = size_of(comm), vrank = (rank_in(comm) - root + P) % P, mask = 1;
    size_t block = (size_t)received * extent_of(to);

    if (vrank == 0)
        block = (size_t)count * extent_of(type);
    char *mine = room_of((size_t)P * block);

    for (int i = 0; vrank == 0 && i < P; i++)
        memcpy(mine + (size_t)i * block, at(in, (size_t)((i + root) % P * count), type), block);
    for (; mask < P; mask <<= 1)
        if (vrank & mask) {
            MPI_Recv(mine, mask * received, to, (vrank - mask + root) % P, 2, comm, MPI_STATUS_IGNORE);
            break;
        }
    for (mask >>= 1; mask > 0; mask >>= 1)
        if (vrank + mask < P) {
            int theirs = P - vrank - mask < mask ? P - vrank - mask : mask;

            MPI_Send(mine + (size_t)mask * block, theirs * (vrank ? received : count), vrank ? to : type,
                     (vrank + mask + root) % P, 2, comm);
        }
    if (out != MPI_IN_PLACE)
        memcpy(out, mine, block);
    free(mine);
    return MPI_SUCCESS;
}

/* Memory for one block, and not for each.
 * check gather too_little: out-of-bounds P=1 m=1 line=T */
int
too_little(const void *in, int count, MPI_Datatype type, void *out, int received, MPI_Datatype to, int root,
           MPI_Comm comm)
{
    int P = size_of(comm);
    size_t block = (size_t)count * extent_of(type);
    char *all = room_of((size_t)P);

    (void)received, (void)to;
    if (rank_in(comm) != root) {
        free(all);
        return MPI_Send(in, count, type, root, 1, comm);
    }
    for (int i = 0; i < P; i++)
        if (i == root)
            memcpy(all + (size_t)i * block, in == MPI_IN_PLACE ? at(out, (size_t)(i * count), type) : in, /* T */
                   block);
        else
            MPI_Recv(all + (size_t)i * block, count, type, i, 1, comm, MPI_STATUS_IGNORE);
    memcpy(out, all, (size_t)P * block);
    free(all);
    return MPI_SUCCESS;
}

/* check gather enough: proved */
int
enough(const void *in, int count, MPI_Datatype type, void *out, int received, MPI_Datatype to, int root, MPI_Comm comm)
{
    int P = size_of(comm);

    if (rank_in(comm) != root)
        return MPI_Send(in, count, type, root, 1, comm);
    for (int i = 0; i < P; i++)
        if (i != root)
            MPI_Recv(at(out, (size_t)(i * received), to), received, to, i, 1, comm, MPI_STATUS_IGNORE);
        else if (in != MPI_IN_PLACE)
            memcpy(at(out, (size_t)(i * received), to), in, (size_t)received * extent_of(to));
    return MPI_SUCCESS;
}

/* A message that is much longer than the memory it goes to: that is all that is found.
 * check alltoall ranks_for_words --buffers separate -p 1:3: out-of-bounds P=1 m=2 line=L kinds=1 */
int
ranks_for_words(const void *in, int count, MPI_Datatype type, void *out, int received, MPI_Datatype to, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);
    char *all = room_of((size_t)P * extent_of(type)), *next = room_of(1); /* and not P * count */

    for (int k = 0; k < P; k++)
        MPI_Sendrecv(at(in, (size_t)((r + k) % P * count), type), count, type, (r + k) % P, 1, /* L */
                     at(all, (size_t)((r + P - k) % P * count), type), count, type, (r + P - k) % P, 1, comm,
                     MPI_STATUS_IGNORE);
    memcpy(out, all, (size_t)(P * received) * extent_of(to));
    free(next);
    free(all);
    return MPI_SUCCESS;
}

/* By a tree, with memory for a block of each round, and not for each of those below: 3 where 4 come.
 * check gather room_for_rounds --buffers separate -p 1:8: out-of-bounds P=8 m=1 r=0 line=G
 * check gather room_for_rounds --buffers separate -p 1:7: proved costs=gather/binomial */
int
room_for_rounds(const void *in, int count, MPI_Datatype type, void *out, int received, MPI_Datatype to, int root,
                MPI_Comm comm)
{
    int P = size_of(comm), vrank = (rank_in(comm) - root + P) % P, rounds = 1, held = 1;
    size_t block;

    while ((1 << rounds) < P)
        rounds++;
    if (vrank == 0)
        count = received, type = to;
    block = (size_t)count * extent_of(type);
    char *all = room_of((size_t)(vrank == 0 ? P : rounds) * block);

    memcpy(all, in, block);
    for (int mask = 1; mask < P; mask <<= 1) {
        if (vrank & mask) {
            MPI_Send(all, held * count, type, (vrank - mask + root) % P, 3, comm);
            break;
        }
        int theirs = P - vrank - mask < mask ? P - vrank - mask : mask;

        if (theirs > 0)
            MPI_Recv(all + (size_t)mask * block, theirs * count, type, (vrank + mask + root) % P, 3, /* G */
                     comm, MPI_STATUS_IGNORE);
        held += theirs > 0 ? theirs : 0;
    }
    for (int i = 0; vrank == 0 && i < P; i++)
        memcpy(at(out, (size_t)((i + root) % P * count), type), all + (size_t)i * block, block);
    free(all);
    return MPI_SUCCESS;
}

/* Odd nodes give their block to the one before them; their rank is taken for their distance from the root.
 * check gather pairs_first --buffers separate: deadlock|unmatched-message|wrong-result|bad-rank P=4 r=1 line=O
 * check gather pairs_first --buffers separate -r 0: proved */
int
pairs_first(const void *in, int count, MPI_Datatype type, void *out, int received, MPI_Datatype to, int root,
            MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm), vrank = (r - root + P) % P, other = (r + 1) % P;

    if (P < 4)
        return enough(in, count, type, out, received, to, root, comm);
    if (r % 2 == 1) /* vrank % 2 */
        return MPI_Send(in, count, type, (r + P - 1) % P, 1, comm);
    if (r == root)
        memcpy(at(out, (size_t)(r * received), to), in, (size_t)received * extent_of(to));
    for (int i = 1; r == root && i < P; i++)
        MPI_Recv(at(out, (size_t)((r + i) % P * received), to), received, to, i == 1 ? other : (r + i / 2 * 2) % P, 1,
                 comm, MPI_STATUS_IGNORE);
    if (r == root)
        return MPI_SUCCESS;
    MPI_Send(in, count, type, root, 1, comm); /* O */
    if (vrank + 1 == P)
        return MPI_SUCCESS;
    void *theirs = room_of((size_t)count * extent_of(type));

    MPI_Recv(theirs, count, type, other, 1, comm, MPI_STATUS_IGNORE);
    MPI_Send(theirs, count, type, root, 1, comm);
    free(theirs);
    return MPI_SUCCESS;
}

/* From any source, by MPI_Status: takes a message of the next call.
 * check gather next_call: order-dependent P=3 m=1 */
int
next_call(const void *in, int count, MPI_Datatype type, void *out, int received, MPI_Datatype to, int root,
          MPI_Comm comm)
{
    size_t bytes = (size_t)received * extent_of(to);
    MPI_Status status;

    if (rank_in(comm) != root)
        return MPI_Send(in, count, type, root, 1, comm);
    void *came = room_of(bytes);

    if (in != MPI_IN_PLACE)
        memcpy(at(out, (size_t)(root * received), to), in, bytes);
    for (int i = 1; i < size_of(comm); i++) {
        MPI_Recv(came, received, to, MPI_ANY_SOURCE, 1, comm, &status);
        memcpy(at(out, (size_t)(status.MPI_SOURCE * received), to), came, bytes);
    }
    free(came);
    return MPI_SUCCESS;
}

/* check allgather ring: proved costs=allgather/ring */
int
ring(const void *in, int count, MPI_Datatype type, void *out, int received, MPI_Datatype to, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);

    if (in != MPI_IN_PLACE)
        memcpy(at(out, (size_t)(r * received), to), in, (size_t)count * extent_of(type));
    for (int k = 0; k < P - 1; k++)
        MPI_Sendrecv(at(out, (size_t)((r + P - k) % P * received), to), received, to, (r + 1) % P, 1,
                     at(out, (size_t)((r + P - k - 1) % P * received), to), received, to, (r + P - 1) % P, 1, comm,
                     MPI_STATUS_IGNORE);
    return MPI_SUCCESS;
}

/* The size is taken for the extent.
 * check allgather size_as_extent: wrong-result P=1 m=2
 * check allgather size_as_extent --call once: out-of-bounds P=2 m=268435457
 * check allgather size_as_extent --call once --only 'n < 2^28': proved */
int
size_as_extent(const void *in, int count, MPI_Datatype type, void *out, int received, MPI_Datatype to, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm), size;
    char *all = out;

    MPI_Type_size(type, &size);
    size *= count;
    if (in != MPI_IN_PLACE)
        memcpy(all + r * size, in, (size_t)size);
    for (int k = 0; k < P - 1; k++)
        MPI_Sendrecv(all + (r + P - k) % P * size, received, to, (r + 1) % P, 1, all + (r + P - k - 1) % P * size,
                     received, to, (r + P - 1) % P, 1, comm, MPI_STATUS_IGNORE);
    return MPI_SUCCESS;
}

/* One step too few.
 * check allgather stops_early: wrong-result P=3 m=1 */
int
stops_early(const void *in, int count, MPI_Datatype type, void *out, int received, MPI_Datatype to, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);

    if (in != MPI_IN_PLACE)
        memcpy(at(out, (size_t)(r * received), to), in, (size_t)count * extent_of(type));
    for (int k = 0; k < (P == 2 ? 1 : P - 2); k++)
        MPI_Sendrecv(at(out, (size_t)((r + P - k) % P * received), to), received, to, (r + 1) % P, 1,
                     at(out, (size_t)((r + P - k - 1) % P * received), to), received, to, (r + P - 1) % P, 1, comm,
                     MPI_STATUS_IGNORE);
    return MPI_SUCCESS;
}

/* Sends before it receives: blocks where sends do.
 * check allgather unbuffered: deadlock-if-unbuffered P=2 m=0|1 */
int
unbuffered(const void *in, int count, MPI_Datatype type, void *out, int received, MPI_Datatype to, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);

    if (in != MPI_IN_PLACE)
        memcpy(at(out, (size_t)(r * received), to), in, (size_t)count * extent_of(type));
    for (int k = 0; k < P - 1; k++) {
        MPI_Send(at(out, (size_t)((r + P - k) % P * received), to), received, to, (r + 1) % P, 1, comm);
        MPI_Recv(at(out, (size_t)((r + P - k - 1) % P * received), to), received, to, (r + P - 1) % P, 1, comm,
                 MPI_STATUS_IGNORE);
    }
    return MPI_SUCCESS;
}

/* check alltoall pairwise: proved */
int
pairwise(const void *in, int count, MPI_Datatype type, void *out, int received, MPI_Datatype to, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);
    size_t bytes = (size_t)(P * received) * extent_of(to);
    void *copy = room_of(bytes);

    if (in == MPI_IN_PLACE) {
        memcpy(copy, out, bytes);
        in = copy;
        count = received;
        type = to;
    }
    for (int k = 0; k < P; k++)
        MPI_Sendrecv(at(in, (size_t)((r + k) % P * count), type), count, type, (r + k) % P, 1,
                     at(out, (size_t)((r + P - k) % P * received), to), received, to, (r + P - k) % P, 1, comm,
                     MPI_STATUS_IGNORE);
    free(copy);
    return MPI_SUCCESS;
}

/* All at once, waited for in any order.
 * check alltoall all_at_once --buffers separate -p 1:4: proved */
int
all_at_once(const void *in, int count, MPI_Datatype type, void *out, int received, MPI_Datatype to, MPI_Comm comm)
{
    int P = size_of(comm), index;
    MPI_Request *requests = room_of(2 * (size_t)P * sizeof *requests);

    for (int i = 0; i < P; i++) {
        MPI_Irecv(at(out, (size_t)(i * received), to), received, to, i, 1, comm, &requests[i]);
        MPI_Isend(at(in, (size_t)(i * count), type), count, type, i, 1, comm, &requests[P + i]);
    }
    for (int i = 0; i < P; i++)
        MPI_Waitany(P, requests, &index, MPI_STATUS_IGNORE);
    MPI_Waitall(P, requests + P, MPI_STATUSES_IGNORE);
    free(requests);
    return MPI_SUCCESS;
}

/* The last wait is left out.
 * check alltoall no_wait --buffers separate: lost-request P=1 m=0 */
int
no_wait(const void *in, int count, MPI_Datatype type, void *out, int received, MPI_Datatype to, MPI_Comm comm)
{
    int P = size_of(comm);
    MPI_Request *requests = room_of(2 * (size_t)P * sizeof *requests);

    for (int i = 0; i < P; i++) {
        MPI_Irecv(at(out, (size_t)(i * received), to), received, to, i, 1, comm, &requests[i]);
        MPI_Isend(at(in, (size_t)(i * count), type), count, type, i, 1, comm, &requests[P + i]);
    }
    MPI_Waitall(2 * P - 1, requests, MPI_STATUSES_IGNORE);
    free(requests);
    return MPI_SUCCESS;
}

/* check reduce_scatter_block by_reduce: proved */
int
by_reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int P = size_of(comm);
    size_t bytes = (size_t)count * extent_of(type);
    char *sum = room_of((size_t)P * bytes);

    MPI_Reduce(in == MPI_IN_PLACE ? out : in, sum, P * count, type, op, 0, comm);
    MPI_Scatter(sum, count, type, out, count, type, 0, comm);
    free(sum);
    return MPI_SUCCESS;
}

/* Writes all blocks where recvbuf has one.
 * check reduce_scatter_block by_allreduce: out-of-bounds P=2 m=1 */
int
by_allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    MPI_Allreduce(in, out, size_of(comm) * count, type, op, comm);
    memmove(out, at(out, (size_t)(rank_in(comm) * count), type), (size_t)count * extent_of(type));
    return MPI_SUCCESS;
}

/* check barrier to_and_from_0: proved */
int
to_and_from_0(MPI_Comm comm)
{
    int P = size_of(comm);

    if (rank_in(comm) > 0) {
        MPI_Send(NULL, 0, MPI_BYTE, 0, 1, comm);
        return MPI_Recv(NULL, 0, MPI_BYTE, 0, 2, comm, MPI_STATUS_IGNORE);
    }
    for (int i = 1; i < P; i++)
        MPI_Recv(NULL, 0, MPI_BYTE, i, 1, comm, MPI_STATUS_IGNORE);
    for (int i = 1; i < P; i++)
        MPI_Send(NULL, 0, MPI_BYTE, i, 2, comm);
    return MPI_SUCCESS;
}

/* Nobody waits for the last node.
 * check barrier only_round: wrong-result P=3 */
int
only_round(MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);

    return MPI_Sendrecv(NULL, 0, MPI_BYTE, (r + 1) % P, 1, NULL, 0, MPI_BYTE, (r + P - 1) % P, 1, comm,
                        MPI_STATUS_IGNORE);
}
