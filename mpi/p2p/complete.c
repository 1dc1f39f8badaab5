/* SPDX-License-Identifier: MIT */
/* Completion of requests: waits and tests. */
#include "mpi/call/handle.h"
#include "mpi/coll/icoll.h"
#include "mpi/window/win.h"

enum { FEW_REQUESTS = 8 };

static void
list_free(struct mpi *mpi, struct mpi_request **list, struct mpi_request *const *few)
{
    if (list != few)
        mpi_free(mpi, list);
}

/* Find the requests of a call: list[i] is NULL where there is nothing to wait for.  *open: the number of the others.
 * The list is `few`, which the caller has, or scratch; list_free frees it. */
static int
req_find_all(struct mpi *mpi, int count, const MPI_Request *handles, struct mpi_request **few,
             struct mpi_request ***list, int *open)
{
    *open = 0;
    *list = NULL;
    if (count < 0)
        return mpi_error(mpi, NULL, MPI_ERR_COUNT, "count is %d: expected 0 or more", count);
    if (count > 0 && !handles)
        return mpi_error(mpi, NULL, MPI_ERR_REQUEST, "the list of requests is NULL");
    struct mpi_request **found = count <= FEW_REQUESTS ? few : mpi_scratch(mpi, (size_t)count * sizeof *found);

    for (int i = 0; i < count; i++) {
        found[i] = handles[i] == MPI_REQUEST_NULL ? NULL : handle_find_inline(mpi, KIND_REQUEST, (uintptr_t)handles[i]);
        if (!found[i] && handles[i] != MPI_REQUEST_NULL) {
            list_free(mpi, found, few);
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

/* Whether one message of the request is complete. */
static bool
part_is_ready(const struct mpi *mpi, const struct mpi_request *request)
{
    if (request->general)
        return request->general->complete;
    return request_has_no_handle(request) ||
           peal_is_complete_at(request->end.comm->view, request->handle, NULL, mpi->file, mpi->line);
}

static bool
req_is_ready(const struct mpi *mpi, const struct mpi_request *request)
{
    return part_is_ready(mpi, request) && (!request->send || part_is_ready(mpi, request->send));
}

static const struct peal_rule too_late = {
    "MPI 3.1, 3.8.4: either the message is cancelled or it is delivered, which depends on the order of events",
    "give the wait a status, and ask MPI_Test_cancelled"};

/* Take the data of a complete message with this envelope.  Gives its error. */
static int
req_take_data(struct mpi *mpi, struct mpi_request *request, struct peal_envelope *came, MPI_Status *status)
{
    const struct message_end *end = &request->end;
    int error = MPI_SUCCESS;

    if (end->post.kind == PEAL_POST_RECEIVE)
        vclock_receive(mpi, came, true, request->awaited);
    else if (vclock_is_kept() && end->post.mode == PEAL_SYNCHRONOUS)
        vclock_was_received(mpi, came);
    if (request->holds) {
        held_compare(mpi, request->holds);
        held_give(mpi, &request->holds);
    }
    if (request->cancels && !came->cancelled && status == MPI_STATUS_IGNORE)
        mpi_remark(mpi,
                   &(struct remark){.kind = PEAL_ORDER_DEPENDENT,
                                    .note = true,
                                    .rule = &too_late,
                                    .rank = peal_world_rank(mpi->me),
                                    .site = end->site},
                   "the message of this %s was not cancelled, since it was matched before, and the status is ignored",
                   end->call);
    if (request->pending) {
        error = pending_end(mpi, request->pending);
        status_empty(status);
    } else if (came->cancelled) {
        mpi_free(mpi, request->copy);
        status_empty(status);
        if (status != MPI_STATUS_IGNORE)
            status->peal_cancelled = 1;
    } else if (end->post.kind == PEAL_POST_RECEIVE) {
        if (request->copy)
            bounds_look_came(mpi, &end->data, came->delivered, end->site);
        data_unpack(mpi, &end->data, request->copy, came->delivered);
        status_set(status, comm_peer_rank(end->comm, came->source), came->tag, came->delivered);
        error = end_came(mpi, end, came);
        if (request->shared)
            both_compare(mpi, end, request->shared, came->delivered);
        request->shared = NULL;
    } else {
        mpi_free(mpi, request->copy);
        status_empty(status);
    }
    request->copy = NULL;
    return error;
}

/* The machine's request whose envelope brings the data, if any. */
static struct peal_handle
req_brings(const struct mpi_request *request)
{
    return request->nothing || request->general || request->of_window ? PEAL_NO_HANDLE : request->handle;
}

/* Take the data of a complete message that went the short way, and free its request.  Gives its error. */
static inline int
req_take_short(struct mpi *mpi, struct mpi_request *request, const struct peal_envelope *came, MPI_Status *status)
{
    int error = MPI_SUCCESS;

    if (request->end.post.kind == PEAL_POST_RECEIVE) {
        status_set(status, came->source, came->tag, came->delivered);
        error = end_came(mpi, &request->end, came);
    } else {
        status_empty(status);
    }
    handle_free_inline(mpi, KIND_REQUEST, (uintptr_t)request->own);
    request->own = NULL;
    request->active = request->short_way = false;
    request_retire(mpi, request);
    return error;
}

/* Take the data of any complete request, with its envelope if it has one.  Gives its error. */
static __attribute__((noinline)) int
req_take_any(struct mpi *mpi, struct mpi_request *request, MPI_Request *handle, struct peal_envelope *came,
             MPI_Status *status)
{
    int error = MPI_SUCCESS;

    if (request->general) {
        error = general_finish(mpi, request, status);
    } else if (request->of_window) {
        status_empty(status);
        if (request->access)
            error = access_finish(mpi, request->access);
    } else if (request->nothing) {
        status_nobody(status);
    } else {
        error = req_take_data(mpi, request, came, status);
    }
    if (request->send && !request->send->nothing) {
        struct peal_envelope sent =
            peal_wait_envelope_at(request->send->end.comm->view, request->send->handle, mpi->file, mpi->line);

        req_take_data(mpi, request->send, &sent, MPI_STATUS_IGNORE);
    }
    request->active = false;
    if (!request->persistent) {
        request_free(mpi, request);
        *handle = MPI_REQUEST_NULL;
    }
    return error;
}

static inline int
req_take(struct mpi *mpi, struct mpi_request *request, MPI_Request *handle, struct peal_envelope *came,
         MPI_Status *status)
{
    if (!request->short_way)
        return req_take_any(mpi, request, handle, came, status);
    *handle = MPI_REQUEST_NULL;
    return req_take_short(mpi, request, came, status);
}

/* Wait until the request is complete, and take its data.  Gives its error. */
static int
req_finish(struct mpi *mpi, struct mpi_request *request, MPI_Request *handle, MPI_Status *status)
{
    const struct peal_handle brings = req_brings(request);
    struct peal_envelope came;

    peal_wait_envelopes_at(mpi->me, &brings, 1, &came, mpi->file, mpi->line);
    return req_take(mpi, request, handle, &came, status);
}

/* The lowest request that is complete; -1: none. */
static int
first_ready(const struct mpi *mpi, struct mpi_request *const *list, int count)
{
    for (int i = 0; i < count; i++)
        if (list[i] && req_is_ready(mpi, list[i]))
            return i;
    return -1;
}

static int
count_ready(const struct mpi *mpi, struct mpi_request *const *list, int count)
{
    int ready = 0;

    for (int i = 0; i < count; i++)
        ready += list[i] && req_is_ready(mpi, list[i]);
    return ready;
}

/* The operation that the request waits for: of two directions the one that is not complete. */
static struct peal_handle
req_handle(const struct mpi *mpi, const struct mpi_request *request)
{
    if (request && request->send && part_is_ready(mpi, request))
        request = request->send;
    return request && !request_has_no_handle(request) ? request->handle : PEAL_NO_HANDLE;
}

/* The handles of those requests that have one; scratch. *waits: whether there is any. */
static struct peal_handle *
handles_of(struct mpi *mpi, struct mpi_request *const *list, int count, bool *waits)
{
    struct peal_handle *handles = mpi_scratch(mpi, (size_t)count * sizeof *handles);

    *waits = false;
    for (int i = 0; i < count; i++) {
        handles[i] = req_handle(mpi, list[i]);
        *waits |= list[i] && !request_has_no_handle(list[i]);
    }
    return handles;
}

/* Let the machine make one round unless `enough` of the requests are complete. */
static void
req_poll(struct mpi *mpi, struct mpi_request *const *list, int count, int enough)
{
    if (count_ready(mpi, list, count) >= enough)
        return;
    bool waits;
    struct peal_handle *handles = handles_of(mpi, list, count, &waits);

    if (waits)
        peal_count_complete_at(mpi->me, handles, count, count, mpi->file, mpi->line); /* not all are: it rests */
    else
        peal_next_round_at(mpi->me, mpi->file, mpi->line);
    mpi_free(mpi, handles);
}

/* The request that was picked: the others are NULL. */
static int
req_find_picked(struct mpi_request *const *list)
{
    int i = 0;

    while (!list[i])
        i++;
    return i;
}

/* Wait until one of the requests is complete, and give its index. */
static int
await_any(struct mpi *mpi, struct mpi_request **list, int count)
{
    int ready;

    if (mpi->picks) {
        pick(mpi, list, count, PEAL_PICK_ONE, false, NULL);
        return req_find_picked(list);
    }
    while ((ready = first_ready(mpi, list, count)) < 0) {
        bool waits;
        struct peal_handle *handles = handles_of(mpi, list, count, &waits);

        if (!waits)
            general_refuse(mpi);
        peal_wait_any_at(mpi->me, handles, count, mpi->file, mpi->line);
        mpi_free(mpi, handles);
    }
    return ready;
}

static MPI_Status *
status_at(MPI_Status *statuses, int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/* Wait for all requests, at once, and finish them.  *done: how many, their indices in `indices` (NULL: not wanted, and
 * statuses are by request). */
static int
finish_all(struct mpi *mpi, struct mpi_request *const *list, int count, MPI_Request handles[], int *done, int indices[],
           MPI_Status statuses[])
{
    struct peal_envelope few_came[FEW_REQUESTS], *came = few_came;
    struct peal_handle few_brings[FEW_REQUESTS] = {PEAL_NO_HANDLE}, *brings = few_brings;
    int result = MPI_SUCCESS;

    *done = 0;
    if (count > FEW_REQUESTS) {
        came = mpi_scratch(mpi, (size_t)count * (sizeof *came + sizeof *brings));
        brings = (struct peal_handle *)(came + count);
    }
    for (int i = 0; i < count; i++)
        brings[i] = list[i] ? req_brings(list[i]) : PEAL_NO_HANDLE;
    peal_wait_envelopes_at(mpi->me, brings, count, came, mpi->file, mpi->line);
    for (int i = 0; i < count; i++) {
        MPI_Status *status = status_at(statuses, indices ? *done : i);

        if (!list[i] && !indices)
            status_empty(status);
        if (!list[i])
            continue;
        int error = req_take(mpi, list[i], &handles[i], &came[i], status);

        if (status != MPI_STATUS_IGNORE)
            status->MPI_ERROR = error;
        if (error)
            result = statuses == MPI_STATUSES_IGNORE ? error : MPI_ERR_IN_STATUS;
        if (indices)
            indices[*done] = i;
        (*done)++;
    }
    if (came != few_came)
        mpi_free(mpi, came);
    return result;
}

/* ------------------------------------------------------------------ waits */

/* The request of a call with one; *found is NULL where there is nothing to wait for. */
static int
find_one(struct mpi *mpi, const MPI_Request *handle, struct mpi_request **found)
{
    *found = NULL;
    NEED(handle);
    *found = handle_find_inline(mpi, KIND_REQUEST, (uintptr_t)*handle);
    if (!*found && *handle != MPI_REQUEST_NULL)
        return mpi_error(mpi, NULL, MPI_ERR_REQUEST, "request %s", handle_wrong(mpi, KIND_REQUEST, (uintptr_t)*handle));
    if (*found && !(*found)->active)
        *found = NULL;
    return MPI_SUCCESS;
}

int
request_wait(struct mpi *mpi, MPI_Request *request, MPI_Status *status)
{
    struct mpi_request *found;
    int error = find_one(mpi, request, &found);

    if (error || !found) {
        status_empty(status);
        return error;
    }
    return req_finish(mpi, found, request, status);
}

MPI_FUNCTION(int, Wait, MPI_Request *request, MPI_Status *status)
{
    struct mpi *mpi = ENTER_INLINE(Wait);

    return request_wait(mpi, request, status);
}

MPI_FUNCTION(int, Waitall, int count, MPI_Request requests[], MPI_Status statuses[])
{
    struct mpi *mpi = ENTER_INLINE(Waitall);
    struct mpi_request **list, *few[FEW_REQUESTS];
    int open, done, error = req_find_all(mpi, count, requests, few, &list, &open);

    if (!error)
        error = finish_all(mpi, list, count, requests, &done, NULL, statuses);
    list_free(mpi, list, few);
    return error;
}

MPI_FUNCTION(int, Waitany, int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct mpi *mpi = ENTER(Waitany);
    struct mpi_request **list, *few[FEW_REQUESTS];
    int open, error = MPI_SUCCESS;

    TRY(req_find_all(mpi, count, requests, few, &list, &open));
    NEED(index);
    *index = MPI_UNDEFINED;
    if (open > 0) {
        *index = await_any(mpi, list, count);
        error = req_finish(mpi, list[*index], &requests[*index], status);
    } else {
        status_empty(status);
    }
    list_free(mpi, list, few);
    return error;
}

/* ------------------------------------------------------------------ tests: true at once, or after a rest of one
 * round */

/* Whether the request is complete.  `came`: the envelope that came for it, where answers are picked. */
static bool
is_ready_now(struct mpi *mpi, struct mpi_request *request, struct peal_envelope *came)
{
    if (mpi->picks)
        return pick(mpi, &request, 1, PEAL_PICK_ALL, true, came);
    req_poll(mpi, &request, 1, 1);
    return req_is_ready(mpi, request);
}

/* The lowest request that is complete; -1: none. */
static int
test_any(struct mpi *mpi, struct mpi_request **list, int count)
{
    if (mpi->picks)
        return pick(mpi, list, count, PEAL_PICK_ONE, true, NULL) ? req_find_picked(list) : -1;
    int ready = first_ready(mpi, list, count);

    if (ready >= 0)
        return ready;
    req_poll(mpi, list, count, 1);
    return first_ready(mpi, list, count);
}

MPI_FUNCTION(int, Test, MPI_Request *request, int *flag, MPI_Status *status)
{
    struct mpi *mpi = ENTER(Test);
    struct mpi_request *found;

    TRY(find_one(mpi, request, &found));
    NEED(flag);
    *flag = 1;
    if (!found) {
        status_empty(status);
        return MPI_SUCCESS;
    }
    *flag = is_ready_now(mpi, found, NULL);
    return *flag ? req_finish(mpi, found, request, status) : MPI_SUCCESS;
}

MPI_FUNCTION(int, Testall, int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct mpi *mpi = ENTER(Testall);
    struct mpi_request **list, *few[FEW_REQUESTS];
    int open, done, error = MPI_SUCCESS;

    TRY(req_find_all(mpi, count, requests, few, &list, &open));
    NEED(flag);
    if (mpi->picks) {
        *flag = open == 0 || pick(mpi, list, count, PEAL_PICK_ALL, true, NULL);
    } else {
        req_poll(mpi, list, count, open);
        *flag = count_ready(mpi, list, count) == open;
    }
    if (*flag)
        error = finish_all(mpi, list, count, requests, &done, NULL, statuses);
    list_free(mpi, list, few);
    return error;
}

MPI_FUNCTION(int, Testany, int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    struct mpi *mpi = ENTER(Testany);
    struct mpi_request **list, *few[FEW_REQUESTS];
    int open, error = MPI_SUCCESS;

    TRY(req_find_all(mpi, count, requests, few, &list, &open));
    NEED(index, flag);
    int ready = open ? test_any(mpi, list, count) : -1;

    *flag = open == 0 || ready >= 0;
    *index = ready >= 0 ? ready : MPI_UNDEFINED;
    if (ready >= 0)
        error = req_finish(mpi, list[ready], &requests[ready], status);
    else if (open == 0)
        status_empty(status);
    list_free(mpi, list, few);
    return error;
}

/* MPI_Waitsome and MPI_Testsome. */
static int
finish_some(struct mpi *mpi, int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[],
            bool tests)
{
    struct mpi_request **list, *few[FEW_REQUESTS];
    int open, error = MPI_SUCCESS;
    bool some = true;

    TRY(req_find_all(mpi, count, requests, few, &list, &open));
    NEED(outcount);
    *outcount = MPI_UNDEFINED;
    if (open > 0 && mpi->picks) {
        *outcount = 0;
        some = pick(mpi, list, count, PEAL_PICK_SOME, tests, NULL);
    } else if (open > 0 && tests) {
        req_poll(mpi, list, count, 1);
    } else if (open > 0) {
        await_any(mpi, list, count);
    }
    for (int i = 0; i < count && !mpi->picks; i++)
        if (list[i] && !req_is_ready(mpi, list[i]))
            list[i] = NULL;
    if (open > 0 && some)
        error = finish_all(mpi, list, count, requests, outcount, indices, statuses);
    list_free(mpi, list, few);
    return error;
}

MPI_CALL(Waitsome, (int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]),
         finish_some(mpi, count, requests, outcount, indices, statuses, false));
MPI_CALL(Testsome, (int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]),
         finish_some(mpi, count, requests, outcount, indices, statuses, true));

/* The program may use the buffers of a request that is complete. */
static void
give_buffers(struct mpi *mpi, struct mpi_request *request)
{
    held_give(mpi, &request->holds);
    if (request->send)
        held_give(mpi, &request->send->holds);
    if (request->access)
        access_give(mpi, request->access);
    if (request->pending)
        icoll_unguard(mpi, request->pending, !request->pending->error);
}

MPI_FUNCTION(int, Request_get_status, MPI_Request request, int *flag, MPI_Status *status)
{
    struct mpi *mpi = ENTER(Request_get_status);
    struct mpi_request *found;
    struct peal_envelope came = {.cancelled = false};

    TRY(find_one(mpi, &request, &found));
    NEED(flag);
    *flag = 1;
    if (!found) {
        status_empty(status);
        return MPI_SUCCESS;
    }
    *flag = is_ready_now(mpi, found, &came);
    if (!*flag)
        return MPI_SUCCESS;
    if (found->general)
        return general_query(found, status);
    bool receives = found->end.post.kind == PEAL_POST_RECEIVE;

    if (!found->nothing && (receives || found->cancels) && !mpi->picks)
        peal_is_complete_at(found->end.comm->view, found->handle, &came, mpi->file, mpi->line);
    if (found->nothing) {
        status_nobody(status);
    } else if (came.cancelled) {
        status_empty(status);
        if (status != MPI_STATUS_IGNORE)
            status->peal_cancelled = 1;
    } else if (receives) {
        vclock_receive(mpi, &came, false, 0);
        held_compare(mpi, found->holds);
        if (found->copy)
            bounds_look_came(mpi, &found->end.data, came.delivered, found->end.site);
        data_unpack(mpi, &found->end.data, found->copy, came.delivered);
        found->copy = NULL;
        status_set(status, comm_peer_rank(found->end.comm, came.source), came.tag, came.delivered);
    } else {
        status_empty(status);
    }
    give_buffers(mpi, found);
    return MPI_SUCCESS;
}
