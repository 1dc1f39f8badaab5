/* SPDX-License-Identifier: MIT */
/* Lists of pieces of one block each, in equal steps.  A loop of unknown length adds one block per round. */
#include "lib/proof/follow_inside.h"

struct c_value
follow_list_new(struct following *run, term most)
{
    struct c_object *list = follow_object(run, "struct list");
    struct c_value pieces = follow_value(VALUE_LIST, most, 0);

    follow_store(run, follow_field(run, list, "pieces"), pieces);
    follow_store(run, follow_field(run, list, "count"), follow_value(VALUE_NUMBER, term_number(run->terms, 0), 0));
    follow_store(run, follow_field(run, list, "word_bytes"),
                 follow_value(VALUE_WORD_BYTES, term_number(run->terms, 1), 0));
    return (struct c_value){.kind = VALUE_STRUCT, .to = list};
}

/* The number of pieces is not known, as blocks without words have none: the count stands for this list's blocks. */
static void
list_set(struct following *run, struct c_object *list, enum value_kind kind, term most, const struct block_run *blocks)
{
    struct c_value value = follow_value(kind, most, 0);

    value.to = list;
    value.blocks = blocks;
    follow_store(run, follow_field(run, list, "pieces"), value);
    follow_store(run, follow_field(run, list, "count"), value);
}

void
follow_list_add(struct following *run, struct c_object *list, struct block_run item)
{
    struct c_value pieces = follow_load(run, follow_field(run, list, "pieces")),
                   count = follow_load(run, follow_field(run, list, "count"));
    struct block_run *blocks = follow_allocate(run, sizeof *blocks);
    int64_t number;

    if (item.count != term_number(run->terms, 1) || item.at != item.lo)
        follow_refuse(run, "a list of other pieces than blocks in their places is not followed");
    *blocks = item;
    if (pieces.kind == VALUE_GROWING && count.kind == VALUE_GROWING && !pieces.blocks) {
        if (run->guard != run->loop_guard)
            follow_refuse(run, "a list that not every round of a loop adds to is not followed");
        list_set(run, list, VALUE_GROWING, pieces.a, blocks);
        return;
    }
    if (pieces.kind == VALUE_LIST && count.kind == VALUE_LIST && pieces.to == list && run->inner)
        follow_whole_loop(run);
    if (pieces.kind != VALUE_LIST || count.kind != VALUE_NUMBER || !term_known(run->terms, count.a, &number) ||
        number != 0)
        follow_refuse(run, "what is added to this list is not followed");
    follow_require(run, term_up_to(run->terms, item.count, pieces.a), "a list without room for a piece");
    list_set(run, list, VALUE_LIST, pieces.a, blocks);
}

const struct block_run *
follow_list_blocks(struct c_value pieces, struct c_value count)
{
    bool one = pieces.kind == VALUE_LIST && count.kind == VALUE_LIST && pieces.blocks && count.blocks &&
               memcmp(pieces.blocks, count.blocks, sizeof *pieces.blocks) == 0;

    return one ? pieces.blocks : NULL;
}

bool
follow_list_grows(struct c_value before, struct c_value after, struct c_value *next)
{
    if (after.kind != VALUE_LIST || !after.blocks || after.to == NULL ||
        (before.kind != VALUE_LIST && before.kind != VALUE_NUMBER))
        return false;
    *next = after;
    next->kind = VALUE_GROWING;
    next->blocks = NULL;
    return true;
}

/* How many rounds there are: k < rounds is the condition of the loop, which is proved. */
static term
rounds_of_loop(struct following *run, const struct loop *loop)
{
    struct terms *t = run->terms;
    term zero = term_number(t, 0), below, rest, rounds;
    int64_t factor;

    if (!term_is(t, loop->holds, TERM_UP_TO_0))
        follow_refuse(run, "how often a list is added to is not followed");
    below = (term)term_parts(t, loop->holds)->of;
    factor = term_factor(t, below, loop->k);
    if (factor <= 0)
        follow_refuse(run, "how often a list is added to is not followed");
    rest = term_sum(t, -1, below, factor, loop->k, 0); /* factor · k <= rest */
    rounds = term_if(t, term_up_to(t, zero, rest), term_add(t, term_divided(t, TERM_QUOTIENT, rest, factor), 1), zero);
    term fewer = term_below(t, loop->k, rounds);

    follow_require(
        run, term_all(t, term_any(t, term_not(t, loop->holds), fewer), term_any(t, loop->holds, term_not(t, fewer))),
        "how often a list is added to is not followed");
    return rounds;
}

struct c_value
follow_list_grown(struct following *run, const struct loop *loop, struct c_value before, struct c_value after,
                  int64_t by)
{
    struct terms *t = run->terms;
    struct block_run *blocks = follow_allocate(run, sizeof *blocks);
    term zero = term_number(t, 0), rounds = rounds_of_loop(run, loop), next = term_add(t, loop->k, 1), from, step;
    int64_t number;

    if (after.kind != VALUE_GROWING || !after.blocks)
        follow_refuse(run, "a list that not every round of a loop adds to is not followed");
    if (before.kind == VALUE_NUMBER && (!term_known(t, before.a, &number) || number != 0))
        follow_refuse(run, "what is added to this list is not followed");
    *blocks = *after.blocks;
    from = term_replace(t, blocks->lo, &loop->k, &zero, 1);
    step = term_minus(t, term_replace(t, blocks->lo, &loop->k, &next, 1), blocks->lo);
    for (int sign = 1; sign >= -1 && !blocks->step; sign -= 2) {
        term same = term_truth(t, false);

        for (int turn = -1; turn <= 1; turn++)
            same =
                term_any(t, same, term_equal(t, term_add(t, step, -by * sign), term_sum(t, turn, run->P, 0, zero, 0)));
        if (by > INT32_MIN && by <= INT32_MAX &&
            follow_holds(run, term_any(t, term_not(t, term_below(t, next, rounds)), same)))
            blocks->step = (int)by * sign;
    }
    if (blocks->step == 0)
        follow_refuse(run, "blocks of a list that do not lie in equal steps are not followed");
    int64_t length = blocks->step > 0 ? blocks->step : -blocks->step;

    follow_require(run, term_up_to(t, rounds, after.a), "a list without room for its pieces");
    follow_require(run,
                   term_any(t, term_equal(t, rounds, zero),
                            term_below(t, term_sum(t, length, rounds, 0, rounds, -length), run->P)),
                   "a list that has a block twice is not followed");
    blocks->at = blocks->lo = from;
    blocks->count = rounds;
    after.kind = VALUE_LIST;
    after.blocks = blocks;
    return after;
}
