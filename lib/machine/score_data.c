/* SPDX-License-Identifier: MIT */
/* What a played call does to the nodes' data.
 *
 * Without an operator the collective's row says it (origin), whatever the algorithm.  With one, the copies and
 * combinations of the recorded call are followed: each unit of the vectors that they move is a value, made of two
 * others, so what several nodes compute alike is computed once, and in the same order.  Each result must be made of the
 * words that the row says; where it is not, the node has moved words unseen, and the call is not played. */
#include "lib/base/grow.h"
#include "lib/machine/score.h"
#include <stdlib.h>
#include <string.h>

/* Of vectors as long as IN_CACHE a chunk is brought to all nodes before the next one is read. */
enum {
    MAX_UNITS = 1 << 20,
    MAX_MOVES = 1 << 17,
    CHUNK = 4096,
    IN_CACHE = 256 << 10,
    MAX_BETWEEN = 4 << 20,
    SHARED_SUM = 256 << 10
};
enum { NOTHING = INT32_MIN };

static struct peal_layout
layout_of(const struct peal_call *call, int nodes)
{
    return (struct peal_layout){.nodes = nodes, .root = call->root, .by = call->by, .words = call->words};
}

static bool
has_parts(enum peal_side side)
{
    return side == PEAL_SIDE_BLOCKS || side == PEAL_SIDE_ROOT_BLOCKS || side == PEAL_SIDE_PAIRS;
}

/* ------------------------------------------------------------------ copies */

static int
parts_of(const struct peal_call *call, int rank, int nodes)
{
    enum peal_side out = call->form->out;

    if (out == PEAL_SIDE_ROOT_BLOCKS && rank != call->root)
        return 0;
    return has_parts(out) ? nodes : 1;
}

/* Whether all nodes have the same result. */
static bool
is_one(const struct peal_call *call, const struct peal_layout *layout)
{
    struct peal_origin one, other;

    if (call->form->out == PEAL_SIDE_ROOT_BLOCKS)
        return false;
    for (int rank = 1; rank < layout->nodes; rank++)
        for (int part = 0; part < parts_of(call, rank, layout->nodes); part++) {
            call->form->origin(layout, 0, part, &one);
            call->form->origin(layout, rank, part, &other);
            if (one.kept || other.kept || one.first != other.first || one.index != other.index ||
                one.words != other.words)
                return false;
        }
    return true;
}

/* List what the node gets. */
static bool
add_moves(struct score_data *data, const struct peal_call *call, const struct peal_layout *layout, int rank,
          size_t word_bytes)
{
    size_t at = 0;

    for (int part = 0; part < parts_of(call, rank, layout->nodes); part++) {
        struct peal_origin origin = {.kept = false};

        call->form->origin(layout, rank, part, &origin);
        if (data->move_count == MAX_MOVES || origin.first != origin.last ||
            !grow(&data->moves, &data->moves_room, data->move_count + 1, sizeof *data->moves))
            return false;
        if (!origin.kept && origin.words > 0)
            data->moves[data->move_count++] =
                (struct score_move){origin.first, rank, origin.index * word_bytes, at, origin.words * word_bytes};
        at += origin.words * word_bytes;
    }
    data->result_bytes = at;
    return true;
}

bool
score_data_copies(struct score_data *data, const struct peal_call *call, int nodes, size_t word_bytes)
{
    const struct peal_layout layout = layout_of(call, nodes);

    data->source = -1;
    if (!call->form->origin)
        return true;
    if (is_one(call, &layout)) {
        data->source = call->form->root ? call->root : 0;
        if (!add_moves(data, call, &layout, data->source, word_bytes))
            return false;
    }
    for (int rank = 0; data->source < 0 && rank < nodes; rank++)
        if (!add_moves(data, call, &layout, rank, word_bytes))
            return false;
    data->copies = calloc(data->move_count + (size_t)nodes, sizeof *data->copies);
    return data->copies;
}

static bool
play_copies(const struct score_data *data, struct peal_machine *machine, const struct score_row *rows)
{
    size_t count = 0;

    for (size_t i = 0; i < data->move_count; i++) {
        const struct score_move *move = &data->moves[i];
        char *to = rows[move->to].out + move->to_at, *from = rows[move->from].in + move->from_at;

        if (to != from)
            data->copies[count++] = (struct copy){to, from, move->bytes};
    }
    if (copies_perform(machine, data->copies, count))
        return false;
    size_t bytes = data->source >= 0 ? data->result_bytes : 0, piece = bytes <= IN_CACHE ? CHUNK : bytes;

    for (size_t at = 0; at < bytes; at += piece) {
        count = 0;
        for (int i = 0; i < machine->options.nodes; i++)
            if (i != data->source)
                data->copies[count++] = (struct copy){rows[i].out + at, rows[data->source].out + at,
                                                      bytes - at < piece ? bytes - at : piece};
        if (copies_perform(machine, data->copies, count))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ sums: memory in units */

/* Memory that is touched: ranges that touch each other are one. */
struct sum_range {
    uintptr_t begin, end;
    size_t first; /* unit */
};

/* Unit `at` of the vectors: a node's own (left < 0), or the combination of two others. */
struct sum_value {
    int32_t left, right, node;
    uint32_t at;
    uint64_t nodes; /* whose words are in it: the sum of their marks */
    int32_t uses, memory;
};

struct summing {
    struct score_data *data;
    const struct score_row *rows;
    struct peal_layout layout;
    const struct peal_form *form;
    size_t word_bytes, in_bytes, per; /* of each node, and in units */
    size_t unit;
    struct sum_range *ranges;
    size_t range_count, ranges_room, units;
    int32_t *held; /* the value in each unit of memory; -1: unknown */
    struct sum_value *values;
    size_t value_count, values_room;
    int32_t *table; /* a hash of combinations: value, plus 1 */
    size_t table_room;
    int32_t *result;             /* of each node, in turn: the value of each unit */
    uint64_t *marks;             /* of the nodes before each one, added up */
    size_t *by_unit;             /* of each unit of the vectors: needed values, then results */
    int32_t *spare;              /* memory between that is free */
    size_t spare_count, between; /* in all */
};

static size_t
common(size_t a, size_t b)
{
    while (b > 0) {
        size_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

static uint64_t
mark_of(int node)
{
    uint64_t x = ((uint64_t)node + 1) * UINT64_C(0x9E3779B97F4A7C15);

    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    return x ^ x >> 27;
}

static bool
add_range(struct summing *s, const char *at, size_t bytes)
{
    if (!grow(&s->ranges, &s->ranges_room, s->range_count + 1, sizeof *s->ranges))
        return false;
    if (bytes > 0)
        s->ranges[s->range_count++] = (struct sum_range){.begin = (uintptr_t)at, .end = (uintptr_t)at + bytes};
    return true;
}

static int
compare_ranges(const void *a, const void *b)
{
    const struct sum_range *one = a, *two = b;

    return (one->begin > two->begin) - (one->begin < two->begin);
}

static const struct sum_range *
find_range(const struct summing *s, const char *at)
{
    size_t low = 0, high = s->range_count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (s->ranges[middle].begin <= (uintptr_t)at)
            low = middle;
        else
            high = middle;
    }
    return &s->ranges[low];
}

/* The number of the unit at this place. */
static size_t
unit_at(const struct summing *s, const char *at)
{
    const struct sum_range *range = find_range(s, at);

    return range->first + ((uintptr_t)at - range->begin) / s->unit;
}

/* Merge the ranges, and find the largest unit in which all places and lengths are whole. */
static bool
find_unit(struct summing *s, const struct score_event *events, size_t count)
{
    size_t merged = 0;

    for (size_t i = 0; i < count; i++)
        if (!add_range(s, events[i].left, events[i].bytes) || !add_range(s, events[i].to, events[i].bytes) ||
            !add_range(s, events[i].right, events[i].right ? events[i].bytes : 0))
            return false;
    for (int n = 0; n < s->layout.nodes; n++)
        if (!add_range(s, s->rows[n].in, s->in_bytes) || !add_range(s, s->rows[n].out, s->layout.words * s->word_bytes))
            return false;
    qsort(s->ranges, s->range_count, sizeof *s->ranges, compare_ranges);
    for (size_t i = 0; i < s->range_count; i++)
        if (merged > 0 && s->ranges[i].begin <= s->ranges[merged - 1].end) {
            if (s->ranges[i].end > s->ranges[merged - 1].end)
                s->ranges[merged - 1].end = s->ranges[i].end;
        } else {
            s->ranges[merged++] = s->ranges[i];
        }
    s->range_count = merged;
    s->unit = s->in_bytes;
    for (size_t i = 0; i < count; i++) {
        s->unit = common(s->unit, events[i].bytes);
        s->unit = common(s->unit, (uintptr_t)events[i].left - find_range(s, events[i].left)->begin);
        s->unit = common(s->unit, (uintptr_t)events[i].to - find_range(s, events[i].to)->begin);
        if (events[i].right)
            s->unit = common(s->unit, (uintptr_t)events[i].right - find_range(s, events[i].right)->begin);
    }
    for (int n = 0; n < s->layout.nodes; n++) {
        s->unit = common(s->unit, (uintptr_t)s->rows[n].in - find_range(s, s->rows[n].in)->begin);
        s->unit = common(s->unit, (uintptr_t)s->rows[n].out - find_range(s, s->rows[n].out)->begin);
    }
    s->unit = common(s->unit, s->layout.words * s->word_bytes);
    if (s->unit % s->word_bytes != 0)
        return false;
    for (size_t i = 0; i < s->range_count; i++) {
        s->ranges[i].first = s->units;
        s->units += (s->ranges[i].end - s->ranges[i].begin) / s->unit;
    }
    return s->units <= MAX_UNITS;
}

/* ------------------------------------------------------------------ sums: values */

static int32_t
add_value(struct summing *s, struct sum_value value)
{
    if (s->value_count == MAX_UNITS || !grow(&s->values, &s->values_room, s->value_count + 1, sizeof *s->values))
        return -1;
    s->values[s->value_count] = value;
    return (int32_t)s->value_count++;
}

/* The combination of two values; -1: it is none of one unit, or there is no room. */
static int32_t
combined(struct summing *s, int32_t left, int32_t right)
{
    if (left < 0 || right < 0 || s->values[left].at != s->values[right].at)
        return -1;
    size_t slot = (size_t)(((uint64_t)left << 32 | (uint64_t)right) * UINT64_C(0x9E3779B97F4A7C15) >> 32);

    for (slot &= s->table_room - 1; s->table[slot]; slot = (slot + 1) & (s->table_room - 1)) {
        const struct sum_value *value = &s->values[s->table[slot] - 1];

        if (value->left == left && value->right == right)
            return s->table[slot] - 1;
    }
    int32_t made = add_value(s, (struct sum_value){left, right, -1, s->values[left].at,
                                                   s->values[left].nodes + s->values[right].nodes, 0, 0});

    s->table[slot] = made + 1;
    return made;
}

/* Follow the events. */
static bool
follow(struct summing *s, const struct score_event *events, size_t count)
{
    size_t steps = 0;

    for (size_t i = 0; i < count; i++)
        steps += events[i].bytes / s->unit;
    if (steps > MAX_UNITS || s->per * (size_t)s->layout.nodes > MAX_UNITS)
        return false;
    for (s->table_room = 1024; s->table_room < 2 * steps; s->table_room *= 2)
        continue;
    s->held = malloc((s->units + 1) * sizeof *s->held);
    s->table = calloc(s->table_room, sizeof *s->table);
    if (!s->held || !s->table)
        return false;
    memset(s->held, 0xff, s->units * sizeof *s->held);
    for (int n = 0; n < s->layout.nodes; n++)
        for (size_t i = 0; i < s->per; i++) {
            int32_t own = add_value(s, (struct sum_value){-1, -1, n, (uint32_t)i, mark_of(n), 0, 0});

            if (own < 0)
                return false;
            s->held[unit_at(s, s->rows[n].in) + i] = own;
        }
    for (size_t i = 0; i < count; i++) {
        const struct score_event *event = &events[i];
        int32_t *to = s->held + unit_at(s, event->to);
        const int32_t *left = s->held + unit_at(s, event->left),
                      *right = event->right ? s->held + unit_at(s, event->right) : NULL;

        for (size_t u = 0; u < event->bytes / s->unit; u++)
            to[u] = right ? combined(s, left[u], right[u]) : left[u];
    }
    return true;
}

/* Whether the value is that of unit `at` of the vectors, of all nodes first .. last. */
static bool
is_right(const struct summing *s, int32_t value, size_t at, const struct peal_origin *origin)
{
    return value >= 0 && s->values[value].at == at &&
           s->values[value].nodes == s->marks[origin->last + 1] - s->marks[origin->first];
}

/* Check the results, and note their values. */
static bool
check_results(struct summing *s)
{
    int nodes = s->layout.nodes;
    size_t room = s->layout.words * s->word_bytes / s->unit;

    s->result = calloc((size_t)nodes * room + 1, sizeof *s->result);
    s->marks = calloc((size_t)nodes + 1, sizeof *s->marks);
    s->data->skipped = calloc((size_t)nodes, sizeof *s->data->skipped);
    if (!s->result || !s->marks || !s->data->skipped)
        return false;
    for (int n = 0; n < nodes; n++)
        s->marks[n + 1] = s->marks[n] + mark_of(n);
    for (int n = 0; n < nodes; n++) {
        struct peal_origin origin = {.kept = false};
        const int32_t *held = s->held + unit_at(s, s->rows[n].out);

        s->form->origin(&s->layout, n, 0, &origin);
        if (origin.words != s->layout.words || origin.index * s->word_bytes % s->unit != 0)
            return false;
        s->data->skipped[n] = origin.index * s->word_bytes;
        for (size_t u = 0; u < room; u++) {
            size_t at = s->data->skipped[n] / s->unit + u;

            if (origin.kept) /* as it was, or it is not seen what it is */
                origin.first = origin.last = n;
            if (!is_right(s, held[u], at, &origin))
                return false;
            s->result[(size_t)n * room + u] = origin.kept ? -1 : held[u];
            s->values[held[u]].uses += !origin.kept;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ sums: what is done */

static bool
add_sum(struct score_data *data, int32_t left, int32_t right, int32_t to)
{
    if (!grow(&data->sums, &data->sums_room, data->sum_count + 1, sizeof *data->sums))
        return false;
    data->sums[data->sum_count++] = (struct score_sum){left, right, to};
    return true;
}

static int32_t
operand(const struct sum_value *value)
{
    return value->left < 0 ? value->node : ~value->memory;
}

/* One use of the value is over. */
static void
let_go(struct summing *s, struct sum_value *value)
{
    if (--value->uses == 0 && value->left >= 0)
        s->spare[s->spare_count++] = value->memory;
}

static bool
compute(struct summing *s, struct sum_value *value)
{
    struct sum_value *left = &s->values[value->left], *right = &s->values[value->right];
    int32_t from = operand(left), with = operand(right);

    let_go(s, left);
    let_go(s, right);
    value->memory = s->spare_count > 0 ? s->spare[--s->spare_count] : (int32_t)s->between++;
    return add_sum(s->data, from, with, ~value->memory);
}

/* Where the value of a result goes, when nothing of this unit is read any more but results. */
static bool
bring(struct summing *s, size_t result, size_t room)
{
    struct sum_value *value = &s->values[s->result[result]];
    int32_t node = (int32_t)(result / room), nodes = s->layout.nodes;

    if (value->left < 0 && value->node == node)
        return true;
    if (value->left < 0 && (s->per != room || s->result[(size_t)value->node * room + value->at] >= 0))
        return false; /* another node's word, which may be overwritten by now */
    bool added = add_sum(s->data, operand(value), NOTHING, nodes + node);

    let_go(s, value);
    return added;
}

/* List what is done for each unit of the vectors: first what is combined, then what goes where.  ends: of the two in
 * by_unit. */
static bool
list_sums(struct summing *s, size_t room, const size_t *ends)
{
    size_t at = 0;

    for (size_t unit = 0; unit < s->per; unit++) {
        s->data->first[unit] = s->data->sum_count;
        for (; at < ends[2 * unit]; at++)
            if (!compute(s, &s->values[s->by_unit[at]]))
                return false;
        for (; at < ends[2 * unit + 1]; at++)
            if (!bring(s, s->by_unit[at], room))
                return false;
    }
    s->data->first[s->per] = s->data->sum_count;
    return true;
}

/* Sort the values that are needed and the results by their unit, and list what is done. */
static bool
sort_sums(struct summing *s)
{
    size_t own = s->per * (size_t)s->layout.nodes, room = s->layout.words * s->word_bytes / s->unit;
    size_t results = room * (size_t)s->layout.nodes;
    size_t *ends = calloc(2 * s->per + 1, sizeof *ends);
    bool done = false;

    s->by_unit = calloc(s->value_count + results + 1, sizeof *s->by_unit);
    s->spare = malloc((s->value_count + 1) * sizeof *s->spare);
    s->data->first = malloc((s->per + 1) * sizeof *s->data->first);
    if (ends && s->by_unit && s->spare && s->data->first) {
        for (size_t i = s->value_count; i-- > own;) /* operands have lower numbers */
            if (s->values[i].uses > 0) {
                s->values[s->values[i].left].uses++;
                s->values[s->values[i].right].uses++;
                ends[2 * s->values[i].at + 1]++;
            }
        for (size_t i = 0; i < results; i++)
            if (s->result[i] >= 0)
                ends[2 * s->values[s->result[i]].at + 2]++;
        for (size_t i = 1; i <= 2 * s->per; i++)
            ends[i] += ends[i - 1];
        for (size_t i = own; i < s->value_count; i++)
            if (s->values[i].uses > 0)
                s->by_unit[ends[2 * s->values[i].at]++] = i;
        for (size_t i = 0; i < results; i++)
            if (s->result[i] >= 0)
                s->by_unit[ends[2 * s->values[s->result[i]].at + 1]++] = i;
        done = list_sums(s, room, ends);
    }
    free(ends);
    return done;
}

static bool
make_sums(struct summing *s, const struct score_event *events, size_t count)
{
    struct score_data *data = s->data;

    if (s->in_bytes == 0 || !find_unit(s, events, count))
        return false;
    s->per = s->in_bytes / s->unit;
    if (!follow(s, events, count) || !check_results(s) || !sort_sums(s))
        return false;
    data->units = s->per;
    data->unit = s->unit;
    data->chunk = s->unit < CHUNK ? s->unit : s->word_bytes < CHUNK ? CHUNK / s->word_bytes * s->word_bytes : s->unit;
    size_t memory = s->between * data->chunk;

    if (memory > MAX_BETWEEN)
        return false;
    data->memory = aligned_alloc(64, (memory + 64) / 64 * 64);
    data->operands = calloc(2 * (size_t)s->layout.nodes, sizeof *data->operands);
    return data->memory && data->operands;
}

bool
score_data_sums(struct score_data *data, const struct peal_call *call, int nodes, size_t word_bytes,
                const struct score_row *rows, const struct score_event *events, size_t count)
{
    struct summing s = {
        .data = data, .rows = rows, .layout = layout_of(call, nodes), .form = call->form, .word_bytes = word_bytes};

    s.in_bytes = call->words * word_bytes * (has_parts(call->form->in) ? (size_t)nodes : 1);
    bool made = !has_parts(call->form->out) && make_sums(&s, events, count);

    free(s.ranges);
    free(s.held);
    free(s.values);
    free(s.table);
    free(s.result);
    free(s.marks);
    free(s.by_unit);
    free(s.spare);
    return made;
}

/* The bytes at `at` of unit `unit`. */
static void
sum_chunk(const struct score_data *data, const struct score_row *row, size_t unit, size_t at, size_t bytes)
{
    size_t place = unit * data->unit + at, chunk = data->chunk, words = bytes / row->word_bytes;
    void (*combine)(const void *, const void *, void *, size_t) = row->combine;

    for (size_t i = data->first[unit]; i < data->first[unit + 1]; i++) {
        struct score_sum sum = data->sums[i];
        const char *left = sum.left < 0 ? data->memory + (size_t)~sum.left * chunk : data->operands[sum.left] + place;
        char *to =
            sum.to < 0 ? data->memory + (size_t)~sum.to * chunk : (char *)(uintptr_t)data->operands[sum.to] + place;

        if (sum.right == NOTHING)
            memcpy(to, left, bytes);
        else
            combine(left, sum.right < 0 ? data->memory + (size_t)~sum.right * chunk : data->operands[sum.right] + place,
                    to, words);
    }
}

static bool
play_sums(const struct score_data *data, const struct score_row *rows, int nodes)
{
    struct copy_guard guard;

    for (int n = 0; n < nodes; n++) {
        data->operands[n] = rows[n].in;
        data->operands[nodes + n] = rows[n].out - data->skipped[n];
    }
    if (sigsetjmp(guard.jump, 0)) {
        copy_guard = NULL;
        return false;
    }
    copy_guard = &guard;
    for (size_t unit = 0; unit < data->units; unit++)
        for (size_t at = 0; at < data->unit; at += data->chunk)
            sum_chunk(data, rows, unit, at, data->unit - at < data->chunk ? data->unit - at : data->chunk);
    copy_guard = NULL;
    return true;
}

bool
score_data_is_long(const struct score_data *data)
{
    return data->units > 0 && data->sum_count > SHARED_SUM / data->unit;
}

bool
score_data_play(const struct score_data *data, struct peal_machine *machine, const struct score_row *rows)
{
    return data->units > 0 ? play_sums(data, rows, machine->options.nodes) : play_copies(data, machine, rows);
}

void
score_data_fini(struct score_data *data)
{
    free(data->moves);
    free(data->copies);
    free(data->sums);
    free(data->first);
    free(data->skipped);
    free(data->memory);
    free(data->operands);
    *data = (struct score_data){.moves = NULL};
}
