/* SPDX-License-Identifier: MIT */
/* Requests that are given up: cancelled, or freed before they are complete. */
#include "mpi/p2p/mpi_request.h"
#include "mpi/window/win.h"

MPI_FUNCTION(int, Cancel, MPI_Request *request)
{
    struct mpi *mpi = ENTER(Cancel);

    NEED(request);
    FIND_REQUEST(found, *request);
    if (!found->active)
        return mpi_error(mpi, found->end.comm, MPI_ERR_REQUEST, "the request was not started");
    if (found->pending)
        return mpi_error(mpi, found->end.comm, MPI_ERR_REQUEST, "a collective cannot be cancelled");
    if (found->general)
        return general_cancel(found->general);
    if (found->send)
        return mpi_error(mpi, found->end.comm, MPI_ERR_REQUEST, "a request of both directions cannot be cancelled");
    found->cancels = true;
    found->short_way = false;
    if (!found->nothing)
        peal_cancel_at(found->end.comm->view, found->handle, mpi->file, mpi->line);
    return MPI_SUCCESS;
}

/* No call will unpack the data: it is received in its places. */
static void
let_go(struct mpi *mpi, struct mpi_request *request)
{
    const struct message_end *end = &request->end;
    struct piece_list list;

    if (request->copy && end->post.kind == PEAL_POST_RECEIVE) {
        struct peal_envelope came;

        pieces_all(mpi, &end->data, &list);
        if (peal_redirect_at(end->comm->view, request->handle, list.pieces, list.count, mpi->file, mpi->line))
            mpi_free(mpi, request->copy);
        else if (peal_is_complete_at(end->comm->view, request->handle, &came, mpi->file, mpi->line))
            data_unpack(mpi, &end->data, request->copy, came.delivered);
        pieces_posted(mpi, &list);
    }
    request->copy = NULL; /* of a send: the machine's until the end of the run */
    peal_detach_at(end->comm->view, request->handle, mpi->file, mpi->line);
}

MPI_FUNCTION(int, Request_free, MPI_Request *request)
{
    struct mpi *mpi = ENTER(Request_free);

    NEED(request);
    FIND_REQUEST(found, *request);
    if (found->pending)
        return mpi_error(mpi, found->end.comm, MPI_ERR_REQUEST,
                         "the request of a collective cannot be freed: wait for it");
    *request = MPI_REQUEST_NULL;
    if (found->general)
        return general_give_up(mpi, found);
    if (found->active && !found->send && !request_has_no_handle(found) && found->end.post.kind == PEAL_POST_RECEIVE &&
        finding_strict() && !peal_is_complete_at(found->end.comm->view, found->handle, NULL, mpi->file, mpi->line))
        notes_freed(mpi, &found->end);
    if (found->access)
        win_access_free(found->access);
    else if (found->active && !found->nothing && !found->of_window)
        let_go(mpi, found);
    if (found->send && !found->send->nothing)
        let_go(mpi, found->send);
    request_free(mpi, found);
    return MPI_SUCCESS;
}
