/* SPDX-License-Identifier: MIT */
/* Generalized requests: the program completes them and gives their status. */
#include "mpi/mpi_request.h"

MPI_FUNCTION(int, Grequest_start, MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
             MPI_Grequest_cancel_function *cancel_fn, void *extra_state, MPI_Request *request)
{
    struct mpi *mpi = ENTER(Grequest_start);

    NEED(query_fn);
    NEED(free_fn);
    NEED(cancel_fn);
    NEED(request);
    struct mpi_request *made = request_of(mpi, mpi->world, PEAL_POST_SEND, PEAL_NO_HANDLE);

    made->general = mpi_alloc(mpi, sizeof *made->general);
    *made->general = (struct general){.query = query_fn, .free = free_fn, .cancel = cancel_fn, .extra = extra_state};
    *request = made->own;
    return MPI_SUCCESS;
}

/* The end of one that is complete, of which the program has its status. */
static int
release(struct mpi *mpi, struct mpi_request *request)
{
    int error = request->general->free(request->general->extra);

    mpi_free(mpi, request->general);
    request->general = NULL;
    return error;
}

MPI_FUNCTION(int, Grequest_complete, MPI_Request request)
{
    struct mpi *mpi = ENTER(Grequest_complete);
    FIND_REQUEST(found, request);

    if (!found->general)
        return mpi_error(mpi, found->end.comm, MPI_ERR_REQUEST,
                         "the request is of %s: only generalized requests are "
                         "completed by the program",
                         found->end.call);
    if (found->general->complete)
        return mpi_error(mpi, found->end.comm, MPI_ERR_REQUEST, "the request is complete already");
    found->general->complete = true;
    if (!found->general->given_up)
        return MPI_SUCCESS;
    int error = release(mpi, found);

    request_free(mpi, found);
    return error;
}

int
general_query(const struct mpi_request *request, MPI_Status *status)
{
    MPI_Status own;

    status_empty(&own);
    int error = request->general->query(request->general->extra, &own);

    if (status != MPI_STATUS_IGNORE)
        *status = own;
    return error;
}

void
general_refuse(struct mpi *mpi)
{
    mpi_fail(mpi, PEAL_DEADLOCK,
             "waits for a generalized request that is not complete: only this node can call "
             "MPI_Grequest_complete, and it waits");
}

int
general_finish(struct mpi *mpi, struct mpi_request *request, MPI_Status *status)
{
    if (!request->general->complete)
        general_refuse(mpi);
    int error = general_query(request, status), of_free = release(mpi, request);

    return error ? error : of_free;
}

int
general_give_up(struct mpi *mpi, struct mpi_request *request)
{
    int error = MPI_SUCCESS;

    if (request->general->complete) {
        error = release(mpi, request);
        request_free(mpi, request);
    } else {
        request->general->given_up = true;
    }
    return error;
}
