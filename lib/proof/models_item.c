/* SPDX-License-Identifier: MIT */
/* The blocks that a call names, and what models of several libraries do with them. */
#include "lib/base/text.h"
#include "lib/proof/models.h"

bool
model_is(struct c_value value, const char *name)
{
    return value.kind == VALUE_OTHER && same_text(value.name, name);
}

/* Blocks of m words each, from where the data lie on. */
static struct block_run
equal_blocks(struct following *run, struct c_value data, struct c_value length)
{
    struct terms *t = run->terms;
    term zero = term_number(t, 0), end = term_plus(t, data.a, length.a);
    const bool own = data.number == run->own_buffer;

    follow_require_root(run, length.b);
    if (run->whole) {
        follow_require(run, term_all(t, term_equal(t, data.a, zero), term_equal(t, length.a, term_number(t, 1))),
                       "other words than all of the vector are not followed");
        return (struct block_run){.buffer = data.number, .cut = CUT_VECTOR, .at = zero, .lo = zero, .count = run->P};
    }
    if (own)
        follow_require(run, term_all(t, term_equal(t, data.a, zero), term_equal(t, length.a, term_number(t, 1))),
                       "other words than those of the own block are not followed here");
    else
        follow_require(run,
                       term_all(t, term_up_to(t, zero, data.a),
                                term_all(t, term_up_to(t, zero, length.a), term_up_to(t, end, run->P))),
                       "blocks that may not be some of 0 to P-1 are not followed");
    return (struct block_run){.buffer = data.number,
                              .cut = data.number == BUFFER_OUT ? run->out_cut : CUT_BLOCKS,
                              .at = data.a,
                              .lo = own ? run->rank : data.a,
                              .count = length.a};
}

/* In memory of the node's own: all of it, or what is at the beginning of a room. */
static struct block_run
item_of_scratch(struct following *run, const struct c_buffer *buffer, struct block_run item)
{
    struct terms *t = run->terms;

    if (!buffer->room)
        return item;
    item.room = 1;
    follow_require(run,
                   term_all(t, term_equal(t, item.at, term_number(t, 0)), term_equal(t, item.count, term_number(t, 1))),
                   "what is not one block at the beginning of this memory is not followed");
    if (buffer->first)
        follow_require(run, term_equal(t, item.lo, buffer->first),
                       "another block than that which there is room for is not followed");
    return item;
}

struct block_run
model_item(struct following *run, struct c_value data, struct c_value words)
{
    int64_t number;

    if (run->tells && data.kind == VALUE_NULL &&
        ((words.kind == VALUE_WORDS && words.number == CUT_NOTHING) ||
         (words.kind == VALUE_NUMBER && term_known(run->terms, words.a, &number) && number == 0)))
        return (struct block_run){.buffer = BUFFER_VECTOR,
                                  .cut = CUT_NOTHING,
                                  .at = term_number(run->terms, 0),
                                  .lo = term_number(run->terms, 0),
                                  .count = run->P};
    if (data.kind != VALUE_DATA)
        follow_refuse(run, "the data of this message are not followed");
    if (data.number >= BUFFER_BUNDLE && run->buffers[data.number].freed)
        follow_require(run, term_not(run->terms, run->buffers[data.number].freed),
                       "memory that may be free already is not followed");
    if (words.kind == VALUE_LENGTH && words.number == 0)
        return equal_blocks(run, data, words);
    if (words.kind != VALUE_WORDS || words.to)
        follow_refuse(run, "the length of this message is not followed");
    const struct block_run item = {
        .buffer = data.number, .cut = (enum cut)words.number, .at = data.a, .lo = words.a, .count = words.b};

    return data.number >= BUFFER_BUNDLE && run->buffers[data.number].kind == BUFFER_SCRATCH
               ? item_of_scratch(run, &run->buffers[data.number], item)
               : item;
}

void
model_copy(struct following *run, struct block_run to, struct block_run from)
{
    const size_t event = run->path.count;

    follow_post(run, EVENT_COPY, 0, (struct block_run[]){to, from}, 2);
    follow_wait(run, event, event + 1);
}

void
model_combined(struct following *run, struct c_value op, struct block_run to, struct block_run left,
               struct block_run right)
{
    const size_t event = run->path.count;

    if (!run->combines || !model_is(op, "op"))
        follow_refuse(run, "another operator than the one that is given is not followed");
    follow_post(run, EVENT_COMBINE, 0, (struct block_run[]){to, left, right}, 3);
    follow_wait(run, event, event + 1);
}

int
model_buffer(struct following *run, struct c_buffer buffer)
{
    if (run->buffer_count >= (int)(sizeof run->buffers / sizeof *run->buffers))
        follow_refuse(run, "more buffers than are followed");
    run->buffers[run->buffer_count] = buffer;
    return run->buffer_count++;
}
