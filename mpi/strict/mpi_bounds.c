/* SPDX-License-Identifier: MIT */
/* Finds data that end beyond the block of memory, the variable, or the part of the stack in which they begin. */
#include "mpi/call/mpi_advice.h"
#include "mpi/p2p/pieces.h"
#include "mpi/strict/finding.h"
#include "mpi/strict/held.h"
#include <peal/watch.h>
#include <stdio.h>
#include <string.h>

static const struct peal_rule outside = {
    "MPI 3.1, 3.2.2 and 4.1.12: a buffer holds as many elements as the call's count says, all in memory of the program",
    NULL};
static const struct peal_rule separate = {"MPI 3.1, 3.2.2: the elements of a buffer lie one behind the other in memory",
                                          NULL};

static bool
knows_blocks(void)
{
    return finding_strict() || finding_watched;
}

/* The block with an address, which belongs to the same buffer as the byte `data`; false: none is known. */
static bool
bounds_block(struct mpi *mpi, const char *data, const char *address, struct peal_block *block)
{
    return mpi->outside ? mpi->outside->array(mpi, data, address, block)
                        : peal_block_find(mpi->me, address, mpi->file, block);
}

/* What peal_block_text does. */
static int
bounds_text(const struct mpi *mpi, struct peal_block *block, char words[PEAL_BLOCK_TEXT])
{
    if (!mpi->outside)
        return peal_block_text(mpi->me, block, words);
    snprintf(words, PEAL_BLOCK_TEXT, "%s%san array of %zu byte%s", block->name, block->name[0] ? ", " : "",
             block->bytes, block->bytes == 1 ? "" : "s");
    return 1;
}

/* ------------------------------------------------------------------ what would be right */

/* The block that begins with this byte; false: no allocated block does. */
static bool
begins_block(struct mpi *mpi, const void *address, struct peal_block *block)
{
    return address && peal_block_find(mpi->me, address, mpi->file, block) && block->kind == PEAL_BLOCK_ALLOCATED &&
           block->begin == address;
}

/* The value at the beginning of a block, taken as the address of another. */
static const char *
address_at(const char *begin)
{
    const char *address;

    memcpy(&address, begin, sizeof address);
    return address;
}

/* The block holds one or more addresses: the program passes a pointer to the pointer that it means. */
static bool
advise_address(struct mpi *mpi, const struct peal_block *block, const char *begin)
{
    struct peal_block other;

    if (begin < block->begin || (uintptr_t)begin % sizeof begin != 0 ||
        (size_t)(begin - block->begin) + sizeof begin > block->bytes || !begins_block(mpi, address_at(begin), &other))
        return false;
    if (block->kind == PEAL_BLOCK_ALLOCATED)
        peal_advise(mpi->me, PEAL_HINT(holds_addresses));
    else
        peal_advise(mpi->me, PEAL_HINT(holds_address), other.bytes);
    return true;
}

/* The types of pairs that programs take for the type of the first element. */
static bool
advise_pair(struct mpi *mpi, const struct type *type)
{
    static const struct {
        MPI_Datatype pair;
        const char *name, *first, *word;
    } pairs[] = {{MPI_LONG_INT, "MPI_LONG_INT", "MPI_LONG", "long"},
                 {MPI_SHORT_INT, "MPI_SHORT_INT", "MPI_SHORT", "short"},
                 {MPI_DOUBLE_INT, "MPI_DOUBLE_INT", "MPI_DOUBLE", "double"},
                 {MPI_FLOAT_INT, "MPI_FLOAT_INT", "MPI_FLOAT", "float"},
                 {MPI_LONG_DOUBLE_INT, "MPI_LONG_DOUBLE_INT", "MPI_LONG_DOUBLE", "long double"},
                 {MPI_2INT, "MPI_2INT", "MPI_INT", "int"}};

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (type->handle == pairs[i].pair) {
            peal_advise(mpi->me, PEAL_HINT(pair_type), pairs[i].name, type_extent(type), pairs[i].first, pairs[i].word);
            return true;
        }
    return false;
}

/* The data begin where they would if an element had the size of a handle. */
static bool
advise_element_bytes(struct mpi *mpi, const struct peal_block *block, const struct typed_data *data)
{
    ptrdiff_t at = data->buffer - block->begin, handle = sizeof(MPI_Datatype);
    ptrdiff_t right = at / handle * (ptrdiff_t)data->type->size;

    if (at <= 0 || at % (handle * (ptrdiff_t)data->count) != 0 || (ptrdiff_t)data->type->size >= handle ||
        !data->type->number || (size_t)right + data->bytes > block->bytes)
        return false;
    peal_advise(mpi->me, PEAL_HINT(element_bytes), (size_t)handle, data->type->size, right);
    return true;
}

/* Whether the call's count is that of one node, and the data may be those of all. */
static bool
counts_each(const struct mpi *mpi)
{
    return strstr(mpi->call, "ather") || strstr(mpi->call, "catter") || strstr(mpi->call, "lltoall");
}

/* The block is as long as one node's part. */
static bool
advise_each(struct mpi *mpi, const struct peal_block *block, const struct typed_data *data)
{
    size_t nodes = (size_t)mpi->world->size;

    if (!counts_each(mpi) || nodes < 2 || data->bytes != nodes * block->bytes ||
        block->bytes % (nodes * data->type->size) != 0)
        return false;
    peal_advise(mpi->me, PEAL_HINT(count_of_each), mpi->call, (ptrdiff_t)(block->bytes / nodes / data->type->size),
                (int)nodes);
    return true;
}

/* A count, or an allocation, that mistakes bytes for elements, or a pointer for what it points to. */
static bool
advise_bytes(struct mpi *mpi, const struct peal_block *block, const struct typed_data *data)
{
    size_t size = data->type->size, room = size > 0 ? block->bytes / size : 0;

    if (size > 1 && data->count == block->bytes && !counts_each(mpi))
        peal_advise(mpi->me, PEAL_HINT(count_in_bytes), room, room == 1 ? "" : "s", size);
    else if (block->kind == PEAL_BLOCK_ALLOCATED && block->bytes == sizeof(void *) && data->count > 1)
        peal_advise(mpi->me, PEAL_HINT(pointer_long));
    else
        return false;
    return true;
}

/* The type that a duplicate, or a row of elements, repeats: *count elements of it. */
static const struct type *
repeated(const struct type *type, size_t *count)
{
    while (!type->number &&
           (type->recipe.combiner == MPI_COMBINER_DUP || type->recipe.combiner == MPI_COMBINER_CONTIGUOUS)) {
        *count *= type->recipe.combiner == MPI_COMBINER_DUP ? 1 : (size_t)type->recipe.ints[0];
        type = type->recipe.types[0];
    }
    return type;
}

/* Whether the datatype has gaps, and the extent that MPI gave it: it was not resized. */
static bool
has_gaps(const struct type *type)
{
    const struct type *made = repeated(type, &(size_t){1});

    return !made->number && made->recipe.combiner != MPI_COMBINER_RESIZED && type->size > 0 &&
           type_extent(type) > (ptrdiff_t)type->size;
}

/* The elements would be inside if each began one piece after the previous one, as columns do. */
static bool
advise_extent(struct mpi *mpi, const struct peal_block *block, const struct typed_data *data,
              const struct byte_span *span)
{
    size_t count = data->count;
    const struct type *type = repeated(data->type, &count);
    char *end, *begin = span_piece(span, 0, &end);
    ptrdiff_t piece = end - begin, length = type->true_ub - type->true_lb;

    if (!has_gaps(type) || count < 2 || span->count < 2 || begin < block->begin ||
        begin + length > block->begin + block->bytes ||
        begin + length + (ptrdiff_t)(count - 1) * piece > block->begin + block->bytes)
        return false;
    peal_advise(mpi->me, PEAL_HINT(extent_of_columns), type_extent(type), piece);
    return true;
}

/* A block of a call with displacements would be inside if they counted basic elements, and not extents with gaps. */
static bool
advise_displacement(struct mpi *mpi, const struct peal_block *block, const struct typed_data *data)
{
    const struct type *type = data->type;
    ptrdiff_t extent = type_extent(type), at = data->buffer - block->begin,
              size = type->basic ? (ptrdiff_t)basic_types[type->basic].size : 0;

    if (!has_gaps(type) || mpi->call[strlen(mpi->call) - 1] != 'v' || at <= 0 || size == 0 || at % extent != 0 ||
        at / extent * size + type->true_ub > (ptrdiff_t)block->bytes)
        return false;
    peal_advise(mpi->me, PEAL_HINT(extent_of_blocks), extent, (size_t)size);
    return true;
}

/* The data would fit if they began some elements earlier in the block; or their one element has gaps, and is longer
 * than what is left of the block. */
static bool
advise_place(struct mpi *mpi, const struct peal_block *block, const struct typed_data *data,
             const struct byte_span *span)
{
    const struct type *type = data->type;
    const ptrdiff_t at = span->begin - block->begin, left = (ptrdiff_t)block->bytes - at,
                    length = span->end - span->begin, size = (ptrdiff_t)type->size, beyond = length - left;

    if (span->count > 1 && data->count == 1 && has_gaps(type) && at >= 0 && left > 0)
        peal_advise(mpi->me, PEAL_HINT(type_spans), length, left);
    else if (span->count == 1 && type->number && at > 0 && size > 0 && beyond % size == 0 &&
             length <= (ptrdiff_t)block->bytes)
        peal_advise(mpi->me, PEAL_HINT(begins_late), beyond / size, beyond == size ? "" : "s");
    else
        return false;
    return true;
}

bool
bounds_advise_gaps(struct mpi *mpi, MPI_Datatype datatype)
{
    const struct type *type = type_find(mpi, datatype);

    if (!type || !has_gaps(type))
        return false;
    peal_advise(mpi->me, PEAL_HINT(gaps_reach), type_extent(type));
    return true;
}

/* ------------------------------------------------------------------ reports */

/* Report the bytes that the call uses, "sends" and "from", outside their block; advice was already given. */
static void
bounds_report(struct mpi *mpi, const struct peal_rule *rule, const struct peal_block *block, const char *uses,
              size_t bytes, const char *how, const char *words, const char *where)
{
    int rank = peal_world_rank(mpi->me), line;
    const char *file;
    bool known = block->code && peal_code_line(mpi->me, block->code, &file, &line);

    mpi_remark(mpi,
               &(struct remark){
                   .kind = PEAL_OUT_OF_BOUNDS, .rule = rule, .rank = block->rank, .site = known ? block->code : NULL},
               "node %d %s %zu byte%s %s %s%s", rank, uses, bytes, bytes == 1 ? "" : "s", how, words, where);
}

/* Write "; element 4 of MPI_INT is the first outside it": in which element of the data the address lies. */
static int
write_element(char *text, size_t room, const struct typed_data *data, const char *address)
{
    const struct type *type = data->type;
    ptrdiff_t extent = type_extent(type), at = address - data->buffer - type->true_lb;
    ptrdiff_t length = type->true_ub - type->true_lb, i = 0;

    if (extent > 0 && at >= length)
        i = (at - length) / extent + 1;
    at -= i * extent;
    if (at < 0 || at >= length || i >= (ptrdiff_t)data->count)
        return 0;
    if (type->number && at == 0)
        return snprintf(text, room, "; element %td of %s is the first outside it", i, type_basic_name(type->number));
    return snprintf(text, room, "; byte %td of element %td%s%s is the first outside it", at, i,
                    type->number ? " of " : " of its datatype", type->number ? type_basic_name(type->number) : "");
}

/* Report a span whose piece from `begin` to `end` is not all in its block. */
static void
tell_piece(struct mpi *mpi, const struct typed_data *data, const struct byte_span *span, struct peal_block *block,
           const char *begin, const char *end, bool writes)
{
    char where[240] = "", words[PEAL_BLOCK_TEXT];
    int alike = bounds_text(mpi, block, words), used = 0;
    bool rows =
        span->count == 1 && alike > 2 && data->bytes % block->bytes == 0 && data->bytes / block->bytes <= (size_t)alike;
    const char *last = block->begin + block->bytes;

    if (alike == 0)
        return;
    if (span->count > 1)
        used = snprintf(where, sizeof where, "; the piece of %td bytes at its byte %td is not all inside", end - begin,
                        begin - block->begin);
    else if (begin > block->begin)
        used = snprintf(where, sizeof where, ", from its byte %td on", begin - block->begin);
    write_element(where + used, sizeof where - (size_t)used, data, begin > last ? begin : last);
    if (!advise_pair(mpi, data->type) && !advise_address(mpi, block, begin)) {
        if (rows)
            peal_advise(mpi->me, PEAL_HINT(rows_apart));
        else if (!advise_extent(mpi, block, data, span) && !advise_displacement(mpi, block, data) &&
                 !advise_each(mpi, block, data) &&
                 (mpi->outside || (!advise_element_bytes(mpi, block, data) && !advise_bytes(mpi, block, data) &&
                                   !advise_place(mpi, block, data, span))))
            peal_advise(mpi->me, mpi->outside && data->type->number ? PEAL_HINT(array_alone) : PEAL_HINT(larger_block));
    }
    bounds_report(mpi, rows ? &separate : &outside, block, writes ? "receives" : "sends", data->bytes,
                  writes ? "into" : "from", words, where);
}

/* ------------------------------------------------------------------ looked at */

/* A call that was checked, with data in a variable or on the stack: to find these again would take long. */
enum { SEEN = 64 };
struct bounds_seen {
    const char *call, *begin, *end;
};

static struct bounds_seen *
find_seen(struct mpi *mpi, const struct byte_span *span)
{
    uint64_t hash =
        ((uintptr_t)mpi->file ^ (uintptr_t)span->begin ^ (uintptr_t)span->end << 20) * UINT64_C(0x9E3779B97F4A7C15);

    return &mpi->seen[hash >> 32 & (SEEN - 1)];
}

static bool
was_seen(struct mpi *mpi, const struct byte_span *span)
{
    const struct bounds_seen *seen = mpi->seen ? find_seen(mpi, span) : NULL;

    return seen && seen->call == mpi->file && seen->begin == span->begin && seen->end == span->end;
}

static void
note_seen(struct mpi *mpi, const struct byte_span *span)
{
    if (!mpi->seen)
        mpi->seen = mpi_alloc(mpi, SEEN * sizeof *mpi->seen);
    *find_seen(mpi, span) = (struct bounds_seen){mpi->file, span->begin, span->end};
}

/* Whether displacements in the type are in bytes: programs take differences of addresses, and so join variables that
 * are not adjacent. */
static bool
is_in_bytes(const struct type *type) /* NOLINT(misc-no-recursion): as deep as the type */
{
    const struct recipe *recipe = &type->recipe;

    if (type->number)
        return false;
    switch (recipe->combiner) {
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_HINDEXED_BLOCK:
    case MPI_COMBINER_STRUCT:
        return true;
    default:
        break;
    }
    for (int i = 0; i < recipe->type_count; i++)
        if (is_in_bytes(recipe->types[i]))
            return true;
    return false;
}

static bool
bounds_is_inside(const struct peal_block *block, const char *begin, const char *end)
{
    return begin >= block->begin && end <= block->begin + block->bytes;
}

/* Report data that are not entirely in their blocks; gives whether they are known to be. */
static bool
look_inside(struct mpi *mpi, const struct typed_data *data, const struct byte_span *span, bool writes)
{
    struct peal_block blocks[2], *block = NULL; /* block: of the pieces so far */
    bool named = false, apart = span->count > 1 && is_in_bytes(data->type);

    for (int i = 0; i < span->count; i++) {
        char *end, *begin = span_piece(span, i, &end);

        if (end == begin || (block && bounds_is_inside(block, begin, end)))
            continue;
        if (!block || apart) {
            struct peal_block *found = block == blocks ? &blocks[1] : blocks;

            if (bounds_block(mpi, begin, begin, found))
                block = found;
            else if (!block || !data->buffer ||
                     mpi->outside) /* otherwise it lies behind the block of the piece before */
                continue;
        }
        named |= block->kind != PEAL_BLOCK_ALLOCATED;
        if (!bounds_is_inside(block, begin, end)) {
            tell_piece(mpi, data, span, block, begin, end, writes);
            return false;
        }
    }
    if (named && !mpi->outside) /* where another buffer may have its copy at the same address */
        note_seen(mpi, span);
    return block;
}

void
bounds_look(struct mpi *mpi, const struct typed_data *data, struct byte_span *span, bool writes)
{
    if (data->count > 1)
        notes_extent(mpi, data->type);
    if (knows_blocks() && !was_seen(mpi, span) && !look_inside(mpi, data, span, writes) && writes)
        span_receive(mpi, span);
}

void
bounds_look_came(struct mpi *mpi, const struct typed_data *data, size_t bytes, const char *site)
{
    struct piece_list list;

    if (!knows_blocks())
        return;
    pieces_all(mpi, data, &list);
    for (int i = 0; i < list.count && bytes > 0; i++) {
        size_t came = list.pieces[i].words < bytes ? list.pieces[i].words : bytes;

        peal_watch_came(mpi->me, list.pieces[i].data, came, site);
        bytes -= came;
    }
    pieces_posted(mpi, &list);
}

void
bounds_look_beyond(struct mpi *mpi, const void *base, int i, const struct typed_data *data, bool writes)
{
    struct peal_block block, other;
    char where[120], words[PEAL_BLOCK_TEXT];
    ptrdiff_t at, extent = type_extent(data->type), far = data->buffer - (const char *)base;
    const char *first = data->buffer + data->type->true_lb;

    if (!knows_blocks() || !bounds_block(mpi, first, base, &block) || block.kind == PEAL_BLOCK_FRAME)
        return;
    at = data->buffer - block.begin;
    if ((at >= 0 && (size_t)at < block.bytes) || bounds_block(mpi, first, data->buffer, &other) ||
        bounds_text(mpi, &block, words) == 0)
        return;
    snprintf(where, sizeof where, ": block %d of the call begins at byte %td, outside it", i, at);
    if (has_gaps(data->type) && far > 0 && data->type->basic)
        peal_advise(mpi->me, PEAL_HINT(extent_of_blocks), extent, basic_types[data->type->basic].size);
    else if (extent > 1 && far > 0 && far / extent % extent == 0 &&
             (size_t)(at - far + far / extent) + data->bytes <=
                 block.bytes) /* if it were in bytes, it would be inside */
        peal_advise(mpi->me, PEAL_HINT(displacement_bytes), extent, far / extent, far / extent / extent);
    else
        peal_advise(mpi->me, PEAL_HINT(larger_block));
    bounds_report(mpi, &outside, &block, writes ? "receives" : "sends", data->bytes, writes ? "into" : "from", words,
                  where);
}

void
bounds_look_window(struct mpi *mpi, const void *base, size_t bytes)
{
    static const struct peal_rule rule = {"MPI 3.1, 11.2.1 and 11.2.4: all of a window is memory of the program", NULL};
    const char *begin = base;
    struct peal_block block;
    char where[60] = "", words[PEAL_BLOCK_TEXT];

    if (!knows_blocks() || bytes == 0 || !peal_block_find(mpi->me, base, mpi->file, &block) ||
        bounds_is_inside(&block, begin, begin + bytes) || peal_block_text(mpi->me, &block, words) == 0)
        return;
    if (begin > block.begin)
        snprintf(where, sizeof where, ", from its byte %td on", begin - block.begin);
    peal_advise(mpi->me, PEAL_HINT(window_bytes));
    bounds_report(mpi, &rule, &block, "exposes", bytes, "of", words, where);
}

void
bounds_look_status(struct mpi *mpi, const void *status)
{
    static const struct peal_rule rule = {"MPI 3.1, 3.2.5: a status in Fortran is an array of MPI_STATUS_SIZE "
                                          "integers",
                                          NULL};
    const char *begin = status;
    struct peal_block block;
    char words[PEAL_BLOCK_TEXT];

    if (!knows_blocks() || !peal_block_find(mpi->me, status, mpi->file, &block) ||
        bounds_is_inside(&block, begin, begin + sizeof(MPI_Status)) || peal_block_text(mpi->me, &block, words) == 0)
        return;
    peal_advise(mpi->me, PEAL_HINT(status_array));
    bounds_report(mpi, &rule, &block, "receives", sizeof(MPI_Status), "into", words, ": they are the status");
}

bool
bounds_apart(struct mpi *mpi, const void *one, const void *other)
{
    struct peal_block a, b;

    return knows_blocks() && peal_block_find(mpi->me, one, mpi->file, &a) &&
           peal_block_find(mpi->me, other, mpi->file, &b) && a.begin != b.begin;
}

/* ------------------------------------------------------------------ memory for the program */

void *
bounds_alloc(struct mpi *mpi, size_t bytes, bool own)
{
    if (!knows_blocks())
        return mpi_alloc(mpi, bytes);
    void *memory = mpi_alloc(mpi, bytes + PEAL_BLOCK_BEHIND);

    peal_block_note(memory, bytes, mpi->file, own);
    return memory;
}

void
bounds_free(struct mpi *mpi, void *memory)
{
    if (memory && knows_blocks())
        peal_block_note(memory, 0, NULL, false);
    mpi_free(mpi, memory);
}
