/* SPDX-License-Identifier: MIT */
/* Requests: posted at once, or persistent. */
#include "mpi/call/handle.h"
#include "mpi/p2p/mpi_request.h"
#include "mpi/window/win.h"
#include <string.h>

/* ------------------------------------------------------------------ posting */

static void
request_begin(struct mpi *mpi, struct mpi_request *request)
{
    struct message_end *end = &request->end;
    bool receives = end->post.kind == PEAL_POST_RECEIVE;
    struct piece_list list;

    request->active = true;
    request->cancels = false;
    request->nothing = end->peer == MPI_PROC_NULL;
    if (request->nothing)
        return;
    bool listed = end_open(mpi, end, receives, &list);

    request->copy = listed ? list.copy : NULL;
    if (end->post.mode != PEAL_BUFFERED)
        held_take(mpi, &end->data, receives, MESSAGE, &request->holds);
    if (receives && request->holds && !request->copy && finding_strict()) {
        request->copy = mpi_scratch(mpi, end->data.bytes); /* so that writes of the program are detected */
        end->piece = (struct peal_piece){request->copy, end->data.bytes};
        end->post.pieces = &end->piece;
        end->post.piece_count = 1;
    }
    uint64_t note = end->post.note; /* a persistent request keeps it */

    request->awaited = receives ? vclock_await(mpi) : 0;
    end->post.note = receives ? request->awaited : vclock_send(mpi, note, end->post.mode == PEAL_SYNCHRONOUS);
    request->handle = peal_post_at(end->comm->view, &end->post, mpi->file, mpi->line);
    end->post.note = note;
    if (listed)
        pieces_posted(mpi, &list);
}

/* Memory for a request: the members below `next` are zeros. */
static inline struct mpi_request *
request_place(struct mpi *mpi)
{
    struct mpi_request *request = mpi->spare;

    if (!request)
        return mpi_alloc(mpi, sizeof *request);
    mpi->spare = request->next;
    return request;
}

/* The end of a request is set: it uses a communicator and a datatype from now on. */
static inline void
request_set(const struct mpi_request *request)
{
    request->end.comm->references++;
    if (request->end.data.type && !request->end.data.type->number)
        type_use(request->end.data.type);
}

static struct mpi_request *
req_allocate(struct mpi *mpi, const struct message_end *end)
{
    struct mpi_request *request = request_place(mpi);

    request->end = *end;
    request_set(request);
    return request;
}

/* A request of the end, which is not started. */
static struct mpi_request *
req_make_inactive(struct mpi *mpi, const struct message_end *end)
{
    struct mpi_request *request = req_allocate(mpi, end);

    request->own = (MPI_Request)handle_make(mpi, KIND_REQUEST, request);
    return request;
}

struct mpi_request *
request_of(struct mpi *mpi, struct comm *comm, enum peal_post_kind kind, struct peal_handle handle)
{
    struct mpi_request *request = req_make_inactive(
        mpi, &(struct message_end){.post.kind = kind, .comm = comm, .call = mpi->call, .site = mpi->file});

    request->handle = handle;
    request->active = true;
    return request;
}

struct mpi_request *
request_start(struct mpi *mpi, const struct message_end *end)
{
    struct mpi_request *request = req_make_inactive(mpi, end);

    request_begin(mpi, request);
    return request;
}

void
request_free(struct mpi *mpi, struct mpi_request *request)
{
    static const struct mpi_request none; /* copied, since gcc would clear memory of this size by a slow instruction */
    const size_t begin = offsetof(struct mpi_request, persistent);

    if (request->holds)
        held_give(mpi, &request->holds);
    if (request->send)
        request_free(mpi, request->send);
    if (request->own)
        handle_free_inline(mpi, KIND_REQUEST, (uintptr_t)request->own);
    memcpy((char *)request + begin, (const char *)&none + begin, sizeof none - begin);
    request_retire(mpi, request);
}

/* The arguments of a message, and where its request goes. */
#define SENT const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request
#define RECEIVED void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request

/* Post a message that may go the short way, with a request.  False: it may not, nothing was done. */
static inline __attribute__((always_inline)) bool
start_short(struct mpi *mpi, enum peal_post_kind kind, const void *buf, int count, MPI_Datatype handle, int peer,
            int tag, MPI_Comm comm, MPI_Request *request)
{
    struct comm *c = comm_find(mpi, comm);
    struct type *type;
    struct peal_short_post post;
    struct peal_handle posted;

    if (!comm_goes_short(c) || !request || !short_find(mpi, buf, count, handle, peer, tag, &type, &post))
        return false;
    post.note = kind == PEAL_POST_SEND ? finding_note(mpi, type, (size_t)count) : 0;
    post.lenient = c->errhandler != MPI_ERRORS_ARE_FATAL;
    struct mpi_request *made = request_place(mpi);

    if (!peal_post_short_at(c->view, kind, &post, &posted, mpi->file, mpi->line)) {
        request_give(mpi, made);
        return false;
    }
    made->end.comm = c;
    made->end.data = (struct typed_data){(char *)(uintptr_t)buf, (size_t)count, type, post.piece.words};
    made->end.peer = peer;
    made->end.call = mpi->call;
    made->end.site = mpi->file;
    made->end.post.kind = kind;
    made->end.post.mode = PEAL_STANDARD;
    request_set(made);
    made->active = made->short_way = true;
    made->handle = posted;
    *request = made->own = (MPI_Request)handle_make_inline(mpi, KIND_REQUEST, made);
    return true;
}

/* Make a request of a nonblocking call, or, with `persistent`, one that is started repeatedly. */
static __attribute__((noinline)) int
req_create(struct mpi *mpi, enum peal_post_kind kind, enum peal_send_mode mode, bool persistent, const void *buf,
           int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request)
{
    struct mpi_request *made = request_place(mpi);
    int error = end_check(mpi, kind, buf, count, type, peer, tag, comm, &made->end);

    made->end.post.mode = mode;
    if (!error && !request)
        error = mpi_error(mpi, NULL, MPI_ERR_ARG, "request is NULL");
    if (!error && !persistent && mode == PEAL_BUFFERED)
        error = buffer_check(mpi, &made->end);
    if (error) {
        request_give(mpi, made);
        return error;
    }
    request_set(made);
    made->own = (MPI_Request)handle_make(mpi, KIND_REQUEST, made);
    made->persistent = persistent;
    if (!persistent)
        request_begin(mpi, made);
    *request = made->own;
    return MPI_SUCCESS;
}

#define SEND(call, mode, persistent)                                                                                   \
    MPI_FUNCTION(int, call, SENT)                                                                                      \
    {                                                                                                                  \
        struct mpi *mpi = ENTER_INLINE(call);                                                                          \
                                                                                                                       \
        if ((mode) == PEAL_STANDARD && !(persistent) &&                                                                \
            start_short(mpi, PEAL_POST_SEND, buf, count, datatype, dest, tag, comm, request))                          \
            return MPI_SUCCESS;                                                                                        \
        return req_create(mpi, PEAL_POST_SEND, mode, persistent, buf, count, datatype, dest, tag, comm, request);      \
    }                                                                                                                  \
    struct mpi

#define RECEIVE(call, persistent)                                                                                      \
    MPI_FUNCTION(int, call, RECEIVED)                                                                                  \
    {                                                                                                                  \
        struct mpi *mpi = ENTER_INLINE(call);                                                                          \
                                                                                                                       \
        if (!(persistent) && start_short(mpi, PEAL_POST_RECEIVE, buf, count, datatype, source, tag, comm, request))    \
            return MPI_SUCCESS;                                                                                        \
        return req_create(mpi, PEAL_POST_RECEIVE, PEAL_STANDARD, persistent, buf, count, datatype, source, tag, comm,  \
                          request);                                                                                    \
    }                                                                                                                  \
    struct mpi

SEND(Isend, PEAL_STANDARD, false);
SEND(Issend, PEAL_SYNCHRONOUS, false);
SEND(Irsend, PEAL_READY, false);
SEND(Ibsend, PEAL_BUFFERED, false);
RECEIVE(Irecv, false);

/* ------------------------------------------------------------------ both directions */

/* Post a send and a receive with one request.  copy: of the data that is sent, or NULL; the send owns it from now on.
 * shared: see both_check; the request owns it. */
static int
start_both(struct mpi *mpi, const struct message_end *send, const struct message_end *receive, void *copy,
           struct byte_span *shared, MPI_Request *request)
{
    struct mpi_request *made = req_make_inactive(mpi, receive);

    made->shared = shared;
    made->send = req_allocate(mpi, send);
    request_begin(mpi, made);
    request_begin(mpi, made->send);
    if (copy && made->send->nothing)
        mpi_free(mpi, copy);
    else if (copy)
        made->send->copy = copy;
    *request = made->own;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Isendrecv, const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
             void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
             MPI_Request *request)
{
    struct mpi *mpi = ENTER(Isendrecv);
    struct message_end out, in;
    struct byte_span *shared;

    NEED(request);
    int error = both_check(mpi, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                           recvtag, comm, &out, &in, &shared);

    return error ? error : start_both(mpi, &out, &in, shared ? out.data.buffer : NULL, shared, request);
}

MPI_FUNCTION(int, Isendrecv_replace, void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
             int recvtag, MPI_Comm comm, MPI_Request *request)
{
    struct mpi *mpi = ENTER(Isendrecv_replace);
    struct message_end out, in;

    NEED(request);
    int error = replace_check(mpi, buf, count, datatype, dest, sendtag, source, recvtag, comm, &out, &in);

    return error ? error : start_both(mpi, &out, &in, out.data.buffer, NULL, request);
}

/* ------------------------------------------------------------------ started again and again */

SEND(Send_init, PEAL_STANDARD, true);
SEND(Ssend_init, PEAL_SYNCHRONOUS, true);
SEND(Rsend_init, PEAL_READY, true);
SEND(Bsend_init, PEAL_BUFFERED, true);
RECEIVE(Recv_init, true);

static int
start_again(struct mpi *mpi, const MPI_Request *handle, int index)
{
    struct mpi_request *request = handle_find(mpi, KIND_REQUEST, (uintptr_t)*handle);

    if (!request)
        return mpi_error(mpi, NULL, MPI_ERR_REQUEST, "request %d %s", index,
                         handle_wrong(mpi, KIND_REQUEST, (uintptr_t)*handle));
    if (!request->persistent)
        return mpi_error(mpi, request->end.comm, MPI_ERR_REQUEST, "request %d is not persistent", index);
    if (request->active)
        return mpi_error(mpi, request->end.comm, MPI_ERR_REQUEST, "request %d was started already", index);
    if (request->end.post.mode == PEAL_BUFFERED)
        TRY(buffer_check(mpi, &request->end));
    request_begin(mpi, request);
    return MPI_SUCCESS;
}

MPI_CHECKED(Start, (MPI_Request * request), NEED(request), start_again(mpi, request, 0));

MPI_FUNCTION(int, Startall, int count, MPI_Request requests[])
{
    struct mpi *mpi = ENTER(Startall);
    int error = MPI_SUCCESS;

    if (count < 0)
        return mpi_error(mpi, NULL, MPI_ERR_COUNT, "count is %d: expected 0 or more", count);
    if (count > 0 && !requests)
        return mpi_error(mpi, NULL, MPI_ERR_REQUEST, "the list of requests is NULL");
    for (int i = 0; i < count && !error; i++)
        error = start_again(mpi, &requests[i], i);
    return error;
}
