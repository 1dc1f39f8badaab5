/* SPDX-License-Identifier: MIT */
/* What calls of Peal's library and the C library do; MPI's are in models_mpi.c. */
#include "lib/proof/models.h"
#include "lib/base/text.h"
#include <stdlib.h>

static struct c_value
number_value(struct following *run, int64_t number)
{
    return follow_value(VALUE_NUMBER, term_number(run->terms, number), 0);
}

/* ------------------------------------------------------------------ calls without an effect that is followed */

static void
nothing(struct asked *a)
{
    (void)a;
}

/* An assertion that has failed: no run may come here. */
static void
assert_fail(struct asked *a)
{
    follow_require(a->run, term_truth(a->run->terms, false), "an assertion that may fail");
}

/* ------------------------------------------------------------------ numbers */

static void
model_size(struct asked *a)
{
    a->result = follow_value(VALUE_NUMBER, a->run->P, 0);
}

static void
rank(struct asked *a)
{
    a->result = follow_value(VALUE_NUMBER, a->run->rank, 0);
}

static void
parameter(struct asked *a)
{
    if (a->run->parameter < 0)
        follow_needs_log(a->run);
    a->result = number_value(a->run, a->run->parameter);
}

/* ports_each_way(me): one, as in the runs that are compared */
static void
one_port(struct asked *a)
{
    if (!a->run->one_port)
        follow_refuse(a->run, "the ports of the machine are not followed");
    a->result = number_value(a->run, 1);
}

static void
word_bytes(struct asked *a)
{
    a->result = follow_value(VALUE_WORD_BYTES, term_number(a->run->terms, 1), 0);
}

static void
log2_up(struct asked *a)
{
    struct terms *t = a->run->terms;
    term x = follow_number(a->run, a->given[0]);

    for (int q = 0; q < 31; q++)
        if (follow_holds(a->run, term_all(t, term_up_to(t, x, term_number(t, INT64_C(1) << q)),
                                          term_up_to(t, term_number(t, q == 0 ? 0 : (INT64_C(1) << q >> 1) + 1), x)))) {
            a->result = number_value(a->run, q);
            return;
        }
    follow_needs_log(a->run);
}

/* ------------------------------------------------------------------ blocks */

static enum cut
model_cut(struct following *run, struct c_value blocks)
{
    if (blocks.kind == VALUE_PLACE)
        blocks = follow_load(run, follow_at(run, blocks));
    if (blocks.kind == VALUE_WORDS && blocks.number == CUT_VECTOR)
        return CUT_VECTOR; /* n words: they are cut into P parts */
    if (blocks.kind != VALUE_OTHER || blocks.number == 0)
        follow_refuse(run, "these blocks are not followed");
    return (enum cut)blocks.number;
}

static struct c_value
model_words(enum cut cut, term lo, term count)
{
    struct c_value words = follow_value(VALUE_WORDS, lo, count);

    words.number = (int)cut;
    return words;
}

/* The blocks from lo on of x, as a piece. */
static struct c_value
piece(struct asked *a, struct c_value x, enum cut cut, term lo, term count)
{
    struct c_object *object = follow_object(a->run, "struct peal_piece");
    int64_t at;

    if (x.kind == VALUE_DATA) {
        if (!term_known(a->run->terms, x.a, &at) || at != 0)
            follow_refuse(a->run, "blocks of what lies behind the beginning are not followed");
        x.a = lo;
    } else if (x.kind != VALUE_NULL) {
        follow_refuse(a->run, "blocks of this are not followed");
    }
    follow_store(a->run, follow_field(a->run, object, "data"), x);
    follow_store(a->run, follow_field(a->run, object, "words"), model_words(cut, lo, count));
    return (struct c_value){.kind = VALUE_STRUCT, .to = object};
}

/* A block's length: the block is one of 0 .. P-1. */
static void
blocks_words(struct asked *a)
{
    struct terms *t = a->run->terms;
    term b = follow_number(a->run, a->given[1]);

    follow_require(a->run, term_within(t, b, term_number(t, 0), a->run->P),
                   "the length of a block that may not be one of 0 to P-1 is not followed");
    a->result = model_words(model_cut(a->run, a->given[0]), b, term_number(t, 1));
}

/* The length of the longest block. */
static void
longest(struct asked *a)
{
    a->result = (struct c_value){.kind = VALUE_OTHER, .name = "longest"};
}

/* blocks_equal(0) */
static void
no_blocks(struct asked *a)
{
    int64_t number;

    if (a->given[0].kind != VALUE_NUMBER || !term_known(a->run->terms, a->given[0].a, &number) || number != 0)
        follow_refuse(a->run, "blocks of this length are not followed");
    a->result = (struct c_value){.kind = VALUE_OTHER, .number = CUT_NOTHING};
}

/* parts(me, n) */
static void
model_parts(struct asked *a)
{
    a->result = (struct c_value){.kind = VALUE_OTHER, .number = (int)model_cut(a->run, a->given[1])};
}

static void
model_blocks_all(struct asked *a)
{
    a->result = model_words(model_cut(a->run, a->given[1]), term_number(a->run->terms, 0), a->run->P);
}

/* model_block_of(me, x, blocks, b), part_of(me, x, n, b): b is taken modulo P. */
static void
model_block_of(struct asked *a)
{
    a->result = piece(a, a->given[1], model_cut(a->run, a->given[2]),
                      follow_round(a->run, follow_number(a->run, a->given[3])), term_number(a->run->terms, 1));
}

/* blocks_of(me, x, blocks, l, r), parts_of(me, x, n, l, r) */
static void
blocks_of(struct asked *a)
{
    struct terms *t = a->run->terms;
    term l = follow_number(a->run, a->given[3]), r = follow_number(a->run, a->given[4]);

    follow_require(
        a->run,
        term_all(t, term_up_to(t, term_number(t, 0), l), term_all(t, term_up_to(t, l, r), term_up_to(t, r, a->run->P))),
        "blocks that may not be some of 0 to P-1 are not followed");
    a->result = piece(a, a->given[1], model_cut(a->run, a->given[2]), l, term_minus(t, r, l));
}

/* model_blocks_round(me, x, blocks, l, count, pieces): one piece, or two, that are one item here.  Their number is
 * looked at only where a message is made of them. */
static void
model_blocks_round(struct asked *a)
{
    struct terms *t = a->run->terms;
    term count = follow_number(a->run, a->given[4]), l = follow_round(a->run, follow_number(a->run, a->given[3]));

    follow_require(a->run, term_all(t, term_up_to(t, term_number(t, 0), count), term_up_to(t, count, a->run->P)),
                   "more blocks than there are, or less than none, are not followed");
    struct c_object *first = follow_at(a->run, a->given[5]);
    struct c_value words = model_words(model_cut(a->run, a->given[2]), l, count);

    follow_store(a->run, first, piece(a, a->given[1], (enum cut)words.number, l, count));
    words.to = first; /* of one piece, or of two */
    follow_store(a->run, follow_field(a->run, first, "words"), words);
    a->result = (struct c_value){.kind = VALUE_OTHER, .a = l, .b = count, .to = first};
}

/* ------------------------------------------------------------------ messages */

static struct block_run
item_in(struct following *run, struct c_object *piece)
{
    return model_item(run, follow_load(run, follow_field(run, piece, "data")),
                      follow_load(run, follow_field(run, piece, "words")));
}

static struct block_run
item_of_piece(struct following *run, struct c_value piece)
{
    if (piece.kind != VALUE_STRUCT)
        follow_refuse(run, "this piece is not followed");
    return item_in(run, piece.to);
}

/* All pieces of a list, or of what model_blocks_round has made; *counted: `count` is their number. */
static bool
item_of_all(struct following *run, struct c_value pieces, struct c_value count, struct block_run *item, bool *counted)
{
    const struct block_run *listed = follow_list_blocks(pieces, pieces);
    struct c_object *first = listed || pieces.kind != VALUE_PLACE ? NULL : follow_at(run, pieces);
    struct c_value words = {.kind = VALUE_NONE};

    *counted = follow_list_blocks(pieces, count) != NULL;
    if (listed)
        *item = *listed;
    if (first && first->is_struct)
        words = follow_load(run, follow_field(run, first, "words"));
    if (words.kind != VALUE_WORDS || words.to != first)
        return listed != NULL;
    *counted = count.kind == VALUE_OTHER && count.to && count.a == words.a && count.b == words.b;
    words.to = NULL;
    *item = model_item(run, follow_load(run, follow_field(run, first, "data")), words);
    return true;
}

/* The items of `count` pieces. */
static int
items_of(struct following *run, struct c_value pieces, struct c_value count, struct block_run *items)
{
    int64_t number;
    bool counted;

    if (item_of_all(run, pieces, count, items, &counted) && counted)
        return 1;
    if (!term_known(run->terms, follow_number(run, count), &number) || number < 1 || number > EVENT_ITEMS)
        follow_refuse(run, "a message of this number of pieces is not followed");
    for (int i = 0; i < number; i++) {
        struct c_value place = pieces;

        place.a = pieces.a ? term_add(run->terms, pieces.a, i) : 0;
        if (i > 0 && !pieces.a)
            follow_refuse(run, "these pieces are not followed");
        items[i] = item_in(run, follow_at(run, place));
    }
    return (int)number;
}

static void
check_tag(struct following *run, struct c_value tag)
{
    int64_t number;

    if (!term_known(run->terms, follow_number(run, tag), &number) || number != 0)
        follow_refuse(run, "messages with tags are not followed");
}

static void
one_message(struct asked *a, struct block_run item, struct c_value peer)
{
    size_t event = a->run->path.count;

    follow_post(a->run, a->kind, follow_number(a->run, peer), &item, 1);
    if (a->waits)
        follow_wait(a->run, event, event + 1);
    a->result = (struct c_value){.kind = VALUE_REQUEST, .number = (int)event};
}

/* peal_send_at(me, buf, words, dest, tag, ...) */
static void
message_of_words(struct asked *a)
{
    check_tag(a->run, a->given[4]);
    one_message(a, model_item(a->run, a->given[1], a->given[2]), a->given[3]);
}

/* post_send(me, piece, dest) */
static void
message_of_piece(struct asked *a)
{
    one_message(a, item_of_piece(a->run, a->given[1]), a->given[2]);
}

static void
several_pieces(struct asked *a, enum event_kind kind, struct c_value pieces, struct c_value count, struct c_value peer)
{
    struct block_run items[EVENT_ITEMS];
    int number = items_of(a->run, pieces, count, items);

    a->result = (struct c_value){.kind = VALUE_REQUEST, .number = (int)a->run->path.count};
    follow_post(a->run, kind, follow_number(a->run, peer), items, number);
}

/* peal_sendv_async_at(me, pieces, count, dest, tag, ...) */
static void
message_of_pieces(struct asked *a)
{
    check_tag(a->run, a->given[4]);
    several_pieces(a, a->kind, a->given[1], a->given[2], a->given[3]);
}

static void
both(struct asked *a, struct block_run out, struct c_value dest, struct block_run in, struct c_value source)
{
    size_t event = a->run->path.count;

    follow_post(a->run, EVENT_SEND, follow_number(a->run, dest), &out, 1);
    follow_post(a->run, EVENT_RECV, follow_number(a->run, source), &in, 1);
    follow_wait(a->run, event, event + 2);
}

/* peal_sendrecv_at(me, out, out_words, dest, out_tag, in, in_words, source, in_tag, ...) */
static void
sendrecv(struct asked *a)
{
    check_tag(a->run, a->given[4]);
    check_tag(a->run, a->given[8]);
    both(a, model_item(a->run, a->given[1], a->given[2]), a->given[3], model_item(a->run, a->given[5], a->given[6]),
         a->given[7]);
}

/* model_exchange(me, x, dest, y, source) */
static void
model_exchange(struct asked *a)
{
    both(a, item_of_piece(a->run, a->given[1]), a->given[2], item_of_piece(a->run, a->given[3]), a->given[4]);
}

/* model_exchange_pieces(me, x, x_count, dest, y, y_count, source) */
static void
model_exchange_pieces(struct asked *a)
{
    size_t event = a->run->path.count;

    several_pieces(a, EVENT_SEND, a->given[1], a->given[2], a->given[3]);
    several_pieces(a, EVENT_RECV, a->given[4], a->given[5], a->given[6]);
    follow_wait(a->run, event, event + 2);
    a->result = follow_value(VALUE_NONE, 0, 0);
}

static void
wait_one(struct asked *a)
{
    if (a->given[1].kind != VALUE_REQUEST)
        follow_refuse(a->run, "the request that is awaited here is not followed");
    if (a->run->path.events[a->given[1].number].wait != 0)
        follow_refuse(a->run, "a request that is awaited a second time");
    follow_wait(a->run, (size_t)a->given[1].number, (size_t)a->given[1].number + 1);
}

static void
wait_all(struct asked *a)
{
    a->run->waits_for_all = true;
    follow_wait(a->run, 0, a->run->path.count);
}

/* ------------------------------------------------------------------ memory */

/* block_copy(me, to, from, words) */
static void
model_block_copy(struct asked *a)
{
    model_copy(a->run, model_item(a->run, a->given[1], a->given[3]), model_item(a->run, a->given[2], a->given[3]));
}

/* memcpy(to, from, bytes) of blocks */
static void
copy_bytes(struct asked *a)
{
    struct c_value given[] = {a->given[0], a->given[0], a->given[1], a->given[2]};
    struct asked copy = {.run = a->run, .given = given};

    if (given[3].kind == VALUE_BYTES)
        given[3].kind = VALUE_WORDS;
    else if (given[3].kind == VALUE_LENGTH && given[3].number == 1)
        given[3].number = 0;
    else
        follow_refuse(a->run, "the length of this copy is not followed");
    model_block_copy(&copy);
    a->result = a->given[0];
}

/* memset(array, 0, bytes), of all of an array of int */
static void
set_to_zero(struct asked *a)
{
    struct terms *t = a->run->terms;
    struct c_object *zero, *array = a->given[0].to;
    int64_t byte, bytes;

    if (a->given[0].kind != VALUE_PLACE || !array->is_array || strncmp(array->type, "int", 3) != 0 ||
        a->given[0].a != term_number(t, 0) || !term_known(t, follow_number(a->run, a->given[1]), &byte) || byte != 0 ||
        !term_known(t, follow_number(a->run, a->given[2]), &bytes) ||
        bytes != 4 * strtoll(strrchr(array->type, '[') + 1, NULL, 10))
        follow_refuse(a->run, "what is set here is not followed");
    zero = follow_object(a->run, a->given[0].to->type);
    follow_clear(a->run, zero);
    follow_store(a->run, a->given[0].to, (struct c_value){.kind = VALUE_STRUCT, .to = zero});
    a->result = a->given[0];
}

/* peal_scratch(me, words): of a vector, or of a block */
static void
model_scratch(struct asked *a)
{
    struct following *run = a->run;
    struct terms *t = run->terms;
    const struct c_value words = a->given[1];
    struct c_buffer buffer = {.kind = BUFFER_SCRATCH, .own = -1};
    const bool all = words.kind == VALUE_WORDS && words.b == run->P && words.a == term_number(t, 0);

    buffer.room = !all;
    if (!all && words.kind == VALUE_WORDS && words.b == term_number(t, 1))
        buffer.first = words.a;
    else if (!all && !model_is(words, "longest"))
        follow_refuse(run, "memory of this length is not followed");
    if (!run->combines)
        follow_refuse(run, "memory of the node's own is not followed in a collective that copies");
    a->result = follow_value(VALUE_DATA, term_number(t, 0), 0);
    a->result.number = model_buffer(run, buffer);
}

/* ------------------------------------------------------------------ combining */

/* peal_combine(op, left, right, result, words), of the operator that was given */
static void
model_combine(struct asked *a)
{
    model_combined(a->run, a->given[0], model_item(a->run, a->given[3], a->given[4]),
                   model_item(a->run, a->given[1], a->given[4]), model_item(a->run, a->given[2], a->given[4]));
}

/* combine_pieces(op, left, right, result, count), of the same blocks, which are cut into the same pieces */
static void
combine_pieces(struct asked *a)
{
    struct block_run item[3];
    bool some = false, counted;

    for (int i = 0; i < 3; i++) {
        if (!item_of_all(a->run, a->given[i + 1], a->given[4], &item[i], &counted) || item[i].cut != item[0].cut ||
            item[i].lo != item[0].lo || item[i].count != item[0].count || item[i].step != item[0].step)
            follow_refuse(a->run, "pieces that are not the same blocks in all three places are not followed");
        some = some || counted;
    }
    if (!some)
        follow_refuse(a->run, "the number of these pieces is not followed");
    model_combined(a->run, a->given[0], item[2], item[0], item[1]);
}

/* ------------------------------------------------------------------ bundles */

/* span_from(root, nodes, l, r) */
static void
span_from(struct asked *a)
{
    struct c_object *span = follow_object(a->run, "struct span");
    static const char *const names[] = {"start", "extent", "first", "end"};

    follow_store(a->run, follow_field(a->run, span, "base"), number_value(a->run, 0));
    for (int i = 0; i < 4; i++)
        follow_store(a->run, follow_field(a->run, span, names[i]),
                     follow_value(VALUE_NUMBER, follow_number(a->run, a->given[i]), 0));
    if (follow_number(a->run, a->given[1]) != a->run->P)
        follow_refuse(a->run, "a span of other nodes than all is not followed");
    a->result = (struct c_value){.kind = VALUE_STRUCT, .to = span};
}

static term
of_span(struct following *run, struct c_object *span, const char *name)
{
    return follow_number(run, follow_load(run, follow_field(run, span, name)));
}

static struct c_value
bundle_value(struct asked *a, struct c_value span, struct c_value data)
{
    struct c_object *bundle = follow_object(a->run, "struct bundle");

    follow_store(a->run, follow_field(a->run, bundle, "span"), span);
    follow_store(a->run, follow_field(a->run, bundle, "blocks"), data);
    return (struct c_value){.kind = VALUE_STRUCT, .to = bundle};
}

/* bundle_of_root(me, x, blocks): all blocks, where they are */
static void
bundle_of_root(struct asked *a)
{
    struct c_value zero = number_value(a->run, 0), P = follow_value(VALUE_NUMBER, a->run->P, 0);
    struct c_value data = a->given[1];
    struct asked span = {.run = a->run, .given = (struct c_value[]){zero, P, zero, P}};

    if (model_cut(a->run, a->given[2]) != CUT_BLOCKS || data.kind != VALUE_DATA || data.a != zero.a)
        follow_refuse(a->run, "a bundle of this is not followed");
    span_from(&span);
    a->result = bundle_value(a, span.result, data);
}

/* bundle_with_room(me, span, blocks, own_block) */
static void
bundle_with_room(struct asked *a)
{
    struct c_value span = a->given[1], own = a->given[3];
    struct terms *t = a->run->terms;
    term first, end;

    if (span.kind != VALUE_STRUCT || own.kind != VALUE_DATA || own.a != term_number(t, 0) ||
        model_cut(a->run, a->given[2]) != CUT_BLOCKS)
        follow_refuse(a->run, "a bundle of this is not followed");
    first = of_span(a->run, span.to, "first");
    end = of_span(a->run, span.to, "end");
    follow_require(a->run, term_all(t, term_below(t, first, end), term_up_to(t, term_minus(t, end, first), a->run->P)),
                   "a bundle that may be empty, or of more blocks than there are, is not followed");
    struct c_value data = {.kind = VALUE_DATA, .a = term_number(t, 0)};

    data.number = model_buffer(a->run, (struct c_buffer){.kind = BUFFER_BUNDLE,
                                                         .own = own.number,
                                                         .first = first,
                                                         .end = end,
                                                         .start = of_span(a->run, span.to, "start")});
    a->result = bundle_value(a, span, data);
}

/* How far rank a is after rank b: 0 .. P-1. */
static term
model_after(struct following *run, term a, term b)
{
    struct terms *t = run->terms;
    term distance = term_distance(t, a, b);

    return term_if(t, term_below(t, distance, term_number(t, 0)), term_plus(t, distance, run->P), distance);
}

/* The blocks of a part of a bundle, which must have them. */
static struct block_run
part_of_bundle(struct asked *a, struct c_value part)
{
    struct following *run = a->run;
    struct terms *t = run->terms;
    struct c_object *bundle = follow_at(run, a->given[1]);
    struct c_value data = follow_load(run, follow_field(run, bundle, "blocks"));
    term first, end, start, lo, count;

    if (part.kind != VALUE_STRUCT || data.kind != VALUE_DATA)
        follow_refuse(run, "this bundle is not followed");
    first = of_span(run, part.to, "first");
    end = of_span(run, part.to, "end");
    start = of_span(run, part.to, "start");
    follow_require(run, term_all(t, term_up_to(t, first, end), term_up_to(t, term_minus(t, end, first), run->P)),
                   "a part of a bundle that may have more blocks than there are is not followed");
    lo = follow_round(run, term_plus(t, start, first));
    count = term_minus(t, end, first);
    if (data.number >= BUFFER_BUNDLE) { /* not the root's, which has all */
        const struct c_buffer *buffer = &run->buffers[data.number];
        term skipped = model_after(run, lo, follow_round(run, term_plus(t, buffer->start, buffer->first)));

        follow_require(run,
                       term_any(t, term_equal(t, count, term_number(t, 0)),
                                term_up_to(t, term_plus(t, skipped, count), term_minus(t, buffer->end, buffer->first))),
                       "a part that may not be in its bundle is not followed");
    }
    return (struct block_run){.buffer = data.number, .cut = CUT_BLOCKS, .at = lo, .lo = lo, .count = count};
}

/* bundle_send(me, bundle, part, dest) */
static void
message_of_part(struct asked *a)
{
    one_message(a, part_of_bundle(a, a->given[2]), a->given[3]);
}

/* The own block must not be among the blocks where it lies apart. */
static void
bundle_post_recv(struct asked *a)
{
    struct block_run item = part_of_bundle(a, a->given[2]);

    if (item.buffer >= BUFFER_BUNDLE)
        follow_require(a->run, term_up_to(a->run->terms, item.count, model_after(a->run, a->run->rank, item.lo)),
                       "a receive that may be of the own block is not followed");
    one_message(a, item, a->given[3]);
}

/* ------------------------------------------------------------------ lists */

/* list_with_room(me, most) */
static void
list_with_room(struct asked *a)
{
    a->result = follow_list_new(a->run, follow_number(a->run, a->given[1]));
}

/* model_list_add(list, piece) */
static void
model_list_add(struct asked *a)
{
    follow_list_add(a->run, follow_at(a->run, a->given[0]), item_of_piece(a->run, a->given[1]));
}

/* ------------------------------------------------------------------ the table */

static const struct call_model models[] = {
    {"peal_packet", 2, .does = nothing},
    {"peal_next_round_at", 3, .does = nothing},
    {"peal_compute_at", 4, .does = nothing},
    {"rest", 2, .does = nothing},
    {"__builtin_prefetch", 1, .does = nothing},
    {"memset", 3, .does = set_to_zero},
    {"memcpy", 3, .does = copy_bytes},
    {"memmove", 3, .does = copy_bytes},
    {"peal_word_bytes", 1, .does = word_bytes},
    {"__assert_fail", 4, .does = assert_fail},
    {"peal_size", 1, .does = model_size},
    {"peal_rank", 1, .does = rank},
    {"peal_parameter", 1, .does = parameter},
    {"ports_each_way", 1, .does = one_port},
    {"ceiling_log2", 1, .does = log2_up},
    {"blocks_longest", 2, .does = longest},
    {"blocks_equal", 1, .does = no_blocks},
    {"parts", 2, .does = model_parts},
    {"blocks_all", 2, .does = model_blocks_all},
    {"peal_blocks_words", 2, .does = blocks_words},
    {"block_of", 4, .does = model_block_of},
    {"part_of", 4, .does = model_block_of},
    {"blocks_of", 5, .does = blocks_of},
    {"parts_of", 5, .does = blocks_of},
    {"blocks_round", 6, .does = model_blocks_round},
    {"peal_send_at", 7, .does = message_of_words, .kind = EVENT_SEND, .waits = true},
    {"peal_recv_at", 7, .does = message_of_words, .kind = EVENT_RECV, .waits = true},
    {"peal_send_async_at", 7, .does = message_of_words, .kind = EVENT_SEND},
    {"peal_recv_async_at", 7, .does = message_of_words, .kind = EVENT_RECV},
    {"peal_sendv_async_at", 7, .does = message_of_pieces, .kind = EVENT_SEND},
    {"peal_recvv_async_at", 7, .does = message_of_pieces, .kind = EVENT_RECV},
    {"peal_sendrecv_at", 11, .does = sendrecv},
    {"peal_wait_at", 4, .does = wait_one},
    {"peal_wait_all_at", 3, .does = wait_all},
    {"post_send", 3, .does = message_of_piece, .kind = EVENT_SEND},
    {"post_recv", 3, .does = message_of_piece, .kind = EVENT_RECV},
    {"exchange", 5, .does = model_exchange},
    {"exchange_pieces", 7, .does = model_exchange_pieces},
    {"block_copy", 4, .does = model_block_copy},
    {"peal_scratch_at", 4, .does = model_scratch},
    {"peal_combine", 5, .does = model_combine},
    {"combine_pieces", 5, .does = combine_pieces},
    {"list_with_room", 2, .does = list_with_room},
    {"list_add", 2, .does = model_list_add},
    {"span_from", 4, .does = span_from},
    {"bundle_of_root", 3, .does = bundle_of_root},
    {"bundle_with_room", 4, .does = bundle_with_room},
    {"bundle_send", 4, .does = message_of_part, .kind = EVENT_SEND, .waits = true},
    {"bundle_recv", 4, .does = message_of_part, .kind = EVENT_RECV, .waits = true},
    {"bundle_post_send", 4, .does = message_of_part, .kind = EVENT_SEND},
    {"bundle_post_recv", 4, .does = bundle_post_recv, .kind = EVENT_RECV},
};

static bool
model_among(const struct call_model *list, size_t length, struct following *run, const char *name,
            const struct c_value *given, int count, struct c_value *result)
{
    for (size_t i = 0; i < length; i++)
        if (strcmp(list[i].name, name) == 0) {
            struct asked asked = {run, given, list[i].kind, list[i].waits, {.kind = VALUE_NONE}};

            if (count != list[i].arguments)
                follow_refuse(run, "a call of %s with %d arguments is not followed", name, count);
            list[i].does(&asked);
            *result = asked.result;
            return true;
        }
    return false;
}

bool
follow_model(struct following *run, const char *name, const struct c_value *given, int count, struct c_value *result)
{
    return model_among(models, sizeof models / sizeof *models, run, name, given, count, result) ||
           (run->mpi && model_among(models_mpi, models_mpi_count, run, name, given, count, result));
}
