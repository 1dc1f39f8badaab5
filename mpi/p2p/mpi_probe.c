/* SPDX-License-Identifier: MIT */
/* Messages that are looked for before they are received, and messages of which the machine keeps a copy. */
#include "mpi/p2p/mpi_request.h"
#include "mpi/strict/conflict.h"

/* A message that a matched probe has found. */
struct probe_found {
    struct peal_handle message;
    struct comm *comm;
};

/* Check the arguments of a probe. */
static int
probe_check(struct mpi *mpi, int source, int tag, MPI_Comm comm, struct message_end *end)
{
    return end_check(mpi, PEAL_POST_RECEIVE, NULL, 0, MPI_BYTE, source, tag, comm, end);
}

static MPI_Message
probe_keep(struct mpi *mpi, struct comm *comm, struct peal_handle message)
{
    struct probe_found *found = mpi_alloc(mpi, sizeof *found);

    *found = (struct probe_found){message, comm};
    comm->references++;
    return (MPI_Message)handle_make(mpi, KIND_MESSAGE, found);
}

/* Wait for a message. */
static int
probe_wait(struct mpi *mpi, enum peal_post_kind kind, int source, int tag, MPI_Comm comm, MPI_Message *message,
           MPI_Status *status)
{
    struct message_end end;
    TRY(probe_check(mpi, source, tag, comm, &end));
    if (source == MPI_PROC_NULL) {
        status_nobody(status);
        if (message)
            *message = MPI_MESSAGE_NO_PROC;
        return MPI_SUCCESS;
    }
    const struct peal_post probe = {.kind = kind, .peer = comm_view_rank(end.comm, source), .tag = tag};
    struct peal_node *view = end.comm->view;
    struct peal_envelope there =
        peal_wait_envelope_at(view, peal_post_at(view, &probe, mpi->file, mpi->line), mpi->file, mpi->line);

    vclock_receive(mpi, &there, false, 0);
    status_set(status, comm_peer_rank(end.comm, there.source), there.tag, there.words);
    if (message)
        *message = probe_keep(mpi, end.comm, there.message);
    return MPI_SUCCESS;
}

/* Look for a message: at once, or after a rest of one round. */
static int
probe_poll(struct mpi *mpi, enum peal_post_kind kind, int source, int tag, MPI_Comm comm, int *flag,
           MPI_Message *message, MPI_Status *status)
{
    struct message_end end;
    struct peal_envelope there;
    TRY(probe_check(mpi, source, tag, comm, &end));
    NEED(flag);
    if (source == MPI_PROC_NULL) {
        *flag = 1;
        return probe_wait(mpi, kind, source, tag, comm, message, status);
    }
    const struct peal_post probe = {.kind = kind, .peer = comm_view_rank(end.comm, source), .tag = tag};

    *flag = peal_probe_now_at(end.comm->view, &probe, &there, mpi->file, mpi->line);
    if (*flag) {
        vclock_receive(mpi, &there, false, 0);
        status_set(status, comm_peer_rank(end.comm, there.source), there.tag, there.words);
    } else {
        conflict_rest(mpi, true);
    }
    if (message)
        *message = *flag ? probe_keep(mpi, end.comm, there.message) : MPI_MESSAGE_NULL;
    return MPI_SUCCESS;
}

MPI_CALL(Probe, (int source, int tag, MPI_Comm comm, MPI_Status *status),
         probe_wait(mpi, PEAL_POST_PROBE, source, tag, comm, NULL, status));
MPI_CALL(Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
         probe_poll(mpi, PEAL_POST_PROBE, source, tag, comm, flag, NULL, status));
MPI_CHECKED(Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status), NEED(message),
            probe_wait(mpi, PEAL_POST_MATCHED_PROBE, source, tag, comm, message, status));
MPI_CHECKED(Improbe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status),
            NEED(message), probe_poll(mpi, PEAL_POST_MATCHED_PROBE, source, tag, comm, flag, message, status));

/* ------------------------------------------------------------------ receiving a found message */

/* Begin to receive the message, whose handle is invalid from then on. */
static int
probe_receive(struct mpi *mpi, void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
    struct message_end end;

    NEED(message);
    struct probe_found *found = handle_find(mpi, KIND_MESSAGE, (uintptr_t)*message);
    bool nobody = *message == MPI_MESSAGE_NO_PROC;
    const struct comm *comm = found ? found->comm : mpi->world;

    if (!found && !nobody)
        return mpi_error(mpi, NULL, MPI_ERR_REQUEST, "message %s",
                         handle_wrong(mpi, KIND_MESSAGE, (uintptr_t)*message));
    TRY(end_check(mpi, PEAL_POST_RECEIVE, buf, count, type, nobody ? MPI_PROC_NULL : 0, 0, comm->handle, &end));
    end.post.message = found ? found->message : PEAL_NO_HANDLE;
    *request = request_start(mpi, &end)->own;
    if (found) {
        handle_free(mpi, KIND_MESSAGE, (uintptr_t)*message);
        comm_drop(mpi, found->comm);
        mpi_free(mpi, found);
    }
    *message = MPI_MESSAGE_NULL;
    return MPI_SUCCESS;
}

MPI_CHECKED(Imrecv, (void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request),
            NEED(request), probe_receive(mpi, buf, count, datatype, message, request));

MPI_FUNCTION(int, Mrecv, void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status)
{
    struct mpi *mpi = ENTER(Mrecv);
    MPI_Request request;
    int error = probe_receive(mpi, buf, count, datatype, message, &request);

    return error ? error : request_wait(mpi, &request, status);
}

MPI_FUNCTION(int, Bsend, const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    struct mpi *mpi = ENTER(Bsend);
    struct message_end end;
    TRY(end_check(mpi, PEAL_POST_SEND, buf, count, datatype, dest, tag, comm, &end));
    TRY(buffer_check(mpi, &end));
    end.post.mode = PEAL_BUFFERED;
    return request_wait(mpi, &(MPI_Request){request_start(mpi, &end)->own}, MPI_STATUS_IGNORE);
}
