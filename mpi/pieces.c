/* SPDX-License-Identifier: MIT */
/* Data as pieces of memory: few of them, or long ones, go from and to their places; others are packed. */
#include "mpi/pieces.h"
#include <string.h>

enum { LONG_PIECE = 128 }; /* bytes, from which on a piece is cheaper than packing */

/* A list of pieces that is being made. */
struct maker {
    struct mpi *mpi;
    struct piece_list *way;
    struct peal_piece *list;
    size_t room;
    bool all;       /* short ones too */
    bool has_short; /* one of those that cannot grow any more is short */
    bool gave_up;
};

static void
widen(struct maker *maker)
{
    struct peal_piece *more = mpi_scratch(maker->mpi, 2 * maker->room * sizeof *more);

    memcpy(more, maker->list, maker->room * sizeof *more);
    mpi_free(maker->mpi, maker->way->list);
    maker->list = maker->way->list = more;
    maker->room *= 2;
}

static void
add(struct maker *maker, char *at, size_t bytes)
{
    struct piece_list *way = maker->way;
    struct peal_piece *last = way->count ? &maker->list[way->count - 1] : NULL;

    if (bytes == 0 || maker->gave_up)
        return;
    if (last && (char *)last->data + last->words == at) {
        last->words += bytes;
        return;
    }
    maker->has_short |= last && last->words < LONG_PIECE;
    if (!maker->all && maker->has_short && way->count == FEW_PIECES) {
        maker->gave_up = true;
        return;
    }
    if ((size_t)way->count == maker->room)
        widen(maker);
    maker->list[way->count++] = (struct peal_piece){at, bytes};
}

static void
add_element(struct maker *maker, const struct type *type, char *at)
{
    if (type->solid) {
        add(maker, at + type->true_lb, type->size);
        return;
    }
    for (size_t p = 0; p < type->part_count && !maker->gave_up; p++) {
        const struct type_part *part = &type->parts[p];
        char *first = at + part->offset;

        if (part->of->solid && part->stride == (ptrdiff_t)part->of->size) {
            add(maker, first + part->of->true_lb, part->count * part->of->size);
            continue;
        }
        for (size_t i = 0; i < part->count && !maker->gave_up; i++)
            add_element(maker, part->of, first + (ptrdiff_t)i * part->stride);
    }
}

/* List the data's pieces in way->pieces; false where they are many and not all long, unless `all` are wanted. */
static bool
make(struct mpi *mpi, const struct typed_data *data, bool all, struct piece_list *way)
{
    struct maker maker = {.mpi = mpi, .way = way, .list = way->few, .room = FEW_PIECES, .all = all};

    way->list = NULL;
    way->count = 0;
    for (size_t i = 0; i < data->count && !maker.gave_up; i++)
        add_element(&maker, data->type, data->buffer + (ptrdiff_t)i * type_extent(data->type));
    if (way->count > FEW_PIECES && !all)
        maker.gave_up |= maker.has_short || maker.list[way->count - 1].words < LONG_PIECE;
    way->pieces = maker.list;
    if (!maker.gave_up)
        return true;
    mpi_free(mpi, way->list);
    way->list = NULL;
    return false;
}

void
way_find(struct mpi *mpi, const struct typed_data *data, bool sends, struct piece_list *way)
{
    way->list = NULL;
    way->copy = NULL;
    if (data->bytes > 0 && make(mpi, data, false, way))
        return;
    way->few[0].data = sends ? data_packed(mpi, data, &way->copy) : data_place(mpi, data, &way->copy);
    way->few[0].words = data->bytes;
    way->pieces = way->few;
    way->count = 1;
}

void
way_pieces(struct mpi *mpi, const struct typed_data *data, struct piece_list *way)
{
    way->copy = NULL;
    make(mpi, data, true, way);
}
