/* SPDX-License-Identifier: MIT */
/* The buffers of nonblocking collectives.  In strict runs the collective receives into a copy, so that the program's
 * writes into its buffer in the meantime are detected. */
#include "mpi/coll/icoll.h"
#include <string.h>

enum { MAX_GAPS = 65536 }; /* bytes of gaps that the copy may have, besides twice its data */

/* Copy the receive buffer from the program's places to the copy, or back. */
static void
copy_pieces(const struct pending_coll *pending, bool back)
{
    for (const struct buffer_hold *hold = pending->holds; hold; hold = hold->more)
        for (int i = 0; i < hold->span.count && hold->writes; i++) {
            char *end, *own = span_piece(&hold->span, i, &end), *there = pending->copy + (own - pending->first);

            memcpy(back ? own : there, back ? there : own, (size_t)(end - own));
        }
}

void
icoll_guard(struct mpi *mpi, struct pending_coll *pending)
{
    char *first = NULL, *last = NULL;
    size_t bytes = 0;

    coll_hold(mpi, pending->of, pending->carry_out, &pending->args, &pending->holds);
    if (!finding_strict())
        return;
    for (const struct buffer_hold *hold = pending->holds; hold; hold = hold->more) {
        if (!hold->writes)
            continue;
        first = !first || hold->span.begin < first ? hold->span.begin : first;
        last = hold->span.end > last ? hold->span.end : last;
        bytes += span_overlap(&hold->span, &hold->span);
    }
    if (bytes == 0)
        return;
    if ((size_t)(last - first) > 3 * bytes + MAX_GAPS) { /* changes may then be the collective's own */
        pending->holds->shared = true;
        return;
    }
    pending->first = first;
    pending->copy = mpi_alloc(mpi, (size_t)(last - first));
    copy_pieces(pending, false);
    pending->args.receive.at =
        (char *)((uintptr_t)pending->args.receive.at - (uintptr_t)first + (uintptr_t)pending->copy);
}

void
icoll_unguard(struct mpi *mpi, struct pending_coll *pending, bool complete)
{
    if (complete)
        held_compare(mpi, pending->holds);
    if (complete && pending->copy)
        copy_pieces(pending, true);
    held_give(mpi, &pending->holds);
    mpi_free(mpi, pending->copy);
    pending->copy = NULL;
}
