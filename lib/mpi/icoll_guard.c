/* SPDX-License-Identifier: MIT */
/* The buffers of nonblocking collectives, in strict runs: the collective receives into a copy, so that what the program writes into
 * its buffer meanwhile is seen.  Those of neighbours, and of types of each block, are not watched. */
#include "lib/mpi/active.h"
#include "lib/mpi/finding.h"
#include "lib/mpi/icoll.h"
#include <string.h>

enum { MOST_GAPS = 65536 }; /* bytes between the pieces that the copy may have, beside twice its data */

/* Remember one of the call's buffers; wrong arguments are the strand's to report. */
static void
add(struct mpi *mpi, struct pending *pending, const void *buffer, ptrdiff_t count, MPI_Datatype handle, bool writes)
{
    struct type *type = type_find(mpi, handle);

    if (!type || count <= 0)
        return;
    const struct data data = {(char *)(uintptr_t)buffer, (size_t)count, type, (size_t)count * type->size};
    struct active *active = active_open(mpi, &data, writes, mpi->call, mpi->file, pending);

    if (active)
        pending->uses[pending->use_count++] = active;
}

/* A block for each node of the group. */
static void
add_blocks(struct mpi *mpi, struct pending *pending, bool writes)
{
    const struct coll_args *a = &pending->args;
    const int *counts = writes ? a->receive_counts : a->send_counts;
    const int *displs = writes ? a->receive_displs : a->send_displs;
    MPI_Datatype handle = writes ? a->receive_type : a->send_type;
    uintptr_t buffer = (uintptr_t)(writes ? a->receive : a->send);
    const struct type *type = type_find(mpi, handle);
    int size = pending->of->size;

    if (!a->unequal)
        add(mpi, pending, (void *)buffer, (ptrdiff_t)(writes ? a->receive_count : a->send_count) * size, handle,
            writes);
    for (int i = 0; a->unequal && type && counts && displs && i < size; i++)
        add(mpi, pending, (void *)(buffer + (uintptr_t)(displs[i] * type_extent(type))), counts[i], handle, writes);
}

static void
add_moved(struct mpi *mpi, struct pending *pending)
{
    const struct coll_args *a = &pending->args;
    bool root = pending->of->rank == a->root, in_place = a->send == MPI_IN_PLACE,
         gathers = pending->carry_out == coll_gather || pending->carry_out == coll_gatherv,
         scatters = pending->carry_out == coll_scatter || pending->carry_out == coll_scatterv,
         sends_one = gathers || pending->carry_out == coll_allgather;

    if (sends_one && !in_place)
        add(mpi, pending, a->send, a->send_count, a->send_type, false);
    else if (!in_place && (!scatters || root))
        add_blocks(mpi, pending, false);
    if (scatters && a->receive != MPI_IN_PLACE)
        add(mpi, pending, a->receive, a->receive_count, a->receive_type, true);
    else if (!scatters && (!gathers || root))
        add_blocks(mpi, pending, true);
}

static void
add_reduced(struct mpi *mpi, struct pending *pending)
{
    const struct coll_args *a = &pending->args;
    bool in_place = a->send == MPI_IN_PLACE, blocks = pending->carry_out == coll_reduce_blocks,
         takes = pending->carry_out == coll_reduce ? pending->of->rank == a->root
                                                   : blocks || a->which != PEAL_EXSCAN || pending->of->rank > 0;
    ptrdiff_t all = a->receive_count, own = a->receive_count;

    if (blocks && a->receive_counts) {
        all = 0;
        own = a->receive_counts[pending->of->rank];
        for (int i = 0; i < pending->of->size; i++)
            all += a->receive_counts[i];
    } else if (blocks) {
        all *= pending->of->size;
    }
    if (!in_place)
        add(mpi, pending, a->send, all, a->receive_type, false);
    if (takes)
        add(mpi, pending, a->receive, in_place ? all : own, a->receive_type, true);
}

static void
add_all(struct mpi *mpi, struct pending *pending)
{
    const struct coll_args *a = &pending->args;
    coll_function carry_out = pending->carry_out;

    if (carry_out == coll_broadcast)
        add(mpi, pending, a->receive, a->receive_count, a->receive_type, pending->of->rank != a->root);
    else if (carry_out == coll_reduce || carry_out == coll_reduce_everywhere || carry_out == coll_reduce_blocks)
        add_reduced(mpi, pending);
    else if (carry_out == coll_gather || carry_out == coll_gatherv || carry_out == coll_scatter ||
             carry_out == coll_scatterv || carry_out == coll_allgather || carry_out == coll_alltoall)
        add_moved(mpi, pending);
}

/* Copy what the call receives from the program's places to the copy, or back. */
static void
copy_pieces(const struct pending *pending, bool back)
{
    for (int i = 0; i < pending->use_count; i++) {
        const struct span *span = &pending->uses[i]->span;

        for (int j = 0; j < span->count && pending->uses[i]->writes; j++) {
            char *end, *own = span_piece(span, j, &end), *there = pending->copy + (own - pending->first);

            memcpy(back ? own : there, back ? there : own, (size_t)(end - own));
        }
    }
}

void
icoll_guard(struct mpi *mpi, struct pending *pending)
{
    char *first = NULL, *last = NULL;
    size_t bytes = 0;

    if (!finding_strict() || pending->of->inter)
        return;
    pending->uses = mpi_alloc(mpi, 2 * (1 + (size_t)pending->of->size) * sizeof(struct active *));
    add_all(mpi, pending);
    for (int i = 0; i < pending->use_count; i++) {
        const struct active *active = pending->uses[i];

        if (!active->writes)
            continue;
        first = !first || active->span.begin < first ? active->span.begin : first;
        last = active->span.end > last ? active->span.end : last;
        bytes += active->data.bytes;
    }
    if (bytes == 0 || (size_t)(last - first) > 3 * bytes + MOST_GAPS)
        return;
    pending->first = first;
    pending->copy = mpi_alloc(mpi, (size_t)(last - first));
    copy_pieces(pending, false);
    pending->args.receive = (char *)((uintptr_t)pending->args.receive - (uintptr_t)first + (uintptr_t)pending->copy);
}

void
icoll_unguard(struct mpi *mpi, struct pending *pending, bool complete)
{
    for (int i = 0; complete && i < pending->use_count; i++)
        if (!pending->uses[i]->writes || pending->copy)
            active_compare(mpi, pending->uses[i]);
    if (complete && pending->copy)
        copy_pieces(pending, true);
    for (int i = 0; i < pending->use_count; i++)
        active_close(mpi, pending->uses[i], false);
    mpi_free(mpi, pending->copy);
    mpi_free(mpi, pending->uses);
}
