/* SPDX-License-Identifier: MIT */
/* Data as pieces of memory: few of them, or long ones, go from and to their places; others are packed. */
#include "mpi/p2p/pieces.h"
#include <string.h>

enum { LONG_PIECE = 128 }; /* from this many bytes on a piece is cheaper than packing */

/* A list of pieces that is being made. */
struct maker {
    struct mpi *mpi;
    struct piece_list *list;
    struct peal_piece *pieces;
    size_t room;
    bool all;       /* short ones too */
    bool has_short; /* a finished piece is short */
    bool gave_up;
};

static void
pieces_widen(struct maker *maker)
{
    struct peal_piece *more = mpi_scratch(maker->mpi, 2 * maker->room * sizeof *more);

    memcpy(more, maker->pieces, maker->room * sizeof *more);
    mpi_free(maker->mpi, maker->list->many);
    maker->pieces = maker->list->many = more;
    maker->room *= 2;
}

static void
pieces_add(struct maker *maker, char *at, size_t bytes)
{
    struct piece_list *list = maker->list;
    struct peal_piece *last = list->count ? &maker->pieces[list->count - 1] : NULL;

    if (bytes == 0 || maker->gave_up)
        return;
    if (last && (char *)last->data + last->words == at) {
        last->words += bytes;
        return;
    }
    maker->has_short |= last && last->words < LONG_PIECE;
    if (!maker->all && maker->has_short && list->count == FEW_PIECES) {
        maker->gave_up = true;
        return;
    }
    if ((size_t)list->count == maker->room)
        pieces_widen(maker);
    maker->pieces[list->count++] = (struct peal_piece){at, bytes};
}

/* Add elements `stride` bytes apart. */
static void add_elements(struct maker *maker, const struct type *type, char *at, size_t count, ptrdiff_t stride);

static void
add_element(struct maker *maker, const struct type *type, char *at)
{
    if (type->solid) {
        pieces_add(maker, at + type->true_lb, type->size);
        return;
    }
    for (size_t p = 0; p < type->part_count && !maker->gave_up; p++) {
        const struct type_part *part = &type->parts[p];

        add_elements(maker, part->of, at + part->offset, part->count, part->stride);
    }
}

static void
add_elements(struct maker *maker, const struct type *type, char *at, size_t count, ptrdiff_t stride)
{
    if (type->solid && stride == (ptrdiff_t)type->size)
        pieces_add(maker, at + type->true_lb, count * type->size);
    else
        for (size_t i = 0; i < count && !maker->gave_up; i++)
            add_element(maker, type, at + (ptrdiff_t)i * stride);
}

/* List the data's pieces in list->pieces; false where they are many and not all long, unless `all` are wanted. */
static bool
pieces_make(struct mpi *mpi, const struct typed_data *data, bool all, struct piece_list *list)
{
    struct maker maker = {.mpi = mpi, .list = list, .pieces = list->few, .room = FEW_PIECES, .all = all};

    list->many = NULL;
    list->count = 0;
    add_elements(&maker, data->type, data->buffer, data->count, type_extent(data->type));
    if (list->count > FEW_PIECES && !all)
        maker.gave_up |= maker.has_short || maker.pieces[list->count - 1].words < LONG_PIECE;
    list->pieces = maker.pieces;
    if (!maker.gave_up)
        return true;
    mpi_free(mpi, list->many);
    list->many = NULL;
    return false;
}

void
pieces_find(struct mpi *mpi, const struct typed_data *data, bool sends, struct piece_list *list)
{
    list->many = NULL;
    list->copy = NULL;
    if (data->bytes > 0 && pieces_make(mpi, data, false, list))
        return;
    list->few[0].data = sends ? data_packed(mpi, data, &list->copy) : data_place(mpi, data, &list->copy);
    list->few[0].words = data->bytes;
    list->pieces = list->few;
    list->count = 1;
}

void
pieces_all(struct mpi *mpi, const struct typed_data *data, struct piece_list *list)
{
    list->copy = NULL;
    pieces_make(mpi, data, true, list);
}
