/* SPDX-License-Identifier: MIT */
/* Bundles as lists of pieces.
 *
 * A span is at most two runs of neighbouring ranks (it may wrap round the end of its row).  In a bundle's memory a run is
 * contiguous, for a bundle keeps the order of its own span, and a part that is sent on either shares that order or lies
 * within one run of it.  The own block may cut a run in two.  So a message has at most four pieces. */
#include "blocks.h"
#include <peal/collective.h>
#include <assert.h>
#include <string.h>

enum { MAX_PIECES = 4 };

struct span
span_from(int root, int nodes, int l, int r)
{
    return (struct span){.base = 0, .extent = nodes, .start = root, .first = l, .end = r};
}

struct bundle
bundle_of_root(const struct peal_node *me, const void *x, size_t m)
{
    return (struct bundle){
        .span = span_from(0, peal_size(me), 0, peal_size(me)), .m = m, .blocks = (void *)x, .own = peal_rank(me)};
}

struct bundle
bundle_with_room(struct peal_node *me, struct span span, size_t m, const void *own_block)
{
    int others = span.end - span.first - 1;

    return (struct bundle){.span = span,
                           .m = m,
                           .blocks = others > 0 ? peal_scratch(me, (size_t)(others + 1) * m) : NULL,
                           .own = peal_rank(me),
                           .own_block = (void *)own_block};
}

/* Where the block of `rank` lies. */
static void *
place_of(const struct bundle *bundle, int rank, size_t word_bytes)
{
    const struct span *span = &bundle->span;
    int number = (rank - span->base - span->start + span->extent) % span->extent;

    if (rank == bundle->own && bundle->own_block != NULL)
        return bundle->own_block;
    assert(number >= span->first && number < span->end);
    if (bundle->blocks == NULL)
        return NULL; /* blocks of no words */
    return (char *)bundle->blocks + (size_t)(number - span->first) * bundle->m * word_bytes;
}

/* Add the blocks of ranks a .. b-1, which are neighbours in memory, to the list of `count` pieces; give the new count. */
static int
add_run(const struct bundle *bundle, int a, int b, struct peal_piece *pieces, int count, size_t word_bytes)
{
    struct peal_piece *last = pieces + count - 1;
    char *place;

    if (a >= b)
        return count;
    place = place_of(bundle, a, word_bytes);
    if (count > 0 && (char *)last->data + last->words * word_bytes == place) {
        last->words += (size_t)(b - a) * bundle->m;
        return count;
    }
    pieces[count] = (struct peal_piece){.data = place, .words = (size_t)(b - a) * bundle->m};
    return count + 1;
}

/* The same where the own block may lie apart. */
static int
add_ranks(const struct bundle *bundle, int a, int b, struct peal_piece *pieces, int count, size_t word_bytes)
{
    int own = bundle->own;

    if (bundle->own_block == NULL || own < a || own >= b)
        return add_run(bundle, a, b, pieces, count, word_bytes);
    count = add_run(bundle, a, own, pieces, count, word_bytes);
    count = add_run(bundle, own, own + 1, pieces, count, word_bytes);
    return add_run(bundle, own + 1, b, pieces, count, word_bytes);
}

static int
pieces_of(const struct bundle *bundle, struct span part, struct peal_piece *pieces, size_t word_bytes)
{
    int length = part.end - part.first;
    int begin = (part.start + part.first) % part.extent;
    int before = begin + length <= part.extent ? length : part.extent - begin; /* the end of the row */
    int count = 0;

    count = add_ranks(bundle, part.base + begin, part.base + begin + before, pieces, count, word_bytes);
    count = add_ranks(bundle, part.base, part.base + length - before, pieces, count, word_bytes);
    assert(count <= MAX_PIECES);
    return count;
}

void
bundle_send(struct peal_node *me, const struct bundle *bundle, struct span part, int dest)
{
    struct peal_piece pieces[MAX_PIECES];
    int count = pieces_of(bundle, part, pieces, peal_word_bytes(me));

    peal_wait(me, peal_sendv_async(me, pieces, count, dest));
}

void
bundle_recv(struct peal_node *me, const struct bundle *bundle, struct span part, int source)
{
    struct peal_piece pieces[MAX_PIECES];
    int count = pieces_of(bundle, part, pieces, peal_word_bytes(me));

    peal_wait(me, peal_recvv_async(me, pieces, count, source));
}

struct peal_piece
parts_of(const struct peal_node *me, const void *x, size_t n, int l, int r)
{
    size_t begin = peal_block_begin(n, peal_size(me), l), end = peal_block_begin(n, peal_size(me), r);

    return (struct peal_piece){
        .data = x == NULL ? NULL : (char *)x + begin * peal_word_bytes(me), .words = end - begin};
}

struct peal_piece
part_of(const struct peal_node *me, const void *x, size_t n, int block)
{
    int nodes = peal_size(me);

    block = (block % nodes + nodes) % nodes;
    return parts_of(me, x, n, block, block + 1);
}

void
block_copy(const struct peal_node *me, void *to, const void *from, size_t m)
{
    if (m > 0)
        memcpy(to, from, m * peal_word_bytes(me));
}

void
rest(struct peal_node *me, int rounds)
{
    while (rounds-- > 0)
        peal_next_round(me);
}

int
ceiling_log2(int nodes)
{
    int q = 0;

    while (q < 31 && (INT64_C(1) << q) < nodes)
        q++;
    return q;
}
