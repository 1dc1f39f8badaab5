/* SPDX-License-Identifier: MIT */
/* The block that a node sends itself, and those that two nodes send each other directly. */
#include "mpi/call/mpi_advice.h"
#include "mpi/coll/coll_types.h"
#include "mpi/p2p/mpi_request.h"

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

struct typed_data *
blocks_find(struct mpi *mpi, struct comm *comm, const struct coll_side *side, int count, bool same, const char *what,
            int *error)
{
    struct typed_data *all = mpi_scratch(mpi, (size_t)count * sizeof *all);

    *error = MPI_SUCCESS;
    for (int i = 0; i < count && !*error; i++) {
        const char *begin = (char *)side->at + (!side->types ? 0 : side->places ? side->places[i] : side->displs[i]);

        *error = typed_data_check(mpi, comm, begin, side_count(side, i), side->types ? side->types[i] : side->type,
                                  what, &all[i]);
        if (!*error && !side->types && !same)
            all[i].buffer +=
                (side->displs ? (ptrdiff_t)side->displs[i] : (ptrdiff_t)i * side->count) * type_extent(all[i].type);
    }
    if (!*error)
        return all;
    mpi_free(mpi, all);
    return NULL;
}

struct peal_node *
coll_begin(struct mpi *mpi, const struct comm *comm, const struct peal_call *call)
{
    peal_declare_call(comm->view, call, mpi->file, mpi->line);
    return peal_enter(comm->view, call->form->name, mpi->file, mpi->line);
}

static void
post_block(struct mpi *mpi, struct peal_node *me, struct block_message *message)
{
    const struct typed_data *block = &message->data;
    const void *data =
        message->sends ? data_packed(mpi, block, &message->copy) : data_place(mpi, block, &message->copy);
    const struct peal_piece piece = {(void *)(uintptr_t)data, block->bytes};
    const struct peal_post post = {.kind = message->sends ? PEAL_POST_SEND : PEAL_POST_RECEIVE,
                                   .pieces = &piece,
                                   .piece_count = 1,
                                   .message = PEAL_NO_HANDLE,
                                   .peer = message->peer,
                                   .tag = message->tag,
                                   .note = message->sends ? finding_note(mpi, block->type, block->count) : 0};

    message->handle = peal_post_at(me, &post, NULL, 0);
}

static void
finish_block(struct mpi *mpi, struct comm *comm, struct peal_node *me, const struct block_message *message)
{
    const struct peal_envelope came = peal_wait_envelope_at(me, message->handle, NULL, 0);
    const struct message_end end = {.comm = comm, .data = message->data, .call = mpi->call, .site = mpi->file};

    if (message->sends) {
        mpi_free(mpi, message->copy);
        return;
    }
    data_unpack(mpi, &message->data, message->copy, came.delivered);
    if (came.words < message->data.bytes)
        finding_short(mpi, &end, &came);
    else if (came.note)
        finding_compare(mpi, &end, &came);
}

void
blocks_move(struct mpi *mpi, struct comm *comm, struct peal_node *me, struct block_message *messages, int count)
{
    for (int i = 0; i < count; i++)
        post_block(mpi, me, &messages[i]);
    for (int sends = 1; sends >= 0; sends--)
        for (int i = 0; i < count; i++)
            if (messages[i].sends == sends)
                finish_block(mpi, comm, me, &messages[i]);
}
