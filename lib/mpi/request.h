/* SPDX-License-Identifier: MIT */
/* Messages and requests. */
#ifndef LIB_MPI_REQUEST_H
#define LIB_MPI_REQUEST_H

#include "lib/mpi/comm.h"
#include "lib/mpi/pieces.h"

/* One end of a message, its arguments found right. */
struct end {
    enum peal_post_kind kind;
    enum peal_send_mode mode;
    struct comm *comm;
    struct data data;
    int peer, tag;
    struct peal_handle message; /* of a receive: what a matched probe has found; else PEAL_NO_HANDLE */
    uint64_t note;              /* of a send: see finding_note */
    const char *call, *site;    /* that has this end */
};

/* A request that the program itself completes. */
struct general {
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *free;
    MPI_Grequest_cancel_function *cancel;
    void *extra;
    bool complete;
    bool given_up; /* freed by the program, which is still to complete it */
};

struct request {
    struct end end;
    bool persistent;
    bool active;  /* started, and not yet waited for */
    bool nothing; /* to or from MPI_PROC_NULL: complete at once */
    struct peal_handle handle;
    void *copy;              /* the packed data; NULL: it goes from or to its place */
    struct request *send;    /* of a request of both directions, which receives; NULL */
    struct pending *pending; /* of a nonblocking collective; NULL */
    struct general *general; /* NULL: it is of the machine */
    struct hold *holds;      /* its buffer, unless it is a collective's (held.h) */
    MPI_Request own;         /* NULL: it has no handle */
    struct access *access;   /* of a window, that it stands for; NULL: it is complete, or the request is of a message */
    bool of_window;
    struct request *next; /* of the spare ones */
};

/* Check the arguments of a send or a receive. */
int end_check(struct mpi *mpi, enum peal_post_kind kind, const void *buffer, int count, MPI_Datatype type, int peer,
              int tag, MPI_Comm comm, struct end *end);

/* Check those of a send and a receive at once, and of a send of a copy of what lies where the receive puts its data:
 * out->data.buffer is that copy, scratch. */
int both_check(struct mpi *mpi, const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
               void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
               struct end *out, struct end *in);
int replace_check(struct mpi *mpi, void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
                  int recvtag, MPI_Comm comm, struct end *out, struct end *in);

/* Write a status, unless it is ignored: of a message, and of a message from nobody. */
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

void status_nobody(MPI_Status *status);
void status_empty(MPI_Status *status);

/* Fill a post of data that go that way, which lives as long as the post. */
static inline void
end_post(const struct end *end, const struct way *way, struct peal_post *post)
{
    post->kind = end->kind;
    post->mode = end->mode;
    post->pieces = way->pieces;
    post->piece_count = way->count;
    post->message = end->message;
    post->peer = comm_view_rank(end->comm, end->peer);
    post->tag = end->tag;
    post->note = end->note;
    post->lenient = end->kind == PEAL_POST_RECEIVE && end->comm->errhandler != MPI_ERRORS_ARE_FATAL;
    post->shared = false;
    post->remote = (struct peal_remote){.memory = NULL};
}

/* Give what is to be said of a message that came for the end: MPI_SUCCESS, or MPI_ERR_TRUNCATE. */
int end_came(struct mpi *mpi, const struct end *end, const struct peal_envelope *envelope);

/* A request of the end, which is not started. */
struct request *request_make(struct mpi *mpi, const struct end *end);

/* Post the end, which a request of its own then stands for. */
struct request *request_start(struct mpi *mpi, const struct end *end);
void request_begin(struct mpi *mpi, struct request *request);

/* A request that stands for an access to a window; NULL: one that is complete. */
struct request *request_of_access(struct mpi *mpi, struct comm *comm, struct access *access);
/* Make a request of a strand that carries out a collective; end what it had when it is complete, with its error. */
struct request *request_of_strand(struct mpi *mpi, struct comm *comm, struct peal_handle strand,
                                  struct pending *pending);
int pending_end(struct mpi *mpi, struct pending *pending);

/* Generalized requests: give the status that the program says; free one that is complete; a wait that cannot end. */
int general_query(const struct request *request, MPI_Status *status);
int general_finish(struct mpi *mpi, struct request *request, MPI_Status *status);
__attribute__((noreturn)) void general_refuse(struct mpi *mpi);

/* What MPI_Cancel and MPI_Request_free do with one. */
int general_cancel(const struct request *request);
int general_give_up(struct mpi *mpi, struct request *request);

/* Free the request and its handle. */
void request_free(struct mpi *mpi, struct request *request);

/* Wait for the request; what MPI_Wait does. */
int request_wait(struct mpi *mpi, MPI_Request *request, MPI_Status *status);

/* Check that the attached buffer has room for a buffered send, beside those that are not carried yet. */
int buffer_check(struct mpi *mpi, const struct end *end);

#endif
