/* SPDX-License-Identifier: MIT */
/* Control messages over MPI, and what all processes do together.  Compiled once for each MPI there is. */
#include "lib/cluster/wire_mpi.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ control messages */

static void
control_reap(struct mpi_wire *wire)
{
    for (struct control_msg **at = &wire->control_msgs; *at;) {
        struct control_msg *control = *at;
        int done = 0;

        MPI_Test(&control->request, &done, MPI_STATUS_IGNORE);
        if (done) {
            *at = control->next;
            free(control);
        } else {
            at = &control->next;
        }
    }
}

bool
control_post(struct wire *public, int dest, int kind, const void *bytes, size_t count)
{
    struct mpi_wire *wire = wire_mpi_of(public);
    struct control_msg *control = malloc(sizeof *control + count);

    if (!control || count > INT_MAX) {
        free(control);
        return false;
    }
    if (count > 0)
        memcpy(control->bytes, bytes, count);
    if (MPI_Isend(control->bytes, (int)count, MPI_BYTE, dest, kind, wire->control, &control->request) != MPI_SUCCESS) {
        free(control);
        return false;
    }
    control->next = wire->control_msgs;
    wire->control_msgs = control;
    return true;
}

void *
control_look(struct wire *public, int *source, int *kind, size_t *count)
{
    struct mpi_wire *wire = wire_mpi_of(public);
    MPI_Message message;
    MPI_Status status;
    int there = 0, bytes = 0;

    if (wire->control_msgs)
        control_reap(wire);
    if (MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, wire->control, &there, &message, &status) != MPI_SUCCESS || !there)
        return NULL;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    char *control = malloc((size_t)bytes + 1);

    MPI_Mrecv(control, bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    *source = status.MPI_SOURCE;
    *kind = status.MPI_TAG;
    *count = (size_t)bytes;
    return control;
}

/* ------------------------------------------------------------------ all processes together */

bool
control_gather_begin(struct wire *public, uint32_t context, const int mine[2], int *all)
{
    struct mpi_wire *wire = wire_mpi_of(public);

    return MPI_Iallgather(mine, 2, MPI_INT, all, 2, MPI_INT, wire->contexts[context], &wire->gathering) == MPI_SUCCESS;
}

bool
control_gather_done(struct wire *public)
{
    int done = 0;

    MPI_Test(&wire_mpi_of(public)->gathering, &done, MPI_STATUS_IGNORE);
    return done;
}

bool
control_meet_begin(struct wire *public)
{
    return MPI_Ibarrier(wire_mpi_of(public)->control, &wire_mpi_of(public)->meeting) == MPI_SUCCESS;
}

bool
control_meet_done(struct wire *public)
{
    int done = 0;

    MPI_Test(&wire_mpi_of(public)->meeting, &done, MPI_STATUS_IGNORE);
    return done;
}

void
control_broadcast(struct wire *public, void *bytes, size_t count, int root)
{
    enum { MAX = 1 << 30 };

    for (size_t done = 0; done < count; done += MAX) {
        MPI_Request request;

        MPI_Ibcast((char *)bytes + done, count - done < MAX ? (int)(count - done) : MAX, MPI_BYTE, root,
                   wire_mpi_of(public)->control, &request);
        wire_mpi_finish(public, &request);
    }
}

/* The processes' bytes one after another, where they are too many for one call. */
static void
exchange_apart(struct wire *wire, const void *bytes, const size_t *counts, char *all)
{
    for (int rank = 0; rank < wire->size; all += counts[rank++]) {
        if (rank == wire->rank && counts[rank] > 0)
            memcpy(all, bytes, counts[rank]);
        control_broadcast(wire, all, counts[rank], rank);
    }
}

char *
control_exchange(struct wire *public, const void *bytes, size_t count, size_t *counts)
{
    int size = public->size, *lengths = malloc(2 * (size_t)size * sizeof *lengths), *begins = lengths + size;
    MPI_Request request;
    size_t sum = 0;
    char *all = NULL;

    MPI_Iallgather(&count, sizeof count, MPI_BYTE, counts, sizeof count, MPI_BYTE, wire_mpi_of(public)->control,
                   &request);
    wire_mpi_finish(public, &request);
    for (int rank = 0; rank < size; rank++)
        sum += counts[rank];
    if (!lengths || !(all = malloc(sum + 1)))
        goto out;
    if (sum > INT_MAX) {
        exchange_apart(public, bytes, counts, all);
        goto out;
    }
    for (int rank = 0, begin = 0; rank < size; begin += lengths[rank++]) {
        begins[rank] = begin;
        lengths[rank] = (int)counts[rank];
    }
    if (sum > 0) {
        MPI_Iallgatherv(bytes, (int)count, MPI_BYTE, all, lengths, begins, MPI_BYTE, wire_mpi_of(public)->control,
                        &request);
        wire_mpi_finish(public, &request);
    }
out:
    free(lengths);
    return all;
}
