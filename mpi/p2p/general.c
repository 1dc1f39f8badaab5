/* SPDX-License-Identifier: MIT */
/* Generalized requests: the program completes them and gives their status. */
#include "mpi/p2p/mpi_request.h"

MPI_FUNCTION(int, Grequest_start, MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
             MPI_Grequest_cancel_function *cancel_fn, void *extra_state, MPI_Request *request)
{
    struct mpi *mpi = ENTER(Grequest_start);

    NEED(query_fn, free_fn, cancel_fn, request);
    struct mpi_request *made = request_of(mpi, mpi->world, PEAL_POST_SEND, PEAL_NO_HANDLE);

    made->general = mpi_alloc(mpi, sizeof *made->general);
    *made->general = (struct general){.outside = mpi->outside ? mpi : NULL,
                                      .query = query_fn,
                                      .free = free_fn,
                                      .cancel = cancel_fn,
                                      .extra = extra_state,
                                      .fortran = mpi->fortran};
    *request = made->own;
    return MPI_SUCCESS;
}

/* Call the program's functions: those in Fortran get their arguments by address. */
static int
general_call_free(struct general *general)
{
    typedef void function(void *extra, MPI_Fint *error);
    MPI_Fint error = MPI_SUCCESS;

    if (general->outside)
        return general->outside->outside->free(general->outside, general->free, general->extra);
    if (!general->fortran)
        return general->free(general->extra);
    ((function *)(void (*)(void))general->free)(&general->extra, &error);
    return error;
}

static int
call_query(struct general *general, MPI_Status *status)
{
    typedef void function(void *extra, MPI_Status *status, MPI_Fint *error);
    MPI_Fint error = MPI_SUCCESS;

    if (general->outside)
        return general->outside->outside->query(general->outside, general->query, general->extra, status);
    if (!general->fortran)
        return general->query(general->extra, status);
    ((function *)(void (*)(void))general->query)(&general->extra, status, &error);
    return error;
}

int
general_cancel(struct general *general)
{
    typedef void function(void *extra, MPI_Fint *complete, MPI_Fint *error);
    MPI_Fint complete = general->complete, error = MPI_SUCCESS;

    if (general->outside)
        return general->outside->outside->cancel(general->outside, general->cancel, general->extra, general->complete);
    if (!general->fortran)
        return general->cancel(general->extra, general->complete);
    ((function *)(void (*)(void))general->cancel)(&general->extra, &complete, &error);
    return error;
}

/* End a request that is complete, whose status the program has got. */
static int
general_release(struct mpi *mpi, struct mpi_request *request)
{
    int error = general_call_free(request->general);

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
    int error = general_release(mpi, found);

    request_free(mpi, found);
    return error;
}

int
general_query(const struct mpi_request *request, MPI_Status *status)
{
    MPI_Status own;

    status_empty(&own);
    int error = call_query(request->general, &own);

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
    int error = general_query(request, status), of_free = general_release(mpi, request);

    return error ? error : of_free;
}

int
general_give_up(struct mpi *mpi, struct mpi_request *request)
{
    int error = MPI_SUCCESS;

    if (request->general->complete) {
        error = general_release(mpi, request);
        request_free(mpi, request);
    } else {
        request->general->given_up = true;
    }
    return error;
}
