/* SPDX-License-Identifier: MIT */
/* Chooses the hint of <peal/hints.def> that fits a wrong argument. */
#include "mpi/call/mpi_advice.h"
#include "mpi/call/handle.h"
#include "mpi/comm/comm.h"
#include "mpi/type/type.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

const struct handle_words handle_kinds[KINDS] = {
    [KIND_COMM] = {"MPI_Comm", "is MPI_COMM_NULL", "is a communicator", "communicator", "MPI_Comm_free"},
    [KIND_GROUP] = {"MPI_Group", "is MPI_GROUP_NULL", "is a group", "group", "MPI_Group_free"},
    [KIND_TYPE] = {"MPI_Datatype", "is MPI_DATATYPE_NULL", "is a datatype", "datatype", "MPI_Type_free"},
    [KIND_REQUEST] = {"MPI_Request", "is MPI_REQUEST_NULL", "is a request", NULL, NULL},
    [KIND_MESSAGE] = {"MPI_Message", "is MPI_MESSAGE_NULL", "is a message", "message", "MPI_Mrecv"},
    [KIND_OP] = {"MPI_Op", "is MPI_OP_NULL", "is an operator", "operator", "MPI_Op_free"},
    [KIND_ERRHANDLER] = {"MPI_Errhandler", "is MPI_ERRHANDLER_NULL", "is an error handler", "error handler",
                         "MPI_Errhandler_free"},
    [KIND_INFO] = {"MPI_Info", "is MPI_INFO_NULL", "is an info object", "info object", "MPI_Info_free"},
    [KIND_WIN] = {"MPI_Win", "is MPI_WIN_NULL", "is a window", "window", "MPI_Win_free"},
    [KIND_FILE] = {"MPI_File", "is MPI_FILE_NULL", "is a file", NULL, NULL},
};

const char *
place_words(const struct mpi *mpi, const char *call, const char *site, char words[PLACE_WORDS])
{
    const char *file, *name;
    int line;

    if (!call || !site || !peal_code_line(mpi->me, site, &file, &line))
        return call;
    name = strrchr(file, '/');
    snprintf(words, PLACE_WORDS, "%s (%.80s:%d)", call, name ? name + 1 : file, line);
    return words;
}

/* ------------------------------------------------------------------ handles */

/* The handle is a null handle: MPI_COMM_NULL, ... */
static void
advise_null(const struct mpi *mpi, enum handle_kind kind)
{
    int rank = peal_world_rank(mpi->me);
    char words[PLACE_WORDS];

    if (kind == KIND_OP)
        peal_advise(mpi->me, PEAL_HINT(null_op));
    else if (kind == KIND_TYPE)
        peal_advise(mpi->me, PEAL_HINT(null_type));
    if (kind != KIND_COMM || !mpi->null_call)
        return;
    const char *from = place_words(mpi, mpi->null_call, mpi->null_site, words);

    if (mpi->null_freed)
        peal_advise(mpi->me, PEAL_HINT(null_after_free), from, rank);
    else
        peal_advise(mpi->me, PEAL_HINT(null_comm), from, rank,
                    mpi->null_undefined ? ", since its color is MPI_UNDEFINED there" : "", rank);
}

void
advise_handle(const struct mpi *mpi, enum handle_kind kind, uintptr_t handle)
{
    const struct handle_slot *slot = handle_slot(mpi, kind, handle);
    enum handle_kind other = (enum handle_kind)(handle >> KIND_SHIFT);
    char words[PLACE_WORDS];

    if (handle == (uintptr_t)kind << KIND_SHIFT)
        advise_null(mpi, kind);
    else if (slot && !slot->object && slot->generation == handle_generation(handle))
        peal_advise(mpi->me, kind == KIND_REQUEST ? PEAL_HINT(completed) : PEAL_HINT(freed),
                    place_words(mpi, slot->call, slot->site, words));
    else if (slot && handle_generation(handle) > 0 && handle_generation(handle) < slot->generation)
        return; /* freed long ago, and its slot reused */
    else if (other > 0 && other < KINDS && other != kind)
        peal_advise(mpi->me, PEAL_HINT(other_kind), handle_kinds[other].type, mpi->call, handle_kinds[kind].type);
    else if (handle != 0 && (handle >> (KIND_SHIFT > 32 ? 32 : KIND_SHIFT) == 0 || handle >> 31 == UINTPTR_MAX >> 31))
        peal_advise(mpi->me, PEAL_HINT(int), handle_kinds[kind].type);
    else if (kind == KIND_REQUEST)
        peal_advise(mpi->me, PEAL_HINT(unset_request), peal_world_rank(mpi->me));
    else
        peal_advise(mpi->me, PEAL_HINT(unset), peal_world_rank(mpi->me), handle_kinds[kind].type);
}

void
advise_uncommitted(const struct mpi *mpi, uintptr_t handle)
{
    const struct handle_slot *slot = handle_slot(mpi, KIND_TYPE, handle);
    char words[PLACE_WORDS];

    if (slot)
        peal_advise(mpi->me, PEAL_HINT(uncommitted), place_words(mpi, slot->call, slot->site, words));
}

/* ------------------------------------------------------------------ numbers, buffers */

void
advise_root(const struct mpi *mpi, const struct comm *comm, int rank)
{
    int size = comm_peers(comm);

    if (comm != mpi->world && rank > 0 && rank < mpi->world->size)
        peal_advise(mpi->me, PEAL_HINT(rank_of_world), rank, size);
    else if (rank >= size && rank < INT_MAX)
        peal_advise(mpi->me, PEAL_HINT(root_too_great), size, size - 1, rank);
}

void
advise_partner(const struct mpi *mpi, const struct comm *comm, int rank, bool sends)
{
    if (comm->inter)
        advise_root(mpi, comm, rank);
    else
        peal_advise_partner(comm->view, rank, sends,
                            sends ? "leave the call out, or name MPI_PROC_NULL"
                                  : "leave the call out, or name MPI_PROC_NULL (for any sender MPI_ANY_SOURCE)");
}

void
advise_count(const struct mpi *mpi, int count)
{
    if (count == MPI_UNDEFINED)
        peal_advise(mpi->me, PEAL_HINT(count_undefined));
    else if (count < -1000000)
        peal_advise(mpi->me, PEAL_HINT(count_overflow));
}

void
advise_null_buffer(const struct mpi *mpi)
{
    peal_advise(mpi->me, PEAL_HINT(null_buffer), peal_world_rank(mpi->me));
}

void
advise_op(const struct mpi *mpi, const char *op, const struct type *type)
{
    if (!type->number)
        peal_advise(mpi->me, PEAL_HINT(op_derived));
    else if (strcmp(op, "MPI_MAXLOC") == 0 || strcmp(op, "MPI_MINLOC") == 0)
        peal_advise(mpi->me, PEAL_HINT(op_pairs), op);
    else if (strncmp(op, "MPI_B", 5) == 0)
        peal_advise(mpi->me, PEAL_HINT(op_bits), op);
}

void
advise_own_block(const struct mpi *mpi, const struct comm *comm, const struct typed_data *sent,
                 const struct typed_data *received)
{
    size_t size = (size_t)comm->size;
    char last = mpi->call[strlen(mpi->call) - 1];
    bool lists = last == 'v' || last == 'w'; /* of counts, one per node */

    if (!lists && received->bytes == size * sent->bytes && received->count % size == 0)
        peal_advise(mpi->me, PEAL_HINT(own_recvcount_total), received->count / size, received->count);
    else if (!lists && sent->bytes == size * received->bytes && sent->count % size == 0)
        peal_advise(mpi->me, PEAL_HINT(own_sendcount_total), sent->count / size, sent->count);
    else
        peal_advise(mpi->me, PEAL_HINT(own_block));
}

/* ------------------------------------------------------------------ MPI_IN_PLACE */

/* Whether this is a call of the collective, in its blocking or its nonblocking form. */
static bool
advice_is_call_of(const char *call, const char *name)
{
    return strcmp(call + 4, name) == 0 || (call[4] == 'I' && strcasecmp(call + 5, name) == 0);
}

void
advise_in_place(const struct mpi *mpi)
{
    static const char *const rooted[] = {"Gather", "Gatherv", "Reduce"}, *const scatters[] = {"Scatter", "Scatterv"};
    static const char *const all[] = {"Allgather", "Allgatherv", "Allreduce", "Reduce_scatter", "Reduce_scatter_block",
                                      "Scan",      "Exscan",     "Alltoall",  "Alltoallv",      "Alltoallw"};
    static const char *const others[] = {"send", "Send", "ecv",   "Reduce_local", "ack",       "Put",
                                         "Rput", "Get_", "Rget_", "Raccumulate",  "Accumulate"};

    for (size_t i = 0; i < sizeof rooted / sizeof *rooted; i++)
        if (advice_is_call_of(mpi->call, rooted[i]))
            peal_advise(mpi->me, PEAL_HINT(in_place_root));
    for (size_t i = 0; i < sizeof scatters / sizeof *scatters; i++)
        if (advice_is_call_of(mpi->call, scatters[i]))
            peal_advise(mpi->me, PEAL_HINT(in_place_scatter));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (advice_is_call_of(mpi->call, all[i]))
            peal_advise(mpi->me, PEAL_HINT(in_place_all));
    if (advice_is_call_of(mpi->call, "Bcast"))
        peal_advise(mpi->me, PEAL_HINT(in_place_none));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strstr(mpi->call, others[i]))
            peal_advise(mpi->me, PEAL_HINT(in_place_message));
}
