/* SPDX-License-Identifier: MIT */
/* Spans of memory. */
#include "mpi/strict/span.h"
#include "mpi/p2p/pieces.h"
#include <peal/watch.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 8 };

static int
by_address(const void *a, const void *b)
{
    const struct peal_piece *x = a, *y = b;

    return x->data < y->data ? -1 : x->data > y->data;
}

void
span_open(struct mpi *mpi, const struct typed_data *data, struct byte_span *span)
{
    struct piece_list list;

    if (data_is_one_piece(data)) {
        char *begin = data->buffer + data->type->true_lb;

        *span = (struct byte_span){begin, begin + data->bytes, NULL, 1};
        return;
    }
    *span = (struct byte_span){.pieces = NULL};
    pieces_all(mpi, data, &list);
    if (list.count > 1) {
        size_t bytes = (size_t)list.count * sizeof *list.pieces;
        struct peal_piece *pieces = memcpy(mpi_scratch(mpi, bytes), list.pieces, bytes);

        qsort(pieces, (size_t)list.count, sizeof *pieces, by_address);
        *span = (struct byte_span){pieces[0].data, pieces[0].data, pieces, list.count};
        for (int i = 0; i < list.count; i++) {
            char *end = (char *)pieces[i].data + pieces[i].words;

            span->end = end > span->end ? end : span->end;
        }
    } else if (list.count == 1) {
        *span = (struct byte_span){list.pieces[0].data, (char *)list.pieces[0].data + list.pieces[0].words, NULL, 1};
    }
    pieces_posted(mpi, &list);
}

void
span_receive(struct mpi *mpi, struct byte_span *span)
{
    struct peal_piece one = {span->begin, (size_t)(span->end - span->begin)};
    struct peal_piece *pieces = span->pieces ? (struct peal_piece *)(uintptr_t)span->pieces : &one;

    peal_watch_receive(mpi->me, pieces, span->count, mpi->file);
    span->end = span->begin;
    for (int i = 0; i < span->count; i++) {
        char *end = (char *)pieces[i].data + pieces[i].words;

        span->end = end > span->end ? end : span->end;
    }
}

void
span_fini(struct mpi *mpi, struct byte_span *span)
{
    mpi_free(mpi, (struct peal_piece *)(uintptr_t)span->pieces);
}

bool
span_keep(const struct byte_span *span, struct byte_span *kept)
{
    size_t bytes = (size_t)span->count * sizeof *span->pieces;

    *kept = *span;
    if (!span->pieces)
        return true;
    kept->pieces = malloc(bytes);
    return kept->pieces && memcpy((struct peal_piece *)(uintptr_t)kept->pieces, span->pieces, bytes);
}

char *
span_piece(const struct byte_span *span, int i, char **end)
{
    char *begin = span->pieces ? span->pieces[i].data : span->begin;

    *end = span->pieces ? begin + span->pieces[i].words : span->end;
    return begin;
}

size_t
span_overlap(const struct byte_span *a, const struct byte_span *b)
{
    size_t bytes = 0;
    char *a_end, *b_end;

    if (a->begin >= b->end || b->begin >= a->end)
        return 0;
    for (int i = 0, j = 0; i < a->count && j < b->count;) {
        char *a_begin = span_piece(a, i, &a_end), *b_begin = span_piece(b, j, &b_end);
        char *begin = a_begin > b_begin ? a_begin : b_begin, *end = a_end < b_end ? a_end : b_end;

        if (begin < end)
            bytes += (size_t)(end - begin);
        if (a_end < b_end)
            i++;
        else
            j++;
    }
    return bytes;
}

/* ------------------------------------------------------------------ sets */

/* How many of the set begin before the address. */
static size_t
count_before(const struct spans *spans, const char *at)
{
    size_t low = 0, high = spans->count;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (spans->list[mid]->begin < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Reuse the places before the list. */
static void
slide(struct spans *spans)
{
    spans->list -= spans->skipped;
    memmove(spans->list, spans->list + spans->skipped, spans->count * sizeof *spans->list);
    spans->room += spans->skipped;
    spans->skipped = 0;
}

static bool
spans_widen(struct mpi *mpi, struct spans *spans)
{
    if (spans->skipped > 0)
        slide(spans);
    if (spans->count < spans->room / 2)
        return true;
    size_t room = spans->room ? 2 * spans->room : FIRST_ROOM;
    struct byte_span **list = mpi ? mpi_scratch(mpi, room * sizeof *list) : malloc(room * sizeof *list);

    if (!list)
        return false;
    if (spans->count > 0)
        memcpy(list, spans->list, spans->count * sizeof *list);
    if (mpi)
        mpi_free(mpi, spans->list);
    else
        free(spans->list);
    spans->list = list;
    spans->room = room;
    return true;
}

bool
spans_add(struct mpi *mpi, struct spans *spans, struct byte_span *span)
{
    size_t at = count_before(spans, span->begin), length = (size_t)(span->end - span->begin);

    if (spans->count == spans->room && !spans_widen(mpi, spans))
        return false;
    memmove(&spans->list[at + 1], &spans->list[at], (spans->count - at) * sizeof *spans->list);
    spans->list[at] = span;
    spans->count++;
    spans->longest = length > spans->longest ? length : spans->longest;
    return true;
}

void
spans_remove(struct spans *spans, const struct byte_span *span)
{
    size_t at = count_before(spans, span->begin);

    while (at < spans->count && spans->list[at] != span)
        at++;
    if (at == spans->count)
        return;
    spans->count--;
    if (at < spans->count - at) { /* what is first is removed first: the shorter side moves */
        memmove(&spans->list[1], spans->list, at * sizeof *spans->list);
        spans->list++;
        spans->room--;
        spans->skipped++;
    } else {
        memmove(&spans->list[at], &spans->list[at + 1], (spans->count - at) * sizeof *spans->list);
    }
    if (spans->count == 0)
        spans->longest = 0;
}

void
spans_fini(struct spans *spans)
{
    if (spans->list)
        free(spans->list - spans->skipped);
    *spans = (struct spans){.list = NULL};
}

size_t
spans_first(const struct spans *spans, const struct byte_span *span)
{
    return count_before(
        spans, (char *)((uintptr_t)span->begin > spans->longest ? (uintptr_t)span->begin - spans->longest : 0));
}
