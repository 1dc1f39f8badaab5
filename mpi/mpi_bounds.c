/* SPDX-License-Identifier: MIT */
/* Finds data that end beyond the block of memory, or the variable, in which they begin. */
#include "mpi/mpi_bounds.h"
#include "mpi/finding.h"
#include "mpi/node.h"
#include <peal/watch.h>
#include <stdio.h>

static const struct peal_rule outside = {
    "MPI 3.1, 3.2.2 and 4.1.12: a buffer holds as many elements as the call's count says, all in memory of the program",
    "make the block as large as the call's count and datatype say, or pass a count that fits it; counts and "
    "displacements are in elements of the datatype, not in bytes"};
static const struct peal_rule separate = {
    "MPI 3.1, 3.2.2: the elements of a buffer lie one behind the other in memory",
    "allocate the rows as one block: rows from separate calls of malloc are not neighbours"};

/* Report data of so many bytes that the call has outside its block. */
static void
tell(struct mpi *mpi, const struct peal_block *block, size_t bytes, bool writes, bool contiguous, const char *where)
{
    char words[PEAL_BLOCK_TEXT];
    int rank = peal_world_rank(mpi->me), alike = peal_block_text(mpi->me, block, words);
    bool rows = contiguous && alike > 1 && bytes % block->bytes == 0;

    mpi_remark(
        mpi,
        &(struct remark){
            .kind = PEAL_OUT_OF_BOUNDS, .rule = rows ? &separate : &outside, .rank = block->rank, .site = block->code},
        "node %d %s %zu byte%s %s %s%s", rank, writes ? "receives" : "sends", bytes, bytes == 1 ? "" : "s",
        writes ? "into" : "from", words, where);
}

/* Report a span whose piece from `begin` to `end` is not all in its block. */
static void
tell_piece(struct mpi *mpi, const struct byte_span *span, const struct peal_block *block, const char *begin,
           const char *end, bool writes)
{
    size_t bytes = 0;
    char where[100] = "";

    for (int i = 0; i < span->count; i++) {
        char *last, *first = span_piece(span, i, &last);

        bytes += (size_t)(last - first);
    }
    if (span->count > 1)
        snprintf(where, sizeof where, "; the piece of %td bytes at its byte %td is not all inside it", end - begin,
                 begin - block->begin);
    else if (begin > block->begin)
        snprintf(where, sizeof where, ", from its byte %td on", begin - block->begin);
    tell(mpi, block, bytes, writes, span->count == 1, where);
}

void
bounds_look(struct mpi *mpi, const struct byte_span *span, bool writes)
{
    struct peal_block block, found;

    block.begin = NULL;
    for (int i = 0; i < span->count; i++) {
        char *end, *begin = span_piece(span, i, &end);

        if (peal_block_find(mpi->me, begin, &found)) /* else it may lie beside the block of the piece before */
            block = found;
        if (end > begin && block.begin && (begin < block.begin || end > block.begin + block.bytes)) {
            tell_piece(mpi, span, &block, begin, end, writes);
            return;
        }
    }
}

void
bounds_look_beyond(struct mpi *mpi, const void *base, int i, const struct typed_data *data, bool writes)
{
    struct peal_block block, other;
    char where[120];
    ptrdiff_t at;

    if (!peal_block_find(mpi->me, base, &block) || peal_block_find(mpi->me, data->buffer, &other))
        return;
    at = data->buffer - block.begin;
    snprintf(where, sizeof where, ": block %d of the call begins at byte %td, outside it", i, at);
    tell(mpi, &block, data->bytes, writes, false, where);
}
