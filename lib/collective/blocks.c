/* SPDX-License-Identifier: MIT */
/* Bundles as lists of pieces.
 *
 * A span is at most two runs of neighbouring ranks (it may wrap round the end of its row).  In a bundle's memory a run
 * is contiguous: a bundle keeps the order of its own span, and a part sent onwards either shares that order or lies
 * within one run of it.  The node's own block may cut a run in two.  So a message has at most four pieces. */
#include "lib/collective/blocks.h"
#include "lib/base/unbacked.h"
#include <assert.h>
#include <string.h>

enum { MAX_PIECES = 4, SHORT_BLOCK = 128 };

/* ------------------------------------------------------------------ blocks of a vector */

struct peal_blocks
blocks_equal(size_t m)
{
    return (struct peal_blocks){.words = m};
}

struct peal_blocks
parts(const struct peal_node *me, size_t n)
{
    size_t nodes = (size_t)peal_size(me);

    return (struct peal_blocks){.words = n / nodes, .longer = n % nodes};
}

size_t
blocks_longest(const struct peal_node *me, const struct peal_blocks *blocks)
{
    size_t longest = 0;

    if (blocks->begins == NULL)
        return blocks->words + (blocks->longer > 0);
    for (int b = 0; b < peal_size(me); b++)
        if (peal_blocks_words(blocks, b) > longest)
            longest = peal_blocks_words(blocks, b);
    return longest;
}

size_t
blocks_all(const struct peal_node *me, const struct peal_blocks *blocks)
{
    return peal_blocks_begin(blocks, peal_size(me));
}

struct peal_piece
blocks_of(const struct peal_node *me, const void *x, const struct peal_blocks *blocks, int l, int r)
{
    size_t begin = peal_blocks_begin(blocks, l), end = peal_blocks_begin(blocks, r);

    return (struct peal_piece){.data = x == NULL ? NULL : (char *)x + begin * peal_word_bytes(me),
                               .words = end - begin};
}

struct peal_piece
block_of(const struct peal_node *me, const void *x, const struct peal_blocks *blocks, int b)
{
    int nodes = peal_size(me);

    b = (b % nodes + nodes) % nodes;
    return blocks_of(me, x, blocks, b, b + 1);
}

int
blocks_round(const struct peal_node *me, const void *x, const struct peal_blocks *blocks, int l, int count,
             struct peal_piece pieces[2])
{
    int nodes = peal_size(me), begin = (l % nodes + nodes) % nodes, end = begin + count;

    assert(count >= 0 && count <= nodes);
    pieces[0] = blocks_of(me, x, blocks, begin, end < nodes ? end : nodes);
    if (end <= nodes)
        return 1;
    pieces[1] = blocks_of(me, x, blocks, 0, end - nodes);
    return 2;
}

struct peal_piece
parts_of(const struct peal_node *me, const void *x, size_t n, int l, int r)
{
    struct peal_blocks cut = parts(me, n);

    return blocks_of(me, x, &cut, l, r);
}

struct peal_piece
part_of(const struct peal_node *me, const void *x, size_t n, int block)
{
    struct peal_blocks cut = parts(me, n);

    return block_of(me, x, &cut, block);
}

/* ------------------------------------------------------------------ bundles */

struct span
span_from(int root, int nodes, int l, int r)
{
    return (struct span){.base = 0, .extent = nodes, .start = root, .first = l, .end = r};
}

/* The words of the nodes numbered l .. r-1 of a span's row. */
static size_t
words_between(const struct span *span, const struct peal_blocks *blocks, int l, int r)
{
    int begin = (span->start + l) % span->extent, end = begin + (r - l);
    int turn = end < span->extent ? end : span->extent; /* the end of the row */
    size_t words;

    words = peal_blocks_begin(blocks, span->base + turn) - peal_blocks_begin(blocks, span->base + begin);
    if (end > turn)
        words += peal_blocks_begin(blocks, span->base + end - turn) - peal_blocks_begin(blocks, span->base);
    return words;
}

struct bundle
bundle_of_root(const struct peal_node *me, const void *x, const struct peal_blocks *blocks)
{
    return (struct bundle){.span = span_from(0, peal_size(me), 0, peal_size(me)),
                           .cut = blocks,
                           .blocks = (void *)x,
                           .own = peal_rank(me)};
}

struct bundle
bundle_with_room(struct peal_node *me, struct span span, const struct peal_blocks *blocks, const void *own_block)
{
    bool alone = span.end - span.first == 1, copied = !alone && blocks_are_short(me, blocks);

    return (struct bundle){.span = span,
                           .cut = blocks,
                           .blocks =
                               alone ? NULL : peal_scratch(me, words_between(&span, blocks, span.first, span.end)),
                           .own = peal_rank(me),
                           .own_block = copied ? NULL : (void *)own_block,
                           .home = copied ? (void *)own_block : NULL};
}

/* The number that a span gives to a rank of its row. */
static int
span_number(const struct span *span, int rank)
{
    return (rank - span->base - span->start + span->extent) % span->extent;
}

/* The address of the block of `rank`. */
static void *
bundle_place(const struct bundle *bundle, int rank, size_t word_bytes)
{
    const struct span *span = &bundle->span;
    int number = span_number(span, rank);

    if (rank == bundle->own && bundle->own_block != NULL)
        return bundle->own_block;
    assert(number >= span->first && number < span->end);
    if (bundle->blocks == NULL)
        return NULL; /* blocks of no words */
    return (char *)bundle->blocks + words_between(span, bundle->cut, span->first, number) * word_bytes;
}

/* Add the blocks of ranks a .. b-1, which are neighbours in memory, to the list of `count` pieces; return the new
 * count. */
static int
bundle_add_run(const struct bundle *bundle, int a, int b, struct peal_piece *pieces, int count, size_t word_bytes)
{
    struct peal_piece *last = pieces + count - 1;
    size_t words;
    char *place;

    if (a >= b)
        return count;
    place = bundle_place(bundle, a, word_bytes);
    words = peal_blocks_begin(bundle->cut, b) - peal_blocks_begin(bundle->cut, a);
    if (count > 0 && (char *)last->data + last->words * word_bytes == place) {
        last->words += words;
        return count;
    }
    pieces[count] = (struct peal_piece){.data = place, .words = words};
    return count + 1;
}

/* Add the blocks of ranks; the node's own block may lie apart from the others. */
static int
add_ranks(const struct bundle *bundle, int a, int b, struct peal_piece *pieces, int count, size_t word_bytes)
{
    int own = bundle->own;

    if (bundle->own_block == NULL || own < a || own >= b)
        return bundle_add_run(bundle, a, b, pieces, count, word_bytes);
    count = bundle_add_run(bundle, a, own, pieces, count, word_bytes);
    count = bundle_add_run(bundle, own, own + 1, pieces, count, word_bytes);
    return bundle_add_run(bundle, own + 1, b, pieces, count, word_bytes);
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

/* List the pieces of a part: mostly the own block alone, or blocks of equal length in the bundle's own order. */
static inline int
pieces_in(const struct peal_node *me, const struct bundle *bundle, struct span part, struct peal_piece *pieces)
{
    const struct span *span = &bundle->span;
    const struct peal_blocks *cut = bundle->cut;
    size_t word_bytes = peal_word_bytes(me);

    if (bundle->own_block != NULL && span->end - span->first == 1 && part.end - part.first == 1) {
        pieces[0] = (struct peal_piece){.data = bundle->own_block, .words = peal_blocks_words(cut, bundle->own)};
        return 1;
    }
    if (bundle->own_block != NULL || bundle->blocks == NULL || cut->begins != NULL || cut->longer > 0 ||
        part.start != span->start || part.base != span->base || part.extent != span->extent)
        return pieces_of(bundle, part, pieces, word_bytes);
    assert(part.first >= span->first && part.end <= span->end);
    pieces[0].data = (char *)bundle->blocks + (size_t)(part.first - span->first) * cut->words * word_bytes;
    pieces[0].words = (size_t)(part.end - part.first) * cut->words;
    return 1;
}

/* Whether the node's own block travels in this part, but belongs elsewhere. */
static bool
brings_own(const struct bundle *bundle, const struct span *part)
{
    int number;

    if (bundle->home == NULL)
        return false;
    number = span_number(part, bundle->own);
    return number >= part->first && number < part->end;
}

static void
take_own(const struct peal_node *me, const struct bundle *bundle, const struct span *part)
{
    if (brings_own(bundle, part))
        block_copy(me, bundle_place(bundle, bundle->own, peal_word_bytes(me)), bundle->home,
                   peal_blocks_words(bundle->cut, bundle->own));
}

static void
bring_own(const struct peal_node *me, const struct bundle *bundle, const struct span *part)
{
    if (brings_own(bundle, part))
        block_copy(me, bundle->home, bundle_place(bundle, bundle->own, peal_word_bytes(me)),
                   peal_blocks_words(bundle->cut, bundle->own));
}

void
bundle_send(struct peal_node *me, const struct bundle *bundle, struct span part, int dest)
{
    struct peal_piece pieces[MAX_PIECES];
    int count = pieces_in(me, bundle, part, pieces);

    take_own(me, bundle, &part);
    if (count == 1)
        peal_send(me, pieces[0].data, pieces[0].words, dest);
    else
        peal_wait(me, peal_sendv_async(me, pieces, count, dest));
}

void
bundle_recv(struct peal_node *me, const struct bundle *bundle, struct span part, int source)
{
    struct peal_piece pieces[MAX_PIECES];
    int count = pieces_in(me, bundle, part, pieces);

    if (count == 1)
        peal_recv(me, pieces[0].data, pieces[0].words, source);
    else
        peal_wait(me, peal_recvv_async(me, pieces, count, source));
    bring_own(me, bundle, &part);
}

void
bundle_post_send(struct peal_node *me, const struct bundle *bundle, struct span part, int dest)
{
    struct peal_piece pieces[MAX_PIECES];

    take_own(me, bundle, &part);
    peal_sendv_async(me, pieces, pieces_in(me, bundle, part, pieces), dest);
}

void
bundle_post_recv(struct peal_node *me, const struct bundle *bundle, struct span part, int source)
{
    struct peal_piece pieces[MAX_PIECES];

    peal_recvv_async(me, pieces, pieces_in(me, bundle, part, pieces), source);
}

/* ------------------------------------------------------------------ messages */

void
post_send(struct peal_node *me, struct peal_piece x, int dest)
{
    peal_send_async(me, x.data, x.words, dest);
}

void
post_recv(struct peal_node *me, struct peal_piece x, int source)
{
    peal_recv_async(me, x.data, x.words, source);
}

void
exchange(struct peal_node *me, struct peal_piece x, int dest, struct peal_piece y, int source)
{
    peal_sendrecv(me, x.data, x.words, dest, y.data, y.words, source);
}

void
exchange_pieces(struct peal_node *me, const struct peal_piece *x, int x_count, int dest, const struct peal_piece *y,
                int y_count, int source)
{
    struct peal_handle sent = peal_sendv_async(me, x, x_count, dest), got = peal_recvv_async(me, y, y_count, source);

    peal_wait(me, sent);
    peal_wait(me, got);
}

void
block_copy(const struct peal_node *me, void *to, const void *from, size_t m)
{
    const size_t bytes = m * peal_word_bytes(me);

    if (m == 0 || to == from)
        return;
    if (!unbacked_swallows(to, bytes))
        memcpy(to, from, bytes);
}

bool
blocks_are_short(const struct peal_node *me, const struct peal_blocks *blocks)
{
    return blocks->begins == NULL && blocks->words + (blocks->longer > 0) <= SHORT_BLOCK / peal_word_bytes(me);
}

/* Copy `count` runs of `bytes` bytes each, at the given distances. */
static inline __attribute__((always_inline)) void
copy_each(char *to, size_t to_step, const char *from, size_t from_step, size_t bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * to_step, from + i * from_step, bytes);
}

/* The compiler compiles the commonest lengths to a move or two each. */
void
copy_strided(char *to, size_t to_step, const char *from, size_t from_step, size_t bytes, size_t count)
{
    switch (bytes) {
    case 8:
        copy_each(to, to_step, from, from_step, 8, count);
        return;
    case 16:
        copy_each(to, to_step, from, from_step, 16, count);
        return;
    case 32:
        copy_each(to, to_step, from, from_step, 32, count);
        return;
    case 64:
        copy_each(to, to_step, from, from_step, 64, count);
        return;
    default:
        copy_each(to, to_step, from, from_step, bytes, count);
    }
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
    return nodes > 1 ? 32 - __builtin_clz((unsigned)nodes - 1) : 0;
}

/* ------------------------------------------------------------------ ports */

int
ports_of_each_way(int ports, bool half_duplex)
{
    if (ports == PEAL_PORTS_ALL)
        return half_duplex ? 1 : ports;
    return half_duplex && ports > 1 ? ports / 2 : ports;
}

int
ports_each_way(const struct peal_node *me)
{
    const struct peal_options *options = peal_node_options(me);

    return ports_of_each_way(options->ports, options->half_duplex);
}
