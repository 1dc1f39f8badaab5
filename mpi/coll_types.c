/* SPDX-License-Identifier: MIT */
/* The types of data of calls with lists, and of the block that a node sends itself.  Where only two nodes know the
 * length of a block, its message carries the types, as a send's does. */
#include "mpi/coll_types.h"
#include "mpi/mpi_advice.h"
#include "mpi/mpi_request.h"

/* Of blocks whose lengths all nodes have. */
static uint64_t
list_note(const struct comm *comm, const struct type *type, const int *counts)
{
    uint64_t note = 0;

    for (int i = 0; i < comm->size && !type->untyped; i++)
        note = note * UINT64_C(0x9E3779B97F4A7C15) + block_note(type, (size_t)counts[i]);
    return note;
}

/* Whether the node has data for every other, so that the types of any two such nodes must be the same. */
static bool
is_full(const int *counts, const struct comm *comm)
{
    for (int i = 0; i < comm->size; i++)
        if (i != comm->rank && counts[i] <= 0)
            return false;
    return true;
}

/* Of an all-to-all of blocks of different lengths: their basic type, where all have one. */
static uint64_t
pairs_note(struct mpi *mpi, const struct comm *comm, const struct type *received, const struct coll_args *a)
{
    const struct type *sent = a->send == MPI_IN_PLACE ? received : type_find(mpi, a->send_type);
    const int *sends = a->send == MPI_IN_PLACE ? a->receive_counts : a->send_counts;
    bool alike = sent && received->basic && !received->untyped && sent->basic == received->basic;

    return alike && sends && is_full(sends, comm) && is_full(a->receive_counts, comm) ? received->basic : 0;
}

uint64_t
unequal_note(struct mpi *mpi, const struct comm *c, coll_function carry_out, const struct coll_args *a,
             const struct type *type)
{
    if (carry_out == coll_gatherv || carry_out == coll_scatterv || !a->receive_counts)
        return 0;
    return carry_out == coll_alltoall ? pairs_note(mpi, c, type, a) : list_note(c, type, a->receive_counts);
}

uint64_t
inter_note(coll_function carry_out, const struct coll_args *a, const struct type *type, int count)
{
    bool rooted = carry_out == coll_broadcast || carry_out == coll_gather || carry_out == coll_scatter ||
                  carry_out == coll_reduce;
    bool alike = rooted ? a->root != MPI_PROC_NULL /* who takes no part has no data */
                        : carry_out == coll_reduce_everywhere || carry_out == coll_reduce_blocks;

    return alike && count > 0 && !type->untyped ? (uint64_t)type->basic : 0;
}

int
same_block(struct mpi *mpi, struct comm *comm, struct typed_data sent, struct typed_data received)
{
    if (sent.bytes != received.bytes) {
        advise_own_block(mpi, comm, &sent, &received);
        return mpi_error(mpi, comm, sent.bytes > received.bytes ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT,
                         "it sends itself %zu elements, %zu bytes, and receives %zu from itself, %zu bytes", sent.count,
                         sent.bytes, received.count, received.bytes);
    }
    if (sent.type == received.type)
        return MPI_SUCCESS;
    uint64_t a = block_note(sent.type, sent.count), b = block_note(received.type, received.count);

    if (a && b && a != b)
        mpi_find(mpi, PEAL_TYPE_MISMATCH, -1, NULL, "it sends itself %zu bytes of %s and receives them as %s",
                 sent.bytes, finding_type_word(sent.type->basic), finding_type_word(received.type->basic));
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ direct messages */

struct peal_handle
block_post(struct mpi *mpi, struct peal_node *me, const struct typed_data *block, bool sends, int peer, int tag,
           void **copy)
{
    const void *data = sends ? data_packed(mpi, block, copy) : data_place(mpi, block, copy);
    const struct peal_piece piece = {(void *)(uintptr_t)data, block->bytes};
    const struct peal_post post = {.kind = sends ? PEAL_POST_SEND : PEAL_POST_RECEIVE,
                                   .pieces = &piece,
                                   .piece_count = 1,
                                   .message = PEAL_NO_HANDLE,
                                   .peer = peer,
                                   .tag = tag,
                                   .note = sends ? finding_note(mpi, block->type, block->count) : 0};

    return peal_post_at(me, &post, NULL, 0);
}

void
block_finish(struct mpi *mpi, struct comm *comm, struct peal_node *me, const struct typed_data *block, bool sends,
             struct peal_handle handle, void *copy)
{
    const struct peal_envelope came = peal_wait_envelope_at(me, handle, NULL, 0);
    const struct message_end end = {.comm = comm, .data = *block, .call = mpi->call, .site = mpi->file};

    if (sends) {
        mpi_free(mpi, copy);
        return;
    }
    data_unpack(mpi, block, copy, came.delivered);
    if (came.words < block->bytes)
        finding_short(mpi, &end, &came);
    else if (came.note)
        finding_compare(mpi, &end, &came);
}

void
block_move(struct mpi *mpi, struct comm *comm, struct peal_node *me, const struct typed_data *block, bool sends,
           int peer)
{
    void *copy;
    const struct peal_handle handle = block_post(mpi, me, block, sends, peer, 0, &copy);

    block_finish(mpi, comm, me, block, sends, handle, copy);
}
