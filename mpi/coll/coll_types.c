/* SPDX-License-Identifier: MIT */
/* The types of data of calls with lists.  Where only two nodes know the length of a block, its message carries the
 * types, as a send's does (coll_block.c). */
#include "mpi/coll/coll_types.h"

/* The note of blocks whose lengths all nodes know. */
static uint64_t
list_note(const struct comm *comm, const struct type *type, const int *counts)
{
    uint64_t note = 0;

    for (int i = 0; i < comm->size && !type->untyped; i++)
        note = note * UINT64_C(0x9E3779B97F4A7C15) + block_note(type, (size_t)counts[i]);
    return note;
}

/* Whether the node has data for every other, so that any two such nodes must use the same types. */
static bool
is_full(const int *counts, const struct comm *comm)
{
    for (int i = 0; i < comm->size; i++)
        if (i != comm->rank && counts[i] <= 0)
            return false;
    return true;
}

/* The note of an all-to-all with blocks of different lengths: their basic type, if all have the same. */
static uint64_t
pairs_note(struct mpi *mpi, const struct comm *comm, const struct type *received, const struct coll_args *a)
{
    const struct type *sent = a->send.at == MPI_IN_PLACE ? received : type_find(mpi, a->send.type);
    const int *sends = a->send.at == MPI_IN_PLACE ? a->receive.counts : a->send.counts;
    bool alike = sent && received->basic && !received->untyped && sent->basic == received->basic;

    return alike && sends && is_full(sends, comm) && is_full(a->receive.counts, comm) ? received->basic : 0;
}

uint64_t
unequal_note(struct mpi *mpi, const struct comm *c, coll_function carry_out, const struct coll_args *a,
             const struct type *type)
{
    if (carry_out == coll_gatherv || carry_out == coll_scatterv || !a->receive.counts)
        return 0;
    return carry_out == coll_alltoall ? pairs_note(mpi, c, type, a) : list_note(c, type, a->receive.counts);
}

uint64_t
inter_note(coll_function carry_out, const struct coll_args *a, const struct type *type, int count)
{
    bool rooted = carry_out == coll_broadcast || carry_out == coll_gather || carry_out == coll_scatter ||
                  carry_out == coll_reduce;
    bool alike = rooted ? a->root != MPI_PROC_NULL /* a node that takes no part has no data */
                        : carry_out == coll_reduce_everywhere || carry_out == coll_reduce_blocks;

    return alike && count > 0 && !type->untyped ? (uint64_t)type->basic : 0;
}
