/* SPDX-License-Identifier: MIT */
/* The types of a collective's data.  Each node says a number made of the basic types of its block, in their order; the machine
 * compares those of the n-th call of all nodes.  MPI_BYTE and MPI_PACKED match any type. */
#include "lib/mpi/coll.h"
#include "lib/mpi/finding.h"

enum { TYPE_SHIFT = 56 };

/* Of one block; 0: it says nothing. */
static uint64_t
block_note(const struct type *type, size_t count)
{
    return type->untyped || count == 0 || type->basics == 0 ? 0 : type_note(type, count) | UINT64_C(1) << TYPE_SHIFT;
}

/* Of blocks whose lengths all nodes have. */
static uint64_t
list_note(const struct comm *comm, const struct type *type, const int *counts)
{
    uint64_t note = 0;

    for (int i = 0; i < comm->size && !type->untyped; i++)
        note = note * UINT64_C(0x9E3779B97F4A7C15) + block_note(type, (size_t)counts[i]);
    return note;
}

/* Whether the node has something for every other, so that the types of any two such nodes must be the same. */
static bool
is_full(const int *counts, const struct comm *comm)
{
    for (int i = 0; i < comm->size; i++)
        if (i != comm->rank && counts[i] <= 0)
            return false;
    return true;
}

/* Of an all-to-all of blocks of lengths of their own: what they are made of, where it is one basic type. */
static uint64_t
pairs_note(struct mpi *mpi, const struct comm *comm, const struct type *received, const struct coll_args *a)
{
    const struct type *sent = a->send == MPI_IN_PLACE ? received : type_find(mpi, a->send_type);
    const int *sends = a->send == MPI_IN_PLACE ? a->receive_counts : a->send_counts;
    bool alike = sent && received->basic && !received->untyped && sent->basic == received->basic;

    return alike && sends && is_full(sends, comm) && is_full(a->receive_counts, comm) ? received->basic : 0;
}

/* Of the call's data that all nodes have alike.  A wrong argument says nothing. */
static uint64_t
note_of(struct mpi *mpi, const struct comm *c, coll_function carry_out, const struct coll_args *a,
        const struct type **type)
{
    bool root = c->rank == a->root, sends = (carry_out == coll_gather && !root) || (carry_out == coll_scatter && root);
    int count = sends ? a->send_count : a->receive_count;

    *type = type_find(mpi, sends ? a->send_type : a->receive_type);
    if (c->inter || !*type || carry_out == coll_gatherv || carry_out == coll_scatterv || carry_out == coll_neighbours)
        return 0;
    if (!a->unequal)
        return count < 0 ? 0 : block_note(*type, (size_t)count);
    if (!a->receive_counts)
        return 0;
    return carry_out == coll_alltoall ? pairs_note(mpi, c, *type, a) : list_note(c, *type, a->receive_counts);
}

void
coll_say_types(struct mpi *mpi, const struct comm *c, coll_function carry_out, const struct coll_args *a)
{
    const struct type *type;
    uint64_t note = note_of(mpi, c, carry_out, a, &type);

    peal_call_types(c->view, note, note ? finding_type_word(type->basic) : NULL);
}

int
coll_carry_out(struct mpi *mpi, struct comm *c, coll_function carry_out, const struct coll_args *a)
{
    coll_say_types(mpi, c, carry_out, a);
    coll_hold(mpi, c, carry_out, a, NULL);
    int error = carry_out(mpi, c, a);

    if (error) /* perhaps it was not called */
        peal_call_types(c->view, 0, NULL);
    return error;
}

int
same_block(struct mpi *mpi, struct comm *comm, struct data sent, struct data received)
{
    if (sent.bytes != received.bytes)
        return mpi_error(mpi, comm, sent.bytes > received.bytes ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT,
                         "rank %d sends itself %zu bytes and receives %zu", comm->rank, sent.bytes, received.bytes);
    if (sent.type == received.type)
        return MPI_SUCCESS;
    uint64_t a = block_note(sent.type, sent.count), b = block_note(received.type, received.count);

    if (a && b && a != b)
        mpi_find(mpi, PEAL_TYPE_MISMATCH, -1, NULL, "rank %d sends itself %zu bytes of %s and receives them as %s",
                 comm->rank, sent.bytes, finding_type_word(sent.type->basic), finding_type_word(received.type->basic));
    return MPI_SUCCESS;
}
