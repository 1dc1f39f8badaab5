/* SPDX-License-Identifier: MIT */
/* The block that a node sends itself, and those that two nodes send each other directly. */
#include "mpi/coll_types.h"
#include "mpi/mpi_advice.h"
#include "mpi/mpi_request.h"

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
                 sent.bytes, type_basic_name(sent.type->basic), type_basic_name(received.type->basic));
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
