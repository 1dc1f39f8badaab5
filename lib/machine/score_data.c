/* SPDX-License-Identifier: MIT */
/* What a played call does to the nodes' data: runs of sums and moves.  The collective's row says it (origin) where
 * there is no operator, or one whose sums are the same in any order.  With another one the copies and combinations
 * of the recorded call are followed: each unit of the vectors that they move is a value, made of two others, so what
 * several nodes compute alike is computed once, and in the same order.  Each result must be made of the words that
 * the row says; where it is not, the node has moved words unseen, and the call is not played. */
#include "lib/base/grow.h"
#include "lib/machine/score.h"
#include <stdlib.h>
#include <string.h>

/* A chunk is summed, and brought to all nodes, before the next one is read; moves alone only if what is read is no
 * longer than IN_CACHE.  Chunks of all nodes together take AT_ONCE. */
enum { CHUNK = 4096, IN_CACHE = 256 << 10, AT_ONCE = 1 << 20 };
enum { MAX_UNITS = 1 << 20, MAX_MOVES = 1 << 17, MAX_BETWEEN = 4 << 20, SHARED_SUM = 256 << 10 };

static bool
has_parts(enum peal_side side)
{
    return side == PEAL_SIDE_BLOCKS || side == PEAL_SIDE_ROOT_BLOCKS || side == PEAL_SIDE_PAIRS;
}

/* Begin a run, which is carried out in such chunks. */
static bool
add_run(struct score_data *data, size_t at, size_t bytes, size_t chunk)
{
    if (!grow(&data->runs, &data->runs_room, data->run_count + 1, sizeof *data->runs))
        return false;
    data->runs[data->run_count++] = (struct score_run){at, bytes, chunk, data->sum_count, data->move_count};
    return true;
}

static bool
add_move(struct score_data *data, struct score_move move)
{
    if (data->move_count == MAX_UNITS || !grow(&data->moves, &data->moves_room, data->move_count + 1, sizeof move))
        return false;
    data->moves[data->move_count++] = move;
    return true;
}

static bool
add_sum(struct score_data *data, struct score_sum sum)
{
    if (!grow(&data->sums, &data->sums_room, data->sum_count + 1, sizeof sum))
        return false;
    data->sums[data->sum_count++] = sum;
    return true;
}

/* How much of the vectors is summed at a time. */
static size_t
chunk_of(int nodes, size_t word_bytes)
{
    size_t most = AT_ONCE / (size_t)nodes < CHUNK ? AT_ONCE / (size_t)nodes : CHUNK;

    return most < word_bytes ? word_bytes : most / word_bytes * word_bytes;
}

/* The last run is complete: make room to carry all out, with so many chunks between. */
static bool
finish(struct score_data *data, size_t between, size_t chunk)
{
    size_t most = 0;

    if (!add_run(data, 0, 0, 0))
        return false;
    for (size_t i = 0; i + 1 < data->run_count; i++)
        if (data->runs[i + 1].move - data->runs[i].move > most)
            most = data->runs[i + 1].move - data->runs[i].move;
    data->copies = malloc((most + 1) * sizeof *data->copies);
    if (between > MAX_BETWEEN / chunk || !data->copies)
        return false;
    data->memory = aligned_alloc(64, (between * chunk + 64) / 64 * 64);
    return data->memory;
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

/* List what the node gets; *bytes: how much. */
static bool
add_moves(struct score_data *data, const struct peal_call *call, const struct peal_layout *layout, int rank,
          size_t word_bytes, size_t *bytes)
{
    *bytes = 0;
    for (int part = 0; part < parts_of(call, rank, layout->nodes); part++) {
        struct peal_origin origin = {.kept = false};

        call->form->origin(layout, rank, part, &origin);
        if (data->move_count == MAX_MOVES || origin.first != origin.last)
            return false;
        if (!origin.kept && origin.words > 0 &&
            !add_move(data, (struct score_move){origin.first, rank, origin.index * word_bytes, *bytes,
                                                origin.words * word_bytes}))
            return false;
        *bytes += origin.words * word_bytes;
    }
    return true;
}

bool
score_data_copies(struct score_data *data, const struct peal_call *call, int nodes, size_t word_bytes)
{
    const struct peal_layout layout = {.nodes = nodes, .root = call->root, .by = call->by, .words = call->words};
    bool one = call->form->origin && is_one(call, &layout);
    int source = call->form->root ? call->root : 0, first = one ? source : 0, last = one ? source : nodes - 1;
    size_t bytes = 0;

    if (!add_run(data, 0, SIZE_MAX, SIZE_MAX))
        return false;
    for (int rank = first; call->form->origin && rank <= last; rank++)
        if (!add_moves(data, call, &layout, rank, word_bytes, &bytes))
            return false;
    if (one) {
        if (!add_run(data, 0, bytes, bytes <= IN_CACHE ? CHUNK : bytes))
            return false;
        for (int rank = 0; rank < nodes; rank++)
            if (rank != source && bytes > 0 && !add_move(data, (struct score_move){nodes + source, rank, 0, 0, bytes}))
                return false;
    }
    return finish(data, 0, 1);
}

/* ------------------------------------------------------------------ sums whose order is free */

bool
score_data_free_sums(struct score_data *data, const struct peal_call *call, int nodes, size_t word_bytes)
{
    const struct peal_layout layout = {.nodes = nodes, .root = call->root, .by = call->by, .words = call->words};
    size_t bytes = call->words * word_bytes, all = call->form->in == PEAL_SIDE_BLOCKS ? (size_t)nodes * bytes : bytes;
    size_t chunk = chunk_of(nodes, word_bytes), between = 0;
    int32_t *sums = calloc((size_t)nodes, sizeof *sums); /* of nodes 0 .. n: wanted; then where it is */
    struct peal_origin origin = {.kept = false};
    bool made = sums && !has_parts(call->form->out) && add_run(data, 0, all, chunk);

    for (int n = 0; made && n < nodes; n++) {
        call->form->origin(&layout, n, 0, &origin);
        made = origin.kept || (origin.first == 0 && origin.words == call->words);
        sums[origin.last] |= !origin.kept;
    }
    for (int n = 1, wanted = 1; made && n < nodes; n++) { /* that of n goes over that of n - 1, unless this is wanted */
        int32_t to = wanted ? ~(int32_t)between++ : sums[n - 1];

        made = add_sum(data, (struct score_sum){n == 1 ? 0 : sums[n - 1], n, to});
        wanted = sums[n];
        sums[n] = to;
    }
    for (int n = 0; made && n < nodes; n++) {
        call->form->origin(&layout, n, 0, &origin);
        made = origin.kept || add_move(data, (struct score_move){origin.last == 0 ? 0 : sums[origin.last], n,
                                                                 origin.index * word_bytes, 0, bytes});
    }
    free(sums);
    return made && finish(data, between, chunk);
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
    int32_t next; /* of the combinations of this unit; -1: none */
    int32_t uses, memory;
    uint64_t nodes; /* whose words are in it: the sum of their marks */
};

struct summing {
    struct score_data *data;
    const struct score_row *rows;
    struct peal_layout layout;
    const struct peal_form *form;
    const struct score_event *events;
    size_t count, word_bytes, unit;
    size_t per, room; /* units of a node's own words, and of its result */
    struct sum_range *ranges;
    size_t range_count, ranges_room, units;
    int32_t *held; /* the value in each unit of memory; -1: unknown */
    struct sum_value *values;
    size_t value_count, values_room;
    int32_t *table; /* a hash of combinations: value, plus 1 */
    size_t table_room;
    int32_t *first, *last;             /* combination of each unit */
    int32_t *result;                   /* of each node, in turn: the value of each unit; -1: kept */
    size_t *skipped;                   /* a node: units of the vector before its result */
    uint64_t *marks;                   /* of the nodes before each one, added up */
    int32_t *spare;                    /* memory between that is free */
    size_t spare_count, used, between; /* in this unit, and at most */
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

/* The value in the unit at this place, and in those behind. */
static int32_t *
held_at(const struct summing *s, const char *at)
{
    const struct sum_range *range = find_range(s, at);

    return s->held + range->first + ((uintptr_t)at - range->begin) / s->unit;
}

/* Merge the ranges, and find the largest unit in which all places and lengths are whole. */
static bool
find_unit(struct summing *s)
{
    size_t merged = 0;

    if (!grow(&s->ranges, &s->ranges_room, 3 * s->count, sizeof *s->ranges))
        return false;
    for (size_t i = 0; i < s->count; i++) {
        const char *places[3] = {s->events[i].left, s->events[i].to, s->events[i].right};

        for (int p = 0; p < 3 && places[p] && s->events[i].bytes > 0; p++)
            s->ranges[s->range_count++] =
                (struct sum_range){(uintptr_t)places[p], (uintptr_t)places[p] + s->events[i].bytes, 0};
    }
    qsort(s->ranges, s->range_count, sizeof *s->ranges, compare_ranges);
    for (size_t i = 0; i < s->range_count; i++)
        if (merged == 0 || s->ranges[i].begin > s->ranges[merged - 1].end)
            s->ranges[merged++] = s->ranges[i];
        else if (s->ranges[i].end > s->ranges[merged - 1].end)
            s->ranges[merged - 1].end = s->ranges[i].end;
    s->range_count = merged;
    for (size_t i = 0; i < s->count; i++) {
        const char *places[3] = {s->events[i].left, s->events[i].to, s->events[i].right};

        s->unit = common(s->events[i].bytes, s->unit);
        for (int p = 0; p < 3 && places[p] && s->events[i].bytes > 0; p++)
            s->unit = common(s->unit, (uintptr_t)places[p] - find_range(s, places[p])->begin);
    }
    if (s->unit == 0 || s->unit % s->word_bytes != 0)
        return false;
    for (size_t i = 0; i < merged; i++) {
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
    uint32_t at = s->values[left].at;

    for (slot &= s->table_room - 1; s->table[slot]; slot = (slot + 1) & (s->table_room - 1)) {
        const struct sum_value *value = &s->values[s->table[slot] - 1];

        if (value->left == left && value->right == right)
            return s->table[slot] - 1;
    }
    int32_t made =
        add_value(s, (struct sum_value){left, right, -1, at, -1, 0, 0, s->values[left].nodes + s->values[right].nodes});

    if (made < 0)
        return -1;
    *(s->first[at] < 0 ? &s->first[at] : &s->values[s->last[at]].next) = made;
    s->last[at] = made;
    s->table[slot] = made + 1;
    return made;
}

/* Follow the events. */
static bool
follow(struct summing *s)
{
    size_t steps = 0;

    for (size_t i = 0; i < s->count; i++)
        steps += s->events[i].bytes / s->unit;
    if (steps > 2 * MAX_UNITS || s->per * (size_t)s->layout.nodes > MAX_UNITS)
        return false;
    for (s->table_room = 1024; s->table_room < 2 * steps; s->table_room *= 2)
        continue;
    s->held = malloc((s->units + 1) * sizeof *s->held);
    s->first = malloc((s->per + 1) * sizeof *s->first);
    s->last = calloc(s->per + 1, sizeof *s->last);
    s->table = calloc(s->table_room, sizeof *s->table);
    if (!s->held || !s->first || !s->last || !s->table)
        return false;
    memset(s->held, 0xff, s->units * sizeof *s->held);
    memset(s->first, 0xff, s->per * sizeof *s->first);
    for (int n = 0; n < s->layout.nodes; n++)
        for (size_t i = 0; i < s->per; i++) {
            int32_t own = add_value(s, (struct sum_value){-1, -1, n, (uint32_t)i, -1, 0, 0, mark_of(n)});

            if (own < 0)
                return false;
            held_at(s, s->rows[n].in)[i] = own;
        }
    for (size_t i = 0; i < s->count; i++) {
        const struct score_event *event = &s->events[i];
        int32_t *to = held_at(s, event->to);
        const int32_t *left = held_at(s, event->left), *right = event->right ? held_at(s, event->right) : NULL;

        for (size_t u = 0; u < event->bytes / s->unit; u++)
            to[u] = right ? combined(s, left[u], right[u]) : left[u];
    }
    return true;
}

/* Check the results, and note their values. */
static bool
check_results(struct summing *s)
{
    int nodes = s->layout.nodes;

    s->result = calloc((size_t)nodes * s->room + 1, sizeof *s->result);
    s->marks = calloc((size_t)nodes + 1, sizeof *s->marks);
    s->skipped = calloc((size_t)nodes, sizeof *s->skipped);
    if (!s->result || !s->marks || !s->skipped)
        return false;
    for (int n = 0; n < nodes; n++)
        s->marks[n + 1] = s->marks[n] + mark_of(n);
    for (int n = 0; n < nodes; n++) {
        struct peal_origin origin = {.kept = false};
        const int32_t *held = held_at(s, s->rows[n].out);

        s->form->origin(&s->layout, n, 0, &origin);
        if (origin.words != s->layout.words || origin.index * s->word_bytes % s->unit != 0)
            return false;
        s->skipped[n] = origin.index * s->word_bytes / s->unit;
        if (origin.kept) /* as it was, or it is not seen what it is */
            origin.first = origin.last = n;
        for (size_t u = 0; u < s->room; u++) {
            struct sum_value *value = held[u] < 0 ? NULL : &s->values[held[u]];

            if (!value || value->at != s->skipped[n] + u ||
                value->nodes != s->marks[origin.last + 1] - s->marks[origin.first])
                return false;
            s->result[(size_t)n * s->room + u] = origin.kept ? -1 : held[u];
            value->uses += !origin.kept;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ sums: what is done */

static int32_t
operand(const struct sum_value *value)
{
    return value->memory < 0 ? value->memory : value->node;
}

/* Compute the value in memory of its own: right NULL, it is a node's own word, which may be overwritten. */
static bool
compute(struct summing *s, struct sum_value *value, struct sum_value *left, struct sum_value *right)
{
    struct score_sum sum = {operand(left), right ? operand(right) : SCORE_NOTHING, 0};

    if (right && --left->uses == 0 && left->memory < 0)
        s->spare[s->spare_count++] = left->memory;
    if (right && --right->uses == 0 && right->memory < 0)
        s->spare[s->spare_count++] = right->memory;
    sum.to = value->memory = s->spare_count > 0 ? s->spare[--s->spare_count] : ~(int32_t)s->used++;
    s->between = s->used > s->between ? s->used : s->between;
    return add_sum(s->data, sum);
}

/* List the sums of a unit, and then the moves of its results. */
static bool
list_unit(struct summing *s, size_t unit)
{
    size_t nodes = (size_t)s->layout.nodes;

    s->spare_count = s->used = 0;
    for (int32_t v = s->first[unit]; v >= 0; v = s->values[v].next) {
        struct sum_value *value = &s->values[v];

        if (value->uses > 0 && !compute(s, value, &s->values[value->left], &s->values[value->right]))
            return false;
    }
    for (size_t n = 0; n < nodes; n++) {
        size_t u = unit - s->skipped[n]; /* wraps where the result begins later */
        int32_t v = u < s->room ? s->result[n * s->room + u] : -1;

        if (v < 0)
            continue;
        if (s->values[v].left < 0 && s->values[v].memory == 0 && s->values[v].node != (int32_t)n &&
            !compute(s, &s->values[v], &s->values[v], NULL))
            return false;
    }
    for (size_t n = 0; n < nodes; n++) {
        size_t u = unit - s->skipped[n];
        int32_t v = u < s->room ? s->result[n * s->room + u] : -1;

        if (v >= 0 && !add_move(s->data, (struct score_move){operand(&s->values[v]), (int32_t)n, unit * s->unit,
                                                             u * s->unit, s->unit}))
            return false;
    }
    return true;
}

/* The run was made like the one before it, whose units it follows: make them one. */
static void
merge(struct score_data *data)
{
    struct score_run *one = &data->runs[data->run_count - 2], *two = one + 1;
    size_t sums = data->sum_count - two->sum, moves = data->move_count - two->move;

    if (two->sum - one->sum != sums ||
        memcmp(&data->sums[one->sum], &data->sums[two->sum], sums * sizeof *data->sums) != 0)
        return;
    for (size_t i = 0; i < moves; i++) {
        struct score_move *move = &data->moves[two->move + i], *before = move - moves;

        if (two->move - one->move < moves || before->from != move->from || before->to != move->to) {
            moves = 0;
            break;
        }
    }
    one->bytes += two->bytes;
    data->sum_count = two->sum;
    if (moves > 0 && two->move - one->move >= moves) {
        for (size_t i = 0; i < moves; i++)
            data->moves[two->move - moves + i].bytes += two->bytes;
        data->move_count = two->move;
    }
    data->run_count--;
}

static bool
make_sums(struct summing *s, bool parts)
{
    struct score_data *data = s->data;
    size_t nodes = (size_t)s->layout.nodes, chunk = chunk_of(s->layout.nodes, s->word_bytes);

    if (!find_unit(s))
        return false;
    s->room = s->word_bytes * s->layout.words / s->unit;
    s->per = s->room * (parts ? nodes : 1);
    if (!follow(s) || !check_results(s) || !(s->spare = malloc((s->value_count + 1) * sizeof *s->spare)))
        return false;
    for (size_t i = s->value_count; i-- > 0;) /* operands have lower numbers */
        if (s->values[i].uses > 0 && s->values[i].left >= 0) {
            s->values[s->values[i].left].uses++;
            s->values[s->values[i].right].uses++;
        }
    for (size_t unit = 0; unit < s->per; unit++) {
        if (!add_run(data, unit * s->unit, s->unit, chunk) || !list_unit(s, unit))
            return false;
        if (unit > 0)
            merge(data);
    }
    return finish(data, s->between, chunk);
}

bool
score_data_sums(struct score_data *data, const struct peal_call *call, int nodes, size_t word_bytes,
                const struct score_row *rows, const struct score_event *events, size_t count)
{
    struct summing s = {.data = data,
                        .rows = rows,
                        .layout = {.nodes = nodes, .root = call->root, .by = call->by, .words = call->words},
                        .form = call->form,
                        .events = events,
                        .count = count,
                        .word_bytes = word_bytes};
    bool made = !has_parts(call->form->out) && make_sums(&s, has_parts(call->form->in));

    free(s.ranges);
    free(s.held);
    free(s.values);
    free(s.table);
    free(s.first);
    free(s.last);
    free(s.result);
    free(s.skipped);
    free(s.marks);
    free(s.spare);
    return made;
}

/* ------------------------------------------------------------------ playing */

/* The operand's bytes from `at` on, of the chunk that begins at `begin`. */
static const char *
bytes_at(const struct score_data *data, const struct score_row *rows, int nodes, int32_t operand, size_t begin,
         size_t at, size_t chunk)
{
    return operand < 0       ? data->memory + (size_t)~operand * chunk + (at - begin)
           : operand < nodes ? rows[operand].in + at
                             : rows[operand - nodes].out + at;
}

/* Carry out the sums of a chunk.  False: a buffer cannot be read. */
static bool
play_sums(const struct score_data *data, const struct score_row *rows, int nodes, const struct score_run *run,
          size_t at, size_t bytes)
{
    void (*combine)(const void *, const void *, void *, size_t) = rows->combine;
    size_t words = bytes / rows->word_bytes;
    struct copy_guard guard;

    if (run[1].sum == run->sum)
        return true;
    if (sigsetjmp(guard.jump, 0)) {
        copy_guard = NULL;
        return false;
    }
    copy_guard = &guard;
    for (const struct score_sum *sum = &data->sums[run->sum], *end = &data->sums[run[1].sum]; sum < end; sum++) {
        const char *left = bytes_at(data, rows, nodes, sum->left, at, at, run->chunk);
        char *to = data->memory + (size_t)~sum->to * run->chunk;

        if (sum->right == SCORE_NOTHING)
            memcpy(to, left, bytes);
        else
            combine(left, bytes_at(data, rows, nodes, sum->right, at, at, run->chunk), to, words);
    }
    copy_guard = NULL;
    return true;
}

/* Carry out the part of the moves that is in a chunk. */
static bool
play_moves(const struct score_data *data, struct peal_machine *machine, const struct score_row *rows,
           const struct score_run *run, size_t at, size_t bytes)
{
    size_t count = 0;

    for (const struct score_move *move = &data->moves[run->move], *end = &data->moves[run[1].move]; move < end;
         move++) {
        size_t low = move->from_at > at ? move->from_at : at,
               high = move->from_at + move->bytes < at + bytes ? move->from_at + move->bytes : at + bytes;

        if (low >= high)
            continue;
        const char *from = bytes_at(data, rows, machine->options.nodes, move->from, at, low, run->chunk);
        char *to = rows[move->to].out + move->to_at + (low - move->from_at);

        if (to != from)
            data->copies[count++] = (struct copy){to, from, high - low};
    }
    return !copies_perform(machine, data->copies, count);
}

bool
score_data_is_long(const struct score_data *data)
{
    size_t bytes = 0;

    for (const struct score_run *run = data->runs; run->bytes > 0; run++)
        bytes += (run[1].sum - run->sum) * run->bytes;
    return bytes > SHARED_SUM;
}

bool
score_data_play(const struct score_data *data, struct peal_machine *machine, const struct score_row *rows)
{
    for (const struct score_run *run = data->runs; run + 1 < data->runs + data->run_count; run++)
        for (size_t at = 0; at < run->bytes; at += run->chunk) {
            size_t bytes = run->bytes - at < run->chunk ? run->bytes - at : run->chunk;

            if (!play_sums(data, rows, machine->options.nodes, run, run->at + at, bytes) ||
                !play_moves(data, machine, rows, run, run->at + at, bytes))
                return false;
        }
    return true;
}

void
score_data_fini(struct score_data *data)
{
    free(data->runs);
    free(data->moves);
    free(data->sums);
    free(data->copies);
    free(data->memory);
    *data = (struct score_data){.moves = NULL};
}
