/* SPDX-License-Identifier: MIT */
/* Blocking messages. */
#include "mpi/call/mpi_advice.h"
#include "mpi/p2p/mpi_request.h"
#include "mpi/strict/conflict.h"
#include <string.h>

/* ------------------------------------------------------------------ ends */

/* Raise the error of a wrong peer or tag. */
static __attribute__((noinline, cold)) int
end_refuse(struct mpi *mpi, struct comm *c, bool sends, int peer, int tag)
{
    bool no_peer = (peer < 0 || peer >= comm_peers(c)) && peer != MPI_PROC_NULL && (sends || peer != MPI_ANY_SOURCE);

    if (no_peer)
        advise_partner(mpi, c, peer, sends);
    else
        peal_advise(mpi->me, tag == MPI_ANY_TAG ? PEAL_HINT(tag_any) : PEAL_HINT(tag_below));
    if (no_peer)
        return mpi_error(mpi, c, MPI_ERR_RANK, "%s %d is out of range: ranks are 0 to %d%s", sends ? "dest" : "source",
                         peer, comm_peers(c) - 1, sends ? ", or MPI_PROC_NULL" : ", MPI_ANY_SOURCE or MPI_PROC_NULL");
    return mpi_error(mpi, c, MPI_ERR_TAG, "tag %d is out of range: expected 0 or more%s", tag,
                     sends ? "" : ", or MPI_ANY_TAG");
}

int
end_check(struct mpi *mpi, enum peal_post_kind kind, const void *buffer, int count, MPI_Datatype type, int peer,
          int tag, MPI_Comm comm, struct message_end *end)
{
    FIND_COMM(c, comm);
    bool sends = kind == PEAL_POST_SEND;
    TRY(typed_data_check(mpi, c, buffer, count, type, "count", &end->data));
    if (((unsigned)peer >= (unsigned)comm_peers(c) && peer != MPI_PROC_NULL && (sends || peer != MPI_ANY_SOURCE)) ||
        (tag < 0 && (sends || tag != MPI_ANY_TAG)))
        return end_refuse(mpi, c, sends, peer, tag);
    if (sends) {
        notes_tag(mpi, tag);
        notes_moved(mpi, end->data.type);
    }
    end->comm = c;
    end->peer = peer;
    end->call = mpi->call;
    end->site = mpi->file;
    end->copied = false;
    end->post.kind = kind; /* pieces and lenience: see end_open; the rest is of one-sided posts */
    end->post.mode = PEAL_STANDARD;
    end->post.message = PEAL_NO_HANDLE;
    end->post.peer = comm_view_rank(c, peer);
    end->post.tag = tag;
    end->post.note = sends ? finding_note(mpi, end->data.type, end->data.count) : 0;
    return MPI_SUCCESS;
}

int
end_compare(struct mpi *mpi, const struct message_end *end, const struct peal_envelope *envelope)
{
    if (envelope->note)
        finding_compare(mpi, end, envelope);
    if (envelope->delivered >= envelope->words)
        return MPI_SUCCESS;
    char words[SENDER_WORDS];

    return mpi_error(mpi, end->comm, MPI_ERR_TRUNCATE, "it receives at most %zu bytes, and %s", end->data.bytes,
                     finding_long(mpi, end, envelope, words));
}

/* ------------------------------------------------------------------ blocking calls */

/* Set the status of a receive that went the short way.  Gives its error. */
static inline __attribute__((always_inline)) int
came_short(struct mpi *mpi, struct comm *c, const void *buffer, int count, struct type *type,
           const struct peal_short_post *post, const struct peal_envelope *came, MPI_Status *status)
{
    status_set(status, came->source, came->tag, came->delivered);
    if (__builtin_expect(came_as_expected(type, came), 1))
        return MPI_SUCCESS;
    const struct typed_data data = {(char *)(uintptr_t)buffer, (size_t)count, type, post->piece.words};

    return end_compare(mpi, &(struct message_end){.comm = c, .data = data, .call = mpi->call, .site = mpi->file}, came);
}

/* Carry out a send, a receive, or both at once (either may be NULL). */
static int
message_exchange(struct mpi *mpi, struct message_end *send, struct message_end *receive, MPI_Status *status)
{
    struct piece_list out, in;
    bool sends = send && send->peer != MPI_PROC_NULL, receives = receive && receive->peer != MPI_PROC_NULL;

    if (sends && send->post.mode != PEAL_BUFFERED && !send->copied)
        held_look(mpi, &send->data, false, MESSAGE);
    if (receives)
        held_look(mpi, &receive->data, true, MESSAGE);
    if (receive && !receives)
        status_nobody(status);
    if (!sends && !receives)
        return MPI_SUCCESS;
    bool out_listed = sends && end_open(mpi, send, false, &out),
         in_listed = receives && end_open(mpi, receive, true, &in);

    if (sends)
        send->post.note = vclock_send(mpi, send->post.note, send->post.mode == PEAL_SYNCHRONOUS);
    uint64_t awaited = receives ? vclock_await(mpi) : 0;

    if (receives)
        receive->post.note = awaited;
    struct peal_envelope came = peal_exchange_at((sends ? send : receive)->comm->view, sends ? &send->post : NULL,
                                                 receives ? &receive->post : NULL, mpi->file, mpi->line);

    if (receives)
        vclock_receive(mpi, &came, true, awaited);
    else if (vclock_is_kept())
        vclock_was_received(mpi, &came);
    held_return(mpi);
    if (out_listed) {
        pieces_posted(mpi, &out);
        mpi_free(mpi, out.copy);
    }
    if (!receives)
        return MPI_SUCCESS;
    if (in_listed) {
        pieces_posted(mpi, &in);
        if (in.copy)
            bounds_look_came(mpi, &receive->data, came.delivered, mpi->file);
        data_unpack(mpi, &receive->data, in.copy, came.delivered);
    }
    status_set(status, comm_peer_rank(receive->comm, came.source), came.tag, came.delivered);
    return end_came(mpi, receive, &came);
}

/* Any send. */
static __attribute__((noinline)) int
message_send(struct mpi *mpi, const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
             enum peal_send_mode mode)
{
    struct message_end end;
    int error = end_check(mpi, PEAL_POST_SEND, buf, count, type, dest, tag, comm, &end);

    end.post.mode = mode;
    return error ? error : message_exchange(mpi, &end, NULL, MPI_STATUS_IGNORE);
}

static __attribute__((noinline)) int
message_receive(struct mpi *mpi, void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                MPI_Status *status)
{
    struct message_end end;
    int error = end_check(mpi, PEAL_POST_RECEIVE, buf, count, type, source, tag, comm, &end);

    return error ? error : message_exchange(mpi, NULL, &end, status);
}

MPI_FUNCTION(int, Send, const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    struct mpi *mpi = ENTER_INLINE(Send);
    const struct comm *c = comm_find(mpi, comm);
    struct type *type;
    struct peal_short_post side;

    if (comm_goes_short(c) && short_find(mpi, buf, count, datatype, dest, tag, &type, &side)) {
        side.note = finding_note(mpi, type, (size_t)count);
        if (peal_exchange_short_at(c->view, &side, NULL, NULL, mpi->file, mpi->line))
            return MPI_SUCCESS;
    }
    return message_send(mpi, buf, count, datatype, dest, tag, comm, PEAL_STANDARD);
}

MPI_CALL(Ssend, (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
         message_send(mpi, buf, count, datatype, dest, tag, comm, PEAL_SYNCHRONOUS));
MPI_CALL(Rsend, (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
         message_send(mpi, buf, count, datatype, dest, tag, comm, PEAL_READY));

MPI_FUNCTION(int, Recv, void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    struct mpi *mpi = ENTER_INLINE(Recv);
    struct comm *c = comm_find(mpi, comm);
    struct type *type;
    struct peal_short_post side;
    struct peal_envelope came;

    if (comm_goes_short(c) && short_find(mpi, buf, count, datatype, source, tag, &type, &side)) {
        side.lenient = c->errhandler != MPI_ERRORS_ARE_FATAL;
        if (peal_exchange_short_at(c->view, NULL, &side, &came, mpi->file, mpi->line))
            return came_short(mpi, c, buf, count, type, &side, &came, status);
    }
    return message_receive(mpi, buf, count, datatype, source, tag, comm, status);
}

static inline bool
pieces_overlap(const struct peal_piece *a, const struct peal_piece *b)
{
    const char *a_begin = a->data, *b_begin = b->data;

    return a_begin < b_begin + b->words && b_begin < a_begin + a->words && a->words && b->words;
}

/* How many bytes of memory both share. */
static size_t
common_bytes(struct mpi *mpi, const struct byte_span *span, const struct typed_data *data)
{
    struct byte_span other;

    span_open(mpi, data, &other);
    size_t bytes = span_overlap(span, &other);

    span_fini(mpi, &other);
    return bytes;
}

/* Send the data from a copy, which out->data.buffer points to from then on. */
static void
send_copy(struct mpi *mpi, struct message_end *out)
{
    void *copy = mpi_scratch(mpi, out->data.bytes);

    type_pack(out->data.type, out->data.buffer, out->data.count, copy, out->data.bytes);
    out->data = (struct typed_data){copy, out->data.bytes, type_find(mpi, MPI_BYTE), out->data.bytes};
    out->copied = true;
}

int
both_check(struct mpi *mpi, const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
           void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
           struct message_end *out, struct message_end *in, struct byte_span **shared)
{
    int error = end_check(mpi, PEAL_POST_SEND, sendbuf, sendcount, sendtype, dest, sendtag, comm, out);

    *shared = NULL;
    if (!error)
        error = end_check(mpi, PEAL_POST_RECEIVE, recvbuf, recvcount, recvtype, source, recvtag, comm, in);
    if (error || out->peer == MPI_PROC_NULL || in->peer == MPI_PROC_NULL)
        return error;
    struct peal_piece from, to;
    struct byte_span span;

    from.data = data_range(&out->data, &from.words);
    to.data = data_range(&in->data, &to.words);
    if (!pieces_overlap(&from, &to))
        return MPI_SUCCESS;
    span_open(mpi, &out->data, &span);
    if (common_bytes(mpi, &span, &in->data) == 0) {
        span_fini(mpi, &span);
        return MPI_SUCCESS;
    }
    *shared = memcpy(mpi_scratch(mpi, sizeof span), &span, sizeof span);
    held_look(mpi, &out->data, false, MESSAGE);
    send_copy(mpi, out);
    return MPI_SUCCESS;
}

void
both_compare(struct mpi *mpi, const struct message_end *in, struct byte_span *shared, size_t delivered)
{
    static const struct peal_rule rule = {
        "MPI 3.1, 3.10: the send buffer and the receive buffer of one call are disjoint",
        "use MPI_Sendrecv_replace, or receive into a buffer of its own"};
    struct typed_data came = in->data;
    size_t size = came.type->size;

    came.count = size ? delivered / size : 0;
    came.bytes = came.count * size;
    size_t moved = came.count ? common_bytes(mpi, shared, &came) : 0;
    struct remark remark = {
        .kind = PEAL_INVALID_ARGUMENT, .note = moved == 0, .rule = &rule, .call = in->call, .at = in->site};

    if (moved > 0)
        mpi_remark(mpi, &remark, "%zu of the %zu bytes that node %d receives come into memory that the call sends from",
                   moved, delivered, peal_world_rank(mpi->me));
    else
        mpi_remark(mpi, &remark,
                   "recvbuf of node %d has room for %zu bytes, some of them in memory that the call sends from; the "
                   "%zu bytes that arrived do not reach it",
                   peal_world_rank(mpi->me), in->data.bytes, delivered);
    span_fini(mpi, shared);
    mpi_free(mpi, shared);
}

static __attribute__((noinline)) int
send_and_receive(struct mpi *mpi, const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                 MPI_Status *status)
{
    struct message_end out, in;
    struct byte_span *shared;
    MPI_Status came;
    int error = both_check(mpi, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                           recvtag, comm, &out, &in, &shared);

    if (error || !shared)
        return error ? error : message_exchange(mpi, &out, &in, status);
    error = message_exchange(mpi, &out, &in, &came);
    mpi_free(mpi, out.data.buffer);
    both_compare(mpi, &in, shared, came.peal_bytes);
    if (status != MPI_STATUS_IGNORE)
        status_set(status, came.MPI_SOURCE, came.MPI_TAG, came.peal_bytes);
    return error;
}

MPI_FUNCTION(int, Sendrecv, const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
             void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
             MPI_Status *status)
{
    struct mpi *mpi = ENTER_INLINE(Sendrecv);
    struct comm *c = comm_find(mpi, comm);
    struct type *sent, *received;
    struct peal_short_post from, to;
    struct peal_envelope came;

    if (comm_goes_short(c) && short_find(mpi, sendbuf, sendcount, sendtype, dest, sendtag, &sent, &from) &&
        short_find(mpi, recvbuf, recvcount, recvtype, source, recvtag, &received, &to) &&
        !pieces_overlap(&from.piece, &to.piece)) {
        from.note = finding_note(mpi, sent, (size_t)sendcount);
        to.lenient = c->errhandler != MPI_ERRORS_ARE_FATAL;
        if (peal_exchange_short_at(c->view, &from, &to, &came, mpi->file, mpi->line))
            return came_short(mpi, c, recvbuf, recvcount, received, &to, &came, status);
    }
    return send_and_receive(mpi, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                            recvtag, comm, status);
}

int
replace_check(struct mpi *mpi, void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
              int recvtag, MPI_Comm comm, struct message_end *out, struct message_end *in)
{
    TRY(end_check(mpi, PEAL_POST_SEND, buf, count, datatype, dest, sendtag, comm, out));
    TRY(end_check(mpi, PEAL_POST_RECEIVE, buf, count, datatype, source, recvtag, comm, in));
    if (in->peer == MPI_PROC_NULL && out->peer != MPI_PROC_NULL)
        held_look(mpi, &out->data, false, MESSAGE);
    send_copy(mpi, out);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Sendrecv_replace, void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
             int recvtag, MPI_Comm comm, MPI_Status *status)
{
    struct mpi *mpi = ENTER(Sendrecv_replace);
    struct message_end out, in;

    TRY(replace_check(mpi, buf, count, datatype, dest, sendtag, source, recvtag, comm, &out, &in));
    int error = message_exchange(mpi, &out, &in, status);
    mpi_free(mpi, out.data.buffer);
    return error;
}

/* ------------------------------------------------------------------ received data */

MPI_FUNCTION(int, Get_count, const MPI_Status *status, MPI_Datatype datatype, int *count)
{
    struct mpi *mpi = ENTER(Get_count);
    FIND_TYPE(type, datatype);

    NEED(status, count);
    size_t whole = type->size ? status->peal_bytes / type->size : 0;

    if (type->size == 0)
        *count = status->peal_bytes ? MPI_UNDEFINED : 0;
    else
        *count = status->peal_bytes % type->size || whole > INT32_MAX ? MPI_UNDEFINED : (int)whole;
    return MPI_SUCCESS;
}

/* Count basic elements, MPI_UNDEFINED where a fraction of one came or there are more than `most`. */
static int
message_count_elements(struct mpi *mpi, const MPI_Status *status, MPI_Datatype datatype, MPI_Count most,
                       MPI_Count *count)
{
    FIND_TYPE(type, datatype);

    NEED(status, count);
    size_t whole = type->size ? status->peal_bytes / type->size : 0, rest = 0;
    size_t basics = whole * type->basics;

    if (type->size && status->peal_bytes % type->size)
        basics += type_basics(type, status->peal_bytes % type->size, &rest);
    *count = rest || (MPI_Count)basics > most ? MPI_UNDEFINED : (MPI_Count)basics;
    return MPI_SUCCESS;
}

MPI_CALL(Get_elements_x, (const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count),
         message_count_elements(mpi, status, datatype, INT64_MAX, count));

MPI_FUNCTION(int, Get_elements, const MPI_Status *status, MPI_Datatype datatype, int *count)
{
    struct mpi *mpi = ENTER(Get_elements);
    MPI_Count elements = 0;

    TRY(message_count_elements(mpi, status, datatype, INT32_MAX, count ? &elements : NULL));
    *count = (int)elements;
    return MPI_SUCCESS;
}

static int
set_elements(struct mpi *mpi, MPI_Status *status, MPI_Datatype datatype, MPI_Count count)
{
    FIND_TYPE(type, datatype);

    NEED(status);
    if (count < 0)
        return mpi_error(mpi, NULL, MPI_ERR_COUNT, "count is %lld: expected 0 or more", count);
    status->peal_bytes = type_bytes_of(type, (size_t)count);
    return MPI_SUCCESS;
}

MPI_CALL(Status_set_elements, (MPI_Status * status, MPI_Datatype datatype, int count),
         set_elements(mpi, status, datatype, count));
MPI_CALL(Status_set_elements_x, (MPI_Status * status, MPI_Datatype datatype, MPI_Count count),
         set_elements(mpi, status, datatype, count));

MPI_FUNCTION(int, Status_set_cancelled, MPI_Status *status, int flag)
{
    struct mpi *mpi = ENTER(Status_set_cancelled);

    NEED(status);
    status->peal_cancelled = flag;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Test_cancelled, const MPI_Status *status, int *flag)
{
    struct mpi *mpi = ENTER(Test_cancelled);

    NEED(status, flag);
    *flag = status->peal_cancelled != 0;
    return MPI_SUCCESS;
}
