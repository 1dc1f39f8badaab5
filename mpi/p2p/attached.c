/* SPDX-License-Identifier: MIT */
/* The buffer for buffered sends: the machine copies messages, so only its bytes are counted. */
#include "mpi/call/mpi_advice.h"
#include "mpi/p2p/mpi_request.h"

enum {
    DETACH_ROUNDS = 1000
}; /* rounds in which no buffered message is carried: more than those after which sends are lent */

struct buffered {
    void *address;
    int bytes;
};

/* The bytes of the attached buffer that messages not carried yet occupy. */
static size_t
bytes_in_use(struct mpi *mpi, int *messages)
{
    size_t bytes;

    *messages = peal_buffered_at(mpi->me, &bytes, mpi->file, mpi->line);
    return bytes + (size_t)*messages * MPI_BSEND_OVERHEAD;
}

MPI_FUNCTION(int, Buffer_attach, void *buffer, int size)
{
    struct mpi *mpi = ENTER(Buffer_attach);

    if (mpi->attached)
        return mpi_error(mpi, NULL, MPI_ERR_BUFFER, "a buffer is attached already");
    if (size < 0)
        return mpi_error(mpi, NULL, MPI_ERR_ARG, "size is %d: expected 0 or more", size);
    mpi->attached = mpi_alloc(mpi, sizeof *mpi->attached);
    *mpi->attached = (struct buffered){buffer, size};
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Buffer_detach, void *buffer, int *size)
{
    struct mpi *mpi = ENTER(Buffer_detach);

    NEED(buffer, size);
    if (!mpi->attached)
        return mpi_error(mpi, NULL, MPI_ERR_BUFFER, "no buffer is attached");
    /* Detach when all messages are on their way.  The machine has copies: a message that stays waits for a receive that
     * may never come; MPI_Finalize reports that.  By then sends in which other nodes were stuck have been lent. */
    int messages;
    size_t used = bytes_in_use(mpi, &messages);

    for (int idle = 0; used > 0 && idle < DETACH_ROUNDS; idle++) {
        size_t before = used;

        peal_next_round_at(mpi->me, mpi->file, mpi->line);
        used = bytes_in_use(mpi, &messages);
        idle = used < before ? 0 : idle;
    }
    *(void **)buffer = mpi->attached->address;
    *size = mpi->attached->bytes;
    mpi_free(mpi, mpi->attached);
    mpi->attached = NULL;
    return MPI_SUCCESS;
}

int
buffer_check(struct mpi *mpi, const struct message_end *end)
{
    size_t room = mpi->attached ? (size_t)mpi->attached->bytes : 0, needed = end->data.bytes + MPI_BSEND_OVERHEAD,
           before;
    int messages;
    size_t used = bytes_in_use(mpi, &messages);

    if (end->peer == MPI_PROC_NULL)
        return MPI_SUCCESS;
    do { /* while messages are carried, more room may come */
        if (needed <= room && used <= room - needed)
            return MPI_SUCCESS;
        before = used;
        if (needed <= room)
            peal_next_round_at(mpi->me, mpi->file, mpi->line);
        used = bytes_in_use(mpi, &messages);
    } while (used < before);
    peal_advise(mpi->me, PEAL_HINT(attach_more), MPI_BSEND_OVERHEAD);
    return mpi_error(
        mpi, end->comm, MPI_ERR_BUFFER,
        "a message of %zu bytes needs %zu of the attached buffer, which has %zu, of which %d message%s that "
        "%s not carried yet ha%s %zu",
        end->data.bytes, needed, room, messages, messages == 1 ? "" : "s", messages == 1 ? "is" : "are",
        messages == 1 ? "s" : "ve", used);
}
