/* SPDX-License-Identifier: MIT */
/* Requests: posted at once or started again and again, waited for, tested. */
#include "lib/mpi/request.h"
#include "lib/mpi/finding.h"
#include "lib/mpi/win.h"
#include <string.h>

/* ------------------------------------------------------------------ posting */

void
request_begin(struct mpi *mpi, struct request *request)
{
    const struct end *end = &request->end;
    struct way way;

    request->active = true;
    request->nothing = end->peer == MPI_PROC_NULL;
    if (request->nothing)
        return;
    way_open(mpi, &end->data, end->kind == PEAL_POST_SEND, &way);
    request->copy = way.copy;
    finding_guard(mpi, request);
    if (request->copy != way.copy) { /* a guarded receive has a place of its own */
        way_posted(mpi, &way);
        way.few[0] = (struct peal_piece){request->copy, end->data.bytes};
        way.pieces = way.few;
        way.count = 1;
    }
    struct peal_post post = end_post(end, &way);

    request->handle = peal_post_at(end->comm->view, &post, mpi->file, mpi->line);
    way_posted(mpi, &way);
}

static struct request *
request_make(struct mpi *mpi, const struct end *end)
{
    struct request *request = mpi_alloc(mpi, sizeof *request);

    request->end = *end;
    end->comm->references++;
    if (end->data.type)
        type_use(end->data.type);
    request->own = (MPI_Request)handle_make(mpi, KIND_REQUEST, request);
    return request;
}

struct request *
request_of_strand(struct mpi *mpi, struct comm *comm, struct peal_handle strand, struct pending *pending)
{
    struct request *request =
        request_make(mpi, &(struct end){.kind = PEAL_POST_SEND, .comm = comm, .call = mpi->call, .site = mpi->file});

    request->handle = strand;
    request->pending = pending;
    request->active = true;
    return request;
}

struct request *
request_start(struct mpi *mpi, const struct end *end)
{
    struct request *request = request_make(mpi, end);

    request_begin(mpi, request);
    return request;
}

struct request *
request_of_access(struct mpi *mpi, struct comm *comm, struct access *access)
{
    const struct end end = {.kind = PEAL_POST_PUT,
                            .comm = comm,
                            .data.type = type_find(mpi, MPI_BYTE),
                            .call = mpi->call,
                            .site = mpi->file};
    struct request *request = request_make(mpi, &end);

    request->active = true;
    request->of_window = true;
    request->access = access;
    if (access)
        request->handle = access_handle(access);
    return request;
}

void
request_free(struct mpi *mpi, struct request *request)
{
    handle_free(mpi, KIND_REQUEST, (uintptr_t)request->own);
    if (request->end.data.type)
        type_drop(mpi, request->end.data.type);
    comm_drop(mpi, request->end.comm);
    mpi_free(mpi, request);
}

/* Make a request of a nonblocking call. */
static int
start(struct mpi *mpi, enum peal_post_kind kind, enum peal_send_mode mode, const void *buf, int count,
      MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request)
{
    struct end end;
    int error = end_check(mpi, kind, buf, count, type, peer, tag, comm, &end);

    if (error)
        return error;
    NEED(request);
    end.mode = mode;
    if (mode == PEAL_BUFFERED && (error = buffer_check(mpi, &end)))
        return error;
    *request = request_start(mpi, &end)->own;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Isend, const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
             MPI_Request *request)
{
    return start(ENTER(Isend), PEAL_POST_SEND, PEAL_STANDARD, buf, count, datatype, dest, tag, comm, request);
}

MPI_FUNCTION(int, Issend, const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
             MPI_Request *request)
{
    return start(ENTER(Issend), PEAL_POST_SEND, PEAL_SYNCHRONOUS, buf, count, datatype, dest, tag, comm, request);
}

MPI_FUNCTION(int, Irsend, const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
             MPI_Request *request)
{
    return start(ENTER(Irsend), PEAL_POST_SEND, PEAL_READY, buf, count, datatype, dest, tag, comm, request);
}

MPI_FUNCTION(int, Ibsend, const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
             MPI_Request *request)
{
    return start(ENTER(Ibsend), PEAL_POST_SEND, PEAL_BUFFERED, buf, count, datatype, dest, tag, comm, request);
}

MPI_FUNCTION(int, Irecv, void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
             MPI_Request *request)
{
    return start(ENTER(Irecv), PEAL_POST_RECEIVE, PEAL_STANDARD, buf, count, datatype, source, tag, comm, request);
}

/* ------------------------------------------------------------------ started again and again */

static int
prepare(struct mpi *mpi, enum peal_post_kind kind, enum peal_send_mode mode, const void *buf, int count,
        MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request)
{
    struct end end;
    int error = end_check(mpi, kind, buf, count, type, peer, tag, comm, &end);

    if (error)
        return error;
    NEED(request);
    end.mode = mode;
    struct request *made = request_make(mpi, &end);

    made->persistent = true;
    *request = made->own;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Send_init, const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
             MPI_Request *request)
{
    return prepare(ENTER(Send_init), PEAL_POST_SEND, PEAL_STANDARD, buf, count, datatype, dest, tag, comm, request);
}

MPI_FUNCTION(int, Ssend_init, const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
             MPI_Request *request)
{
    return prepare(ENTER(Ssend_init), PEAL_POST_SEND, PEAL_SYNCHRONOUS, buf, count, datatype, dest, tag, comm, request);
}

MPI_FUNCTION(int, Rsend_init, const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
             MPI_Request *request)
{
    return prepare(ENTER(Rsend_init), PEAL_POST_SEND, PEAL_READY, buf, count, datatype, dest, tag, comm, request);
}

MPI_FUNCTION(int, Bsend_init, const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
             MPI_Request *request)
{
    return prepare(ENTER(Bsend_init), PEAL_POST_SEND, PEAL_BUFFERED, buf, count, datatype, dest, tag, comm, request);
}

MPI_FUNCTION(int, Recv_init, void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
             MPI_Request *request)
{
    return prepare(ENTER(Recv_init), PEAL_POST_RECEIVE, PEAL_STANDARD, buf, count, datatype, source, tag, comm,
                   request);
}

static int
start_again(struct mpi *mpi, const MPI_Request *handle, int index)
{
    struct request *request = handle_find(mpi, KIND_REQUEST, (uintptr_t)*handle);

    if (!request)
        return mpi_error(mpi, NULL, MPI_ERR_REQUEST, "request %d %s", index,
                         handle_wrong(mpi, KIND_REQUEST, (uintptr_t)*handle));
    if (!request->persistent)
        return mpi_error(mpi, request->end.comm, MPI_ERR_REQUEST, "request %d is not persistent", index);
    if (request->active)
        return mpi_error(mpi, request->end.comm, MPI_ERR_REQUEST, "request %d was started already", index);
    if (request->end.mode == PEAL_BUFFERED) {
        int error = buffer_check(mpi, &request->end);

        if (error)
            return error;
    }
    request_begin(mpi, request);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Start, MPI_Request *request)
{
    struct mpi *mpi = ENTER(Start);

    NEED(request);
    return start_again(mpi, request, 0);
}

MPI_FUNCTION(int, Startall, int count, MPI_Request requests[])
{
    struct mpi *mpi = ENTER(Startall);
    int error = MPI_SUCCESS;

    if (count < 0)
        return mpi_error(mpi, NULL, MPI_ERR_COUNT, "count is %d: expected 0 or more", count);
    for (int i = 0; i < count && !error; i++)
        error = start_again(mpi, &requests[i], i);
    return error;
}

/* ------------------------------------------------------------------ completion */

/* Find the requests of a call: list[i] is NULL where there is nothing to wait for.  *open: how many others there are.  The list is
 * scratch that the caller frees. */
static int
find_requests(struct mpi *mpi, int count, const MPI_Request *handles, struct request ***list, int *open)
{
    *open = 0;
    *list = NULL;
    if (count < 0)
        return mpi_error(mpi, NULL, MPI_ERR_COUNT, "count is %d: expected 0 or more", count);
    if (count > 0 && !handles)
        return mpi_error(mpi, NULL, MPI_ERR_REQUEST, "the list of requests is NULL");
    struct request **found = mpi_scratch(mpi, (size_t)count * sizeof(struct request *));

    for (int i = 0; i < count; i++) {
        found[i] = handles[i] == MPI_REQUEST_NULL ? NULL : handle_find(mpi, KIND_REQUEST, (uintptr_t)handles[i]);
        if (!found[i] && handles[i] != MPI_REQUEST_NULL) {
            mpi_free(mpi, found);
            return mpi_error(mpi, NULL, MPI_ERR_REQUEST, "request %d %s", i,
                             handle_wrong(mpi, KIND_REQUEST, (uintptr_t)handles[i]));
        }
        if (found[i] && !found[i]->active)
            found[i] = NULL;
        *open += found[i] != NULL;
    }
    *list = found;
    return MPI_SUCCESS;
}

static bool
is_ready(const struct mpi *mpi, const struct request *request)
{
    return request->nothing || (request->of_window && !request->access) ||
           peal_ready_at(request->end.comm->view, request->handle, NULL, mpi->file, mpi->line);
}

/* Wait until the request is complete, and take what came.  Gives its error. */
static int
finish(struct mpi *mpi, struct request *request, MPI_Request *handle, MPI_Status *status)
{
    const struct end *end = &request->end;
    int error = MPI_SUCCESS;

    if (request->of_window) {
        status_empty(status);
        if (request->access)
            error = access_finish(mpi, request->access);
    } else if (request->nothing) {
        status_nobody(status);
    } else {
        const struct peal_envelope came = peal_finish_at(end->comm->view, request->handle, mpi->file, mpi->line);

        finding_unguard(mpi, request);
        if (request->pending) {
            error = pending_end(mpi, request->pending);
            status_empty(status);
        } else if (came.cancelled) {
            mpi_free(mpi, request->copy);
            status_empty(status);
            if (status != MPI_STATUS_IGNORE)
                status->peal_cancelled = 1;
        } else if (end->kind == PEAL_POST_RECEIVE) {
            data_unpack(mpi, &end->data, request->copy, came.delivered);
            status_set(status, comm_peer_rank(end->comm, came.source), came.tag, came.delivered);
            error = end_came(mpi, end, &came);
        } else {
            mpi_free(mpi, request->copy);
            status_empty(status);
        }
        request->copy = NULL;
    }
    request->active = false;
    if (!request->persistent) {
        request_free(mpi, request);
        *handle = MPI_REQUEST_NULL;
    }
    return error;
}

/* Which of the requests is complete, the lowest; -1: none. */
static int
first_ready(const struct mpi *mpi, struct request *const *list, int count)
{
    for (int i = 0; i < count; i++)
        if (list[i] && is_ready(mpi, list[i]))
            return i;
    return -1;
}

static int
count_ready(const struct mpi *mpi, struct request *const *list, int count)
{
    int ready = 0;

    for (int i = 0; i < count; i++)
        ready += list[i] && is_ready(mpi, list[i]);
    return ready;
}

/* The handles of those requests that have one; scratch. */
static struct peal_handle *
handles_of(struct mpi *mpi, struct request *const *list, int count)
{
    struct peal_handle *handles = mpi_scratch(mpi, (size_t)count * sizeof *handles);

    for (int i = 0; i < count; i++)
        handles[i] = list[i] && !list[i]->nothing && !(list[i]->of_window && !list[i]->access) ? list[i]->handle
                                                                                               : PEAL_NO_HANDLE;
    return handles;
}

/* Let the machine make one round unless `enough` of the requests are complete. */
static void
ask(struct mpi *mpi, struct request *const *list, int count, int enough)
{
    if (count_ready(mpi, list, count) >= enough)
        return;
    struct peal_handle *handles = handles_of(mpi, list, count);

    peal_ask_at(mpi->me, handles, count, count, mpi->file, mpi->line); /* not all are: it rests */
    mpi_free(mpi, handles);
}

/* Until one of the requests is complete. */
static int
await_any(struct mpi *mpi, struct request *const *list, int count)
{
    int ready = first_ready(mpi, list, count);

    if (ready >= 0)
        return ready;
    struct peal_handle *handles = handles_of(mpi, list, count);

    ready = peal_wait_any_at(mpi->me, handles, count, mpi->file, mpi->line);
    mpi_free(mpi, handles);
    return ready;
}

static MPI_Status *
status_at(MPI_Status *statuses, int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/* Finish all requests that are complete, with `all` all.  *done: how many, their indices in `indices` (NULL: not wanted, and
 * statuses are by request). */
static int
finish_ready(struct mpi *mpi, struct request **list, int count, MPI_Request handles[], bool all, int *done,
             int indices[], MPI_Status statuses[])
{
    int result = MPI_SUCCESS;

    *done = 0;
    for (int i = 0; i < count; i++) {
        MPI_Status *status = status_at(statuses, indices ? *done : i);

        if (!list[i] && all)
            status_empty(status);
        if (!list[i] || (!all && !is_ready(mpi, list[i])))
            continue;
        int error = finish(mpi, list[i], &handles[i], status);

        if (status != MPI_STATUS_IGNORE)
            status->MPI_ERROR = error;
        if (error)
            result = statuses == MPI_STATUSES_IGNORE ? error : MPI_ERR_IN_STATUS;
        if (indices)
            indices[*done] = i;
        (*done)++;
    }
    return result;
}

/* ------------------------------------------------------------------ waits */

/* The request of a call with one; *found is NULL where there is nothing to wait for. */
static int
find_one(struct mpi *mpi, const MPI_Request *handle, struct request **found)
{
    *found = NULL;
    NEED(handle);
    *found = handle_find(mpi, KIND_REQUEST, (uintptr_t)*handle);
    if (!*found && *handle != MPI_REQUEST_NULL)
        return mpi_error(mpi, NULL, MPI_ERR_REQUEST, "request %s", handle_wrong(mpi, KIND_REQUEST, (uintptr_t)*handle));
    if (*found && !(*found)->active)
        *found = NULL;
    return MPI_SUCCESS;
}

int
request_wait(struct mpi *mpi, MPI_Request *request, MPI_Status *status)
{
    struct request *found;
    int error = find_one(mpi, request, &found);

    if (error || !found) {
        status_empty(status);
        return error;
    }
    return finish(mpi, found, request, status);
}

MPI_FUNCTION(int, Wait, MPI_Request *request, MPI_Status *status)
{
    return request_wait(ENTER(Wait), request, status);
}

MPI_FUNCTION(int, Waitall, int count, MPI_Request requests[], MPI_Status statuses[])
{
    struct mpi *mpi = ENTER(Waitall);
    struct request **list;
    int open, done, error = find_requests(mpi, count, requests, &list, &open);

    if (!error)
        error = finish_ready(mpi, list, count, requests, true, &done, NULL, statuses);
    mpi_free(mpi, list);
    return error;
}

MPI_FUNCTION(int, Waitany, int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct mpi *mpi = ENTER(Waitany);
    struct request **list;
    int open, error = find_requests(mpi, count, requests, &list, &open);

    if (error)
        return error;
    *index = MPI_UNDEFINED;
    if (open > 0) {
        *index = await_any(mpi, list, count);
        error = finish(mpi, list[*index], &requests[*index], status);
    } else {
        status_empty(status);
    }
    mpi_free(mpi, list);
    return error;
}

MPI_FUNCTION(int, Waitsome, int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[])
{
    struct mpi *mpi = ENTER(Waitsome);
    struct request **list;
    int open, error = find_requests(mpi, count, requests, &list, &open);

    if (error)
        return error;
    *outcount = MPI_UNDEFINED;
    if (open > 0) {
        await_any(mpi, list, count);
        error = finish_ready(mpi, list, count, requests, false, outcount, indices, statuses);
    }
    mpi_free(mpi, list);
    return error;
}

/* ------------------------------------------------------------------ tests: true at once, or after a rest of one round */

MPI_FUNCTION(int, Test, MPI_Request *request, int *flag, MPI_Status *status)
{
    struct mpi *mpi = ENTER(Test);
    struct request *found;
    int error = find_one(mpi, request, &found);

    NEED(flag);
    if (error)
        return error;
    *flag = 1;
    if (!found) {
        status_empty(status);
        return MPI_SUCCESS;
    }
    ask(mpi, &found, 1, 1);
    *flag = is_ready(mpi, found);
    return *flag ? finish(mpi, found, request, status) : MPI_SUCCESS;
}

MPI_FUNCTION(int, Testall, int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct mpi *mpi = ENTER(Testall);
    struct request **list;
    int open, done, error = find_requests(mpi, count, requests, &list, &open);

    if (error)
        return error;
    ask(mpi, list, count, open);
    *flag = count_ready(mpi, list, count) == open;
    if (*flag)
        error = finish_ready(mpi, list, count, requests, true, &done, NULL, statuses);
    mpi_free(mpi, list);
    return error;
}

MPI_FUNCTION(int, Testany, int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    struct mpi *mpi = ENTER(Testany);
    struct request **list;
    int open, error = find_requests(mpi, count, requests, &list, &open);

    if (error)
        return error;
    int ready = open ? first_ready(mpi, list, count) : -1;

    if (open && ready < 0) {
        ask(mpi, list, count, 1);
        ready = first_ready(mpi, list, count);
    }
    *flag = open == 0 || ready >= 0;
    *index = ready >= 0 ? ready : MPI_UNDEFINED;
    if (ready >= 0)
        error = finish(mpi, list[ready], &requests[ready], status);
    else if (open == 0)
        status_empty(status);
    mpi_free(mpi, list);
    return error;
}

MPI_FUNCTION(int, Testsome, int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[])
{
    struct mpi *mpi = ENTER(Testsome);
    struct request **list;
    int open, error = find_requests(mpi, count, requests, &list, &open);

    if (error)
        return error;
    *outcount = MPI_UNDEFINED;
    if (open > 0) {
        ask(mpi, list, count, 1);
        error = finish_ready(mpi, list, count, requests, false, outcount, indices, statuses);
    }
    mpi_free(mpi, list);
    return error;
}

MPI_FUNCTION(int, Request_get_status, MPI_Request request, int *flag, MPI_Status *status)
{
    struct mpi *mpi = ENTER(Request_get_status);
    struct request *found;
    struct peal_envelope came;
    int error = find_one(mpi, &request, &found);

    NEED(flag);
    if (error)
        return error;
    *flag = 1;
    if (!found || found->nothing) {
        if (found)
            status_nobody(status);
        else
            status_empty(status);
        return MPI_SUCCESS;
    }
    ask(mpi, &found, 1, 1);
    *flag = peal_ready_at(found->end.comm->view, found->handle, &came, mpi->file, mpi->line);
    if (*flag && found->end.kind == PEAL_POST_RECEIVE) {
        if (!came.cancelled) { /* the program may use the buffer from now on */
            finding_unguard(mpi, found);
            data_unpack(mpi, &found->end.data, found->copy, came.delivered);
            found->copy = NULL;
        }
        status_set(status, comm_peer_rank(found->end.comm, came.source), came.tag, came.delivered);
    } else if (*flag)
        status_empty(status);
    return MPI_SUCCESS;
}
