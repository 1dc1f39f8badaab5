/* SPDX-License-Identifier: MIT */
/* Finds data that are sent but that nobody has written.  Messages of a fixed length that are used only in part are
 * common: they give a note, and so does text, or a struct that is sent as bytes, if its first word was written. */
#include "mpi/call/mpi_advice.h"
#include "mpi/strict/held.h"
#include <peal/watch.h>

static const struct peal_rule unused = {
    "MPI 3.1, 3.2.2: a message holds all elements of its buffer",
    "fill the whole buffer before it is sent, or send only as many elements as were filled"};

/* Whether elements of the data may be left unwritten: the rest of a text, the gaps of a struct. */
static bool
is_loose(const struct type *type)
{
    return type->untyped || !type->basic || basic_types[type->basic].size < 4;
}

static void
data_report_unwritten(struct mpi *mpi, const struct byte_span *span, const void *first, size_t unwritten, size_t bytes,
                      bool note)
{
    char words[PEAL_BLOCK_TEXT] = "its stack";
    int rank = peal_world_rank(mpi->me);
    struct peal_block block = {.rank = -1};

    if (peal_block_find(mpi->me, first, mpi->file, &block))
        peal_block_text(mpi->me, &block, words);
    if (!note)
        peal_advise(mpi->me, PEAL_HINT(fill_first), rank);
    mpi_remark(mpi,
               &(struct remark){.kind = PEAL_UNINITIALISED_SEND,
                                .note = note,
                                .rule = note ? &unused : NULL,
                                .rank = block.code ? block.rank : -1,
                                .site = block.code},
               "node %d sends %zu bytes from %s; nobody has written %zu of them, the first at byte %td", rank, bytes,
               words, unwritten, (const char *)first - span->begin);
}

void
unwritten_look(struct mpi *mpi, const struct typed_data *data, const struct byte_span *span, bool writes)
{
    bool loose = is_loose(data->type);
    size_t size = basic_types[data->type->basic].size, unit = loose ? 8 : size == 8 ? 4 : size, unwritten = 0;
    const void *first = NULL, *other;

    for (int i = 0; i < span->count; i++) {
        char *end, *begin = span_piece(span, i, &end);

        if (writes)
            peal_watch_received(mpi->me, begin, (size_t)(end - begin), mpi->file);
        else
            unwritten += peal_watch_unwritten(begin, (size_t)(end - begin), unit, first ? &other : &first);
    }
    if (unwritten > 0 && (!loose || (const char *)first - span->begin < 8))
        data_report_unwritten(mpi, span, first, unwritten, data->bytes, unwritten * 2 < data->bytes);
}
