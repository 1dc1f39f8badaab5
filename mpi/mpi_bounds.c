/* SPDX-License-Identifier: MIT */
/* Finds data that end beyond the block of memory, or the variable, in which they begin. */
#include "mpi/mpi_bounds.h"
#include "mpi/finding.h"
#include "mpi/mpi_advice.h"
#include <peal/watch.h>
#include <stdio.h>
#include <string.h>

static const struct peal_rule outside = {
    "MPI 3.1, 3.2.2 and 4.1.12: a buffer holds as many elements as the call's count says, all in memory of the program",
    "make the block as large as the call's count and datatype say, or pass a count that fits it; counts and "
    "displacements are in elements of the datatype, not in bytes"};
static const struct peal_rule separate = {
    "MPI 3.1, 3.2.2: the elements of a buffer lie one behind the other in memory",
    "allocate the rows as one block: rows from separate calls of malloc are not neighbours"};

/* "a block of 64 bytes, which it allocated at rows.c:16, one of 8 alike", "a, a variable of 16 bytes". */
static void
describe(const struct mpi *mpi, const struct peal_block *block, int twins, char words[300])
{
    char place[100] = "", alike[40] = "";
    const char *file, *slash;
    int line;

    if (block->variable[0]) {
        snprintf(words, 300, "%s, a variable of %zu bytes", block->variable, block->bytes);
        return;
    }
    if (peal_code_line(mpi->me, block->code, &file, &line)) {
        slash = strrchr(file, '/');
        snprintf(place, sizeof place, " at %.80s:%d", slash ? slash + 1 : file, line);
    }
    if (twins > 1)
        snprintf(alike, sizeof alike, ", one of %d alike", twins);
    snprintf(words, 300, "a block of %zu byte%s, which %s allocated%s%s", block->bytes, block->bytes == 1 ? "" : "s",
             block->rank == peal_world_rank(mpi->me) ? "it" : "another node", place, alike);
}

/* Report data of so many bytes that the call has outside its block. */
static void
tell(struct mpi *mpi, const struct peal_block *block, size_t bytes, bool writes, bool contiguous, const char *where)
{
    int rank = peal_world_rank(mpi->me), twins = block->variable[0] ? 1 : peal_block_twins(mpi->me, block);
    bool rows = contiguous && twins > 1 && bytes % block->bytes == 0;
    char words[300];

    describe(mpi, block, twins, words);
    mpi_remark(
        mpi,
        &(struct remark){
            .kind = PEAL_OUT_OF_BOUNDS, .rule = rows ? &separate : &outside, .rank = block->rank, .site = block->code},
        "node %d %s %zu byte%s %s %s%s", rank, writes ? "receives" : "sends", bytes, bytes == 1 ? "" : "s",
        writes ? "into" : "from", words, where);
}

void
bounds_look(struct mpi *mpi, const struct byte_span *span, bool writes)
{
    size_t bytes = 0;
    char where[120];
    struct peal_block block, first, own;

    block.begin = first.begin = NULL;
    where[0] = '\0';
    for (int i = 0; i < span->count; i++) {
        char *end, *begin = span_piece(span, i, &end);

        bytes += (size_t)(end - begin);
        if (end == begin || block.begin)
            continue;
        if (!peal_block_find(mpi->me, begin, &own)) {
            if (!first.begin)
                continue;
            own = first;
        } else if (!first.begin && span->count > 1) {
            first = own;
        }
        if (begin >= own.begin && end <= own.begin + own.bytes)
            continue;
        block = own;
        if (span->count > 1)
            snprintf(where, sizeof where, "; the piece of %zu bytes at its byte %td is not all inside it",
                     (size_t)(end - begin), begin - own.begin);
        else if (begin > own.begin)
            snprintf(where, sizeof where, ", from its byte %zu on", (size_t)(begin - own.begin));
    }
    if (block.begin)
        tell(mpi, &block, bytes, writes, span->count == 1, where);
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
