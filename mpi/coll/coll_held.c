/* SPDX-License-Identifier: MIT */
/* The buffers that a collective uses, which a nonblocking one holds until it is complete, lists of counts and
 * displacements included (MPI 3.1, section 5.12).  Those of intercommunicators are not checked. */
#include "mpi/call/mpi_advice.h"
#include "mpi/coll/coll.h"
#include "mpi/comm/topo.h"
#include "mpi/strict/finding.h"
#include "mpi/strict/held.h"
#include <stdlib.h>
#include <string.h>

/* The number of blocks of each side. */
enum held_side {
    NONE,
    ONE,
    ONE_AT_ROOT,
    ALL, /* one for each node */
    ALL_AT_ROOT,
    NEAR, /* one for each neighbour */
};

static const struct held_shape {
    coll_function carry_out;
    enum held_side sends, receives;
} shapes[] = {
    {coll_broadcast, NONE, ONE}, /* the root sends from it */
    {coll_gather, ONE, ALL_AT_ROOT},   {coll_gatherv, ONE, ALL_AT_ROOT}, {coll_scatter, ALL_AT_ROOT, ONE},
    {coll_scatterv, ALL_AT_ROOT, ONE}, {coll_allgather, ONE, ALL},       {coll_alltoall, ALL, ALL},
    {coll_alltoallw, ALL, ALL},        {coll_reduce, ONE, ONE_AT_ROOT},  {coll_reduce_everywhere, ONE, ONE},
    {coll_neighbours, NEAR, NEAR},
};

/* One side of a call. */
struct buffer {
    struct coll_side side;
    int blocks;
    const int *peers; /* of neighbours, or NULL */
};

/* Hold data, or, if holds is NULL, check whether other operations hold them; `in_place`: they are sent, too. */
static void
coll_held_use(struct mpi *mpi, const char *at, ptrdiff_t count, struct type *type, bool writes, bool in_place,
              struct buffer_hold **holds)
{
    const struct typed_data data = {.buffer = (char *)(uintptr_t)at,
                                    .count = (size_t)count,
                                    .type = type,
                                    .bytes = (size_t)count * (type ? type->size : 0)};

    if (!type || count <= 0)
        return;
    if (in_place)
        held_sends_in_place(mpi, &data);
    if (holds)
        held_take(mpi, &data, writes, COLLECTIVE, holds);
    else
        held_look(mpi, &data, writes, COLLECTIVE);
}

/* Block i of a side; false: it has no data. */
static bool
find_block(struct mpi *mpi, const struct buffer *buffer, int i, struct typed_data *block)
{
    const struct coll_side *side = &buffer->side;
    struct type *type = type_find(mpi, side->types ? side->types[i] : side->type);
    ptrdiff_t extent = type ? type_extent(type) : 0;
    ptrdiff_t offset = side->places   ? side->places[i]
                       : side->displs ? side->displs[i] * (side->types ? 1 : extent)
                                      : (ptrdiff_t)i * side->count * extent;
    int count = side_count(side, i);

    if (!type || (side->counts && !side->displs && !side->places) || count <= 0 || type->size == 0 ||
        (buffer->peers && buffer->peers[i] == MPI_PROC_NULL))
        return false;
    *block = (struct typed_data){(char *)side->at + offset, (size_t)count, type, (size_t)count * type->size};
    return true;
}

/* Hold the blocks of a side. */
static void
take_blocks(struct mpi *mpi, const struct buffer *buffer, bool writes, bool in_place, struct buffer_hold **holds)
{
    const struct coll_side *side = &buffer->side;
    size_t blocks = (size_t)buffer->blocks;

    if (!side->at || side->at == MPI_IN_PLACE)
        return;
    if (!side->counts && !side->types && !buffer->peers) {
        coll_held_use(mpi, side->at, (ptrdiff_t)side->count * buffer->blocks, type_find(mpi, side->type), writes,
                      in_place, holds);
        return;
    }
    for (int i = 0; i < buffer->blocks; i++) {
        struct typed_data block;

        if (!find_block(mpi, buffer, i, &block))
            continue;
        bounds_look_beyond(mpi, side->at, i, &block, writes);
        coll_held_use(mpi, block.buffer, (ptrdiff_t)block.count, block.type, writes, false, holds);
    }
    if (!holds)
        return;
    held_take_bytes(mpi, side->counts, blocks * sizeof *side->counts, COLLECTIVE, holds);
    held_take_bytes(mpi, side->displs, blocks * sizeof *side->displs, COLLECTIVE, holds);
    held_take_bytes(mpi, side->places, blocks * sizeof *side->places, COLLECTIVE, holds);
    held_take_bytes(mpi, side->types, blocks * sizeof *side->types, COLLECTIVE, holds);
}

/* ------------------------------------------------------------------ buffers of one call */

enum { MAX_STRETCHES = 1 << 20 }; /* of a call, roughly; longer ones are not checked */

/* A piece of a block, without gaps. */
struct held_stretch {
    const char *begin, *end;
    int block;
};

static int
coll_held_by_begin(const void *a, const void *b)
{
    const char *one = ((const struct held_stretch *)a)->begin, *other = ((const struct held_stretch *)b)->begin;

    return (one > other) - (one < other);
}

/* The pieces of all blocks of a side, by address; scratch. */
static struct held_stretch *
coll_held_find_stretches(struct mpi *mpi, const struct buffer *side, int *count)
{
    size_t room = (size_t)side->blocks;
    struct held_stretch *all = mpi_scratch(mpi, room * sizeof *all);
    struct typed_data block;
    struct byte_span span;

    *count = 0;
    for (int i = 0; i < side->blocks; i++) {
        if (!find_block(mpi, side, i, &block))
            continue;
        span_open(mpi, &block, &span);
        if ((size_t)*count + (size_t)span.count > room && room < MAX_STRETCHES) {
            struct held_stretch *before = all;

            room = 2 * room + (size_t)span.count;
            all = memcpy(mpi_scratch(mpi, room * sizeof *all), before, (size_t)*count * sizeof *all);
            mpi_free(mpi, before);
        }
        for (int j = 0; j < span.count && (size_t)*count < room; j++) {
            char *end, *begin = span_piece(&span, j, &end);

            all[(*count)++] = (struct held_stretch){begin, end, i};
        }
        span_fini(mpi, &span);
    }
    qsort(all, (size_t)*count, sizeof *all, coll_held_by_begin);
    return all;
}

/* Report places into which two blocks of a call would be received (5.5, 5.8). */
static void
coll_held_compare_blocks(struct mpi *mpi, const struct held_stretch *all, int count, const char *whose)
{
    const struct held_stretch none = {NULL, NULL, -1}, *last = &none, *other = &none; /* last to end, of two blocks */

    for (int i = 0; i < count; i++) {
        const struct held_stretch *before = all[i].block == last->block ? other : last;

        if (all[i].begin < before->end) {
            int low = all[i].block < before->block ? all[i].block : before->block;

            peal_advise(mpi->me, PEAL_HINT(blocks_overlap));
            mpi_find(mpi, PEAL_INVALID_ARGUMENT, -1, NULL, "the blocks of %s %d and %d overlap in recvbuf", whose, low,
                     all[i].block + before->block - low);
            return;
        }
        if (all[i].end > last->end) {
            other = all[i].block == last->block ? other : last;
            last = &all[i];
        } else if (all[i].block != last->block && all[i].end > other->end) {
            other = &all[i];
        }
    }
}

/* There are two buffers, and one is so long that it reaches into the other. */
static void
advise_reach(struct mpi *mpi, const struct buffer *sends, const struct buffer *receives)
{
    if (!bounds_advise_gaps(mpi, sends->side.type) && !bounds_advise_gaps(mpi, receives->side.type))
        peal_advise(mpi->me, PEAL_HINT(buffers_reach));
}

/* Report memory that a call both sends from and receives into (2.3). */
static void
coll_held_compare_sides(struct mpi *mpi, const struct buffer *sends, const struct buffer *receives)
{
    int out, in;

    if (!finding_strict() || !receives->side.at || receives->side.at == MPI_IN_PLACE || receives->blocks == 0)
        return;
    struct held_stretch *to = coll_held_find_stretches(mpi, receives, &in);

    coll_held_compare_blocks(mpi, to, in, receives->peers ? "neighbours" : "ranks");
    if (sends->side.at && sends->side.at != MPI_IN_PLACE && sends->blocks > 0) {
        const struct held_stretch *from = coll_held_find_stretches(mpi, sends, &out);

        for (int i = 0, j = 0; i < out && j < in;)
            if (from[i].end <= to[j].begin) {
                i++;
            } else if (to[j].end <= from[i].begin) {
                j++;
            } else {
                if ((sends->blocks == 1 && receives->blocks == 1 && sends->side.at != receives->side.at) ||
                    bounds_apart(mpi, sends->side.at, receives->side.at))
                    advise_reach(mpi, sends, receives);
                else
                    advise_in_place(mpi);
                mpi_find(mpi, PEAL_INVALID_ARGUMENT, -1, NULL, "sendbuf and recvbuf overlap");
                break;
            }
        mpi_free(mpi, (void *)(uintptr_t)from);
    }
    mpi_free(mpi, to);
}

/* ------------------------------------------------------------------ calls */

/* The number of blocks that this node has on a side. */
static int
count_blocks(enum held_side side, const struct comm *c, int root, int near)
{
    switch (side) {
    case NONE:
        return 0;
    case ALL:
        return c->size;
    case ONE_AT_ROOT:
        return c->rank == root;
    case ALL_AT_ROOT:
        return c->rank == root ? c->size : 0;
    case NEAR:
        return near;
    case ONE:
        break;
    }
    return 1;
}

/* A reduction's input is as long as all its results; without its own buffer it lies where they do. */
static void
take_scattered(struct mpi *mpi, const struct comm *c, const struct coll_args *args, struct buffer_hold **holds)
{
    const struct coll_side *result = &args->receive;
    struct type *type = type_find(mpi, result->type);
    int own = side_count(result, c->rank);
    ptrdiff_t total = 0;

    for (int i = 0; i < c->size; i++)
        total += side_count(result, i);
    if (args->send.at == MPI_IN_PLACE) {
        coll_held_use(mpi, result->at, total, type, true, true, holds);
    } else {
        struct coll_side in = {.at = args->send.at, .count = (int)total, .type = result->type},
                         out = {.at = result->at, .count = own, .type = result->type};

        coll_held_compare_sides(mpi, &(struct buffer){in, 1, NULL}, &(struct buffer){out, 1, NULL});
        coll_held_use(mpi, args->send.at, total, type, false, false, holds);
        coll_held_use(mpi, result->at, own, type, true, false, holds);
    }
    if (holds)
        held_take_bytes(mpi, result->counts, (size_t)c->size * sizeof(int), COLLECTIVE, holds);
}

static void
take_sides(struct mpi *mpi, const struct comm *c, const struct held_shape *shape, const struct coll_args *args,
           struct buffer_hold **holds)
{
    struct neighbours near = {0};
    bool finds = shape->receives == NEAR && neighbours_find(mpi, c, &near);
    bool gives = shape->sends == NONE && c->rank == args->root; /* the root of a broadcast */
    enum held_side from = args->to_all ? ONE : shape->sends;
    struct buffer sends = {args->send, count_blocks(from, c, args->root, near.out),
                           from == NEAR ? near.destinations : NULL},
                  receives = {args->receive, count_blocks(shape->receives, c, args->root, near.in),
                              shape->receives == NEAR ? near.sources : NULL};

    if (!args->send.type && !args->send.types) {
        sends.side.count = args->receive.count;
        sends.side.type = args->receive.type;
    }
    if (args->which == PEAL_EXSCAN && shape->carry_out == coll_reduce_everywhere && c->rank == 0) {
        receives.blocks = 0; /* rank 0 has no result */
        if (args->send.at == MPI_IN_PLACE)
            sends.side.at = args->receive.at;
    }
    if (!args->op)
        notes_moved(mpi, type_find(mpi, receives.side.type));
    coll_held_compare_sides(mpi, &sends, &receives);
    if (sends.blocks > 0)
        take_blocks(mpi, &sends, false, false, holds);
    if (receives.blocks > 0)
        take_blocks(mpi, &receives, !gives, args->op && args->send.at == MPI_IN_PLACE, holds);
    if (finds)
        neighbours_fini(mpi, &near);
}

void
coll_hold(struct mpi *mpi, const struct comm *c, coll_function carry_out, const struct coll_args *args,
          struct buffer_hold **holds)
{
    if (!held_wanted() || c->inter)
        return;
    if (carry_out == coll_reduce_blocks)
        take_scattered(mpi, c, args, holds);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].carry_out == carry_out)
            take_sides(mpi, c, &shapes[i], args, holds);
}
