/* SPDX-License-Identifier: MIT */
/* Messages and requests. */
#pragma once

#include "mpi/p2p/pieces.h"
#include "mpi/strict/finding.h"
#include "mpi/strict/held.h"

/* One end of a message, after its arguments were checked. */
struct message_end {
    struct comm *comm;
    struct typed_data data;
    int peer;
    const char *call, *site; /* the call that has this end */
    struct peal_post post;   /* without its pieces, see end_open; its note: see finding_note */
    struct peal_piece piece; /* of the post, if it has one */
    bool copied;             /* the data are a copy of the program's */
};

struct byte_span;

/* A request that the program itself completes. */
struct general {
    struct mpi *outside; /* the node, if the functions are those of its process, or NULL */
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *free;
    MPI_Grequest_cancel_function *cancel;
    void *extra;
    bool fortran; /* the functions are in Fortran */
    bool complete;
    bool given_up; /* freed by the program, which must still complete it */
};

struct mpi_request {
    struct message_end end;
    struct mpi_request *next; /* of the spare ones, whose members below are zeros */
    bool persistent;
    bool active;    /* started, and not yet waited for */
    bool nothing;   /* to or from MPI_PROC_NULL: complete at once */
    bool cancels;   /* MPI_Cancel was called for it since it was started */
    bool short_way; /* went the short way, not cancelled: of what follows, only `handle` and `own` are set */
    struct peal_handle handle;
    uint64_t awaited;             /* of a receive: see vclock_await */
    void *copy;                   /* the packed data; NULL: it goes from or to its place */
    struct mpi_request *send;     /* of a request of both directions, which itself receives; or NULL */
    struct pending_coll *pending; /* of a nonblocking collective, or NULL */
    struct general *general;      /* NULL: the machine completes it */
    struct buffer_hold *holds;    /* its buffer, unless it is a collective's (held.h) */
    struct byte_span *shared;     /* of a request of both directions: see both_check; or NULL */
    MPI_Request own;              /* NULL: it has no handle */
    struct win_access *access;    /* to a window, by a request; NULL: it is complete, or the request is of a message */
    bool of_window;
};

/* Find the request of a handle; return an error from the call if there is none. */
#define FIND_REQUEST(found, handle)                                                                                    \
    struct mpi_request *found = handle_find(mpi, KIND_REQUEST, (uintptr_t)(handle));                                   \
    if (!found)                                                                                                        \
    return mpi_error(mpi, NULL, MPI_ERR_REQUEST, "request %s", handle_wrong(mpi, KIND_REQUEST, (uintptr_t)(handle)))

/* Whether the request has no counterpart in the machine. */
static inline bool
request_has_no_handle(const struct mpi_request *request)
{
    return request->nothing || request->general || (request->of_window && !request->access);
}

/* Check the arguments of a send or a receive. */
int end_check(struct mpi *mpi, enum peal_post_kind kind, const void *buffer, int count, MPI_Datatype type, int peer,
              int tag, MPI_Comm comm, struct message_end *end);

/* Check the arguments of a send and a receive at once.  If both share memory, which is wrong if data arrive there, a
 * copy is sent: out->data.buffer, scratch, and *shared is the memory of the send; otherwise *shared is NULL. */
int both_check(struct mpi *mpi, const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
               void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
               struct message_end *out, struct message_end *in, struct byte_span **shared);

/* `bytes` bytes arrived: report if they overwrote shared memory, or might have.  Frees `shared`. */
void both_compare(struct mpi *mpi, const struct message_end *in, struct byte_span *shared, size_t delivered);

/* Check the arguments of a send and a receive in one buffer: out->data.buffer is a copy of the data, scratch. */
int replace_check(struct mpi *mpi, void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
                  int recvtag, MPI_Comm comm, struct message_end *out, struct message_end *in);

/* Write a status, unless it is ignored: of a message, and of one from MPI_PROC_NULL. */
static inline void
status_set(MPI_Status *status, int source, int tag, size_t bytes)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
    status->peal_cancelled = 0;
    status->peal_bytes = bytes;
}

static inline void
status_nobody(MPI_Status *status)
{
    status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
}

static inline void
status_empty(MPI_Status *status)
{
    status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = MPI_SUCCESS;
}

/* Give the end's post its pieces.  True: they are those of *list, which must live as long as the post; its copy and
 * pieces are to be freed. */
static inline bool
end_open(struct mpi *mpi, struct message_end *end, bool receives, struct piece_list *list)
{
    struct peal_post *post = &end->post;

    post->lenient = receives && end->comm->errhandler != MPI_ERRORS_ARE_FATAL;
    if (data_is_one_piece(&end->data)) {
        end->piece.data = end->data.buffer + end->data.type->true_lb;
        end->piece.words = end->data.bytes;
        post->pieces = &end->piece;
        post->piece_count = 1;
        return false;
    }
    pieces_find(mpi, &end->data, !receives, list);
    post->pieces = list->pieces;
    post->piece_count = list->count;
    return true;
}

/* Whether a received message was sent as one basic type that its receive has, too, or as any type, and arrived whole:
 * most are. */
static inline bool
came_as_expected(const struct type *type, const struct peal_envelope *came)
{
    return (!came->note || (finding_basic(came->note) != 0 && finding_basic(came->note) == type->basic)) &&
           came->delivered >= came->words;
}

/* The error of a message received for the end: MPI_SUCCESS, or MPI_ERR_TRUNCATE.  Types that differ are a finding. */
int end_compare(struct mpi *mpi, const struct message_end *end, const struct peal_envelope *envelope);

static inline int
end_came(struct mpi *mpi, const struct message_end *end, const struct peal_envelope *came)
{
    if (__builtin_expect(mpi->freed != NULL, 0))
        notes_came(mpi, end, came->source);
    return came_as_expected(end->data.type, came) ? MPI_SUCCESS : end_compare(mpi, end, came);
}

/* An active request of the call that is not a message. */
struct mpi_request *request_of(struct mpi *mpi, struct comm *comm, enum peal_post_kind kind, struct peal_handle handle);

/* Post the end, with a request of its own. */
struct mpi_request *request_start(struct mpi *mpi, const struct message_end *end);

/* Free the data of a strand that has carried out a collective; gives its error. */
int pending_end(struct mpi *mpi, struct pending_coll *pending);

/* Generalized requests: give the program's status; free one that is complete; a wait that cannot end. */
int general_query(const struct mpi_request *request, MPI_Status *status);
int general_cancel(struct general *general);
int general_finish(struct mpi *mpi, struct mpi_request *request, MPI_Status *status);
__attribute__((noreturn)) void general_refuse(struct mpi *mpi);

/* MPI_Request_free of a generalized request. */
int general_give_up(struct mpi *mpi, struct mpi_request *request);

/* Free the request and its handle. */
void request_free(struct mpi *mpi, struct mpi_request *request);

/* Keep a request, whose members below `next` are zeros, for another one. */
static inline void
request_give(struct mpi *mpi, struct mpi_request *request)
{
    request->next = mpi->spare;
    mpi->spare = request;
}

/* Keep a request that has neither handle nor buffers any more, and leave its communicator and its datatype. */
static inline void
request_retire(struct mpi *mpi, struct mpi_request *request)
{
    const struct message_end *end = &request->end;

    if (end->data.type && !end->data.type->number)
        type_drop(mpi, end->data.type);
    if (end->comm->references > 1)
        end->comm->references--;
    else
        comm_drop(mpi, end->comm);
    request_give(mpi, request);
}

/* Wait for the request, as MPI_Wait does. */
int request_wait(struct mpi *mpi, MPI_Request *request, MPI_Status *status);

/* Check that the attached buffer has room for a buffered send, beside those that are not carried yet. */
int buffer_check(struct mpi *mpi, const struct message_end *end);

/* ------------------------------------------------------------------ the short way
 *
 * Most messages take it: standard ones of one piece, on a communicator of one group, in runs that keep no buffers.  The
 * machine decides whether they may, peers and tags included.  All others, and wrong arguments, are left to the
 * functions that take any message.  With it MPI_Sendrecv of a word takes 1060 instructions with its share of the round
 * instead of 1275; MPI_Irecv, MPI_Isend and MPI_Waitall take 2241 instead of 2809. */

/* Whether the communicator's messages may go the short way. */
static inline bool
comm_goes_short(const struct comm *c)
{
    return c && !c->inter && !held_wanted();
}

/* One side of such a message; false: it is not one. */
static inline __attribute__((always_inline)) bool
short_find(struct mpi *mpi, const void *buffer, int count, MPI_Datatype handle, int peer, int tag, struct type **type,
           struct peal_short_post *post)
{
    size_t bytes;

    *type = type_find_dense(mpi, handle);
    if (!*type || count < 0 || buffer == MPI_IN_PLACE || __builtin_mul_overflow((*type)->size, (size_t)count, &bytes))
        return false;
    post->piece.data = (char *)(uintptr_t)buffer + (*type)->true_lb;
    post->piece.words = bytes;
    post->peer = peer;
    post->tag = tag;
    return true;
}

/* Answers of waits and tests that the standard leaves open, for runs that together try them all (peal_picks). */

/* Pick among the requests of a call, skipping NULL: those not picked are NULL in the list afterwards.  False, where
 * `tests`: none is complete yet.  `came`, unless NULL: the envelope that came for the first of them. */
bool pick(struct mpi *mpi, struct mpi_request **list, int count, enum peal_pick_kind kind, bool tests,
          struct peal_envelope *came);

/* Test handles: whether all of them are complete. */
bool pick_handles(struct mpi *mpi, const struct peal_handle *handles, int count);
