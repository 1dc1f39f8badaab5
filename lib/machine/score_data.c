/* SPDX-License-Identifier: MIT */
/* What a played call does to the nodes' data: sums of stretches of their vectors, and moves of nodes' words and of sums
 * to results. */
#include "lib/base/grow.h"
#include "lib/machine/score.h"
#include <stdlib.h>
#include <string.h>

/* Without an operator the collective's row says it (origin), whatever the algorithm, and with one whose sums are the
 * same in any order.  With another one, the copies and combinations of the recorded call are followed: each stretch
 * of a vector that is made is a value, of two others, so what several nodes compute alike is computed once, and in
 * the same order.  Each result must be made of the words that the row says; where it is not, the node has moved words
 * unseen, and the call is not played. */

/* A chunk of the vectors is summed, and brought to all nodes, before the next one is read; moves alone only if what is
 * read is no longer than IN_CACHE.  Chunks of all nodes together take AT_ONCE. */
enum { CHUNK = 4096, IN_CACHE = 256 << 10, AT_ONCE = 1 << 20, COPIES = 4096 };
enum { MAX_VALUES = 1 << 20, MAX_BETWEEN = 4 << 20, SHARED_SUM = 256 << 10 };

/* Memory that does not hold a value: a node has stored something there that is not known; nobody has. */
enum { UNKNOWN = -1, UNTOUCHED = -2 };

/* ------------------------------------------------------------------ lists */

/* List a move; moves at equal distances are one. */
static bool
add_move(struct score_data *data, int32_t from, int32_t to, size_t at, size_t to_at, size_t bytes)
{
    struct score_move *last = data->move_count > data->whole ? &data->moves[data->move_count - 1] : NULL;

    if (last && last->bytes == bytes) {
        int32_t i = last->count;

        if (i == 1) {
            last->step = (struct score_stride){from - last->from, to - last->to, at - last->at, to_at - last->to_at};
            last->count = 2;
            return true;
        }
        if (from == last->from + i * last->step.from && to == last->to + i * last->step.to &&
            at == last->at + (size_t)i * last->step.at && to_at == last->to_at + (size_t)i * last->step.to_at) {
            last->count++;
            return true;
        }
    }
    if (data->move_count == MAX_VALUES || !grow(&data->moves, &data->moves_room, data->move_count + 1, sizeof *last))
        return false;
    data->moves[data->move_count++] = (struct score_move){from, to, at, to_at, bytes, 1, {0}};
    return true;
}

/* ------------------------------------------------------------------ copies */

static struct peal_origin
origin_of(const struct score_data *data, int rank, int part)
{
    struct peal_origin origin = {.kept = false};

    data->call.form->origin(&data->layout, rank, part, &origin);
    return origin;
}

static int
parts_of(const struct score_data *data, int rank)
{
    enum peal_side out = data->call.form->out;
    bool blocks = out == PEAL_SIDE_BLOCKS || out == PEAL_SIDE_PAIRS;

    return out == PEAL_SIDE_ROOT_BLOCKS && rank != data->layout.root ? 0
           : blocks || out == PEAL_SIDE_ROOT_BLOCKS                  ? data->layout.nodes
                                                                     : 1;
}

/* Whether the node gets the same as node 0. */
static bool
gets_the_same(const struct score_data *data, int rank)
{
    int parts = parts_of(data, rank) == parts_of(data, 0) ? parts_of(data, rank) : 0;

    for (int part = 0; part < parts; part++) {
        struct peal_origin one = origin_of(data, 0, part), other = origin_of(data, rank, part);

        if (one.kept || other.kept || one.first != other.first || one.index != other.index || one.words != other.words)
            return false;
    }
    return parts > 0;
}

/* Without an operator.  What all nodes get is brought to one, and from there to the others. */
static bool
list_copies(struct score_data *data)
{
    int nodes = data->layout.nodes, source = data->layout.root, same = 1;
    size_t bytes = 0;

    while (same < nodes && gets_the_same(data, same))
        same++;
    bool one = same == nodes;

    for (int rank = one ? source : 0; rank <= (one ? source : nodes - 1); rank++) {
        bytes = 0;
        for (int part = 0; part < parts_of(data, rank); part++) {
            struct peal_origin origin = origin_of(data, rank, part);
            size_t length = origin.words * data->word_bytes;

            if (origin.first != origin.last ||
                (!origin.kept && length > 0 &&
                 !add_move(data, origin.first, rank, origin.index * data->word_bytes, bytes, length)))
                return false;
            bytes += length;
        }
    }
    data->whole = data->move_count;
    if (!one)
        return true;
    data->bytes = bytes;
    data->chunk = bytes <= IN_CACHE ? CHUNK : bytes;
    for (int rank = 0; rank < nodes; rank++)
        if (!add_move(data, nodes + source, rank, 0, 0, bytes))
            return false;
    return true;
}

/* ------------------------------------------------------------------ values */

/* The sum of the marks of the nodes below this one. */
static uint64_t
marks_below(int node)
{
    return node == 0 ? 0 : map_mix((uint64_t)node, (uint64_t)node);
}

/* The combination of stretches of two values; UNKNOWN: it is none, or there is no room. */
static int32_t
combined(struct score_data *data, int32_t left, int32_t right, size_t at, size_t bytes)
{
    uint64_t key = map_mix(map_mix(map_pair((uint32_t)left, (uint32_t)right), at), bytes);
    ptrdiff_t known;

    for (size_t place = 0; (known = map_next(&data->known, key, &place)) != MAP_NONE;) {
        const struct score_value *value = &data->values[known];

        if (value->left == left && value->right == right && value->at == at && value->bytes == bytes)
            return (int32_t)known;
    }
    if (data->value_count == MAX_VALUES ||
        !grow(&data->values, &data->values_room, data->value_count + 1, sizeof *data->values) ||
        !map_put(&data->known, key, data->value_count))
        return UNKNOWN;
    data->values[data->value_count] =
        (struct score_value){left, right, 0, 0, at, bytes, data->values[left].nodes + data->values[right].nodes};
    return (int32_t)data->value_count++;
}

/* The value of the words of nodes 0 .. node, added in this order. */
static int32_t
prefix(const struct score_data *data, int node)
{
    return node == 0 ? 0 : data->layout.nodes + node - 1;
}

/* ------------------------------------------------------------------ where values lie */

/* The first stretch that ends behind this place. */
static size_t
find(const struct score_memory *memory, const char *at)
{
    size_t low = 0, high = memory->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (memory->held[middle].end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What lies there: the beginning of these bytes, as far as they are of one value. */
static struct score_held
look(const struct score_memory *memory, const char *at, size_t bytes)
{
    size_t i = find(memory, at);
    struct score_held found = {at, at + bytes, 0, UNTOUCHED};

    if (i == memory->count || memory->held[i].begin >= found.end)
        return found;
    const struct score_held *held = &memory->held[i];

    if (held->begin > at) {
        found.end = held->begin;
        return found;
    }
    return (struct score_held){at, held->end < found.end ? held->end : found.end, held->at + (size_t)(at - held->begin),
                               held->value};
}

/* The bytes are overwritten. */
static bool
hold(struct score_memory *memory, struct score_held new)
{
    if (!grow(&memory->held, &memory->room, memory->count + 2, sizeof new))
        return false;
    struct score_held *held = memory->held, parts[3];
    size_t first = find(memory, new.begin), last = first, made = 0;

    while (last < memory->count && held[last].begin < new.end)
        last++;
    if (first < last && held[first].begin < new.begin) {
        parts[made] = held[first];
        parts[made++].end = new.begin;
    }
    parts[made++] = new;
    if (first < last && held[last - 1].end > new.end) {
        parts[made] = held[last - 1];
        parts[made].at += (size_t)(new.end - parts[made].begin);
        parts[made++].begin = new.end;
    }
    memmove(&held[first + made], &held[last], (memory->count - last) * sizeof new);
    memcpy(&held[first], parts, made * sizeof new);
    memory->count += first + made - last;
    return true;
}

bool
score_data_follow(struct score_data *data, int from, const char *left, const char *right, int node, const char *to,
                  size_t bytes)
{
    while (bytes > 0) {
        struct score_held one = look(&data->memory[from], left, bytes);
        size_t part = (size_t)(one.end - one.begin);

        if (right) {
            struct score_held other = look(&data->memory[from], right, part);

            part = (size_t)(other.end - other.begin);
            one.value = one.value >= 0 && other.value >= 0 && one.at == other.at
                            ? combined(data, one.value, other.value, one.at, part)
                            : UNKNOWN;
            right += part;
        }
        if (!hold(&data->memory[node], (struct score_held){to, to + part, one.at, one.value < 0 ? UNKNOWN : one.value}))
            return false;
        left += part;
        to += part;
        bytes -= part;
    }
    return true;
}

bool
score_data_left(struct score_data *data, int node, const struct score_row *row)
{
    if (!data->call.op)
        return true;
    struct peal_origin origin = origin_of(data, node, 0);
    size_t bytes = data->layout.words * data->word_bytes, begin = origin.index * data->word_bytes;
    uint64_t nodes = marks_below(origin.last + 1) - marks_below(origin.first);

    if (origin.words != data->layout.words || (!data->memory && origin.first != 0 && !origin.kept))
        return false;
    for (size_t at = 0; at < bytes;) {
        const char *out = row->out + at;
        struct score_held held = data->memory ? look(&data->memory[node], out, bytes - at)
                                              : (struct score_held){out, out + bytes, begin, prefix(data, origin.last)};
        size_t part = (size_t)(held.end - held.begin);

        if (origin.kept) { /* as it was, or it is not seen what it is */
            if (data->memory && held.value != UNTOUCHED && held.value != node)
                return false;
        } else if (held.value < 0 || held.at != begin + at || data->values[held.value].nodes != nodes ||
                   !grow(&data->results, &data->results_room, data->result_count + 1, sizeof *data->results)) {
            return false;
        } else {
            data->values[held.value].uses++;
            data->results[data->result_count++] = (struct score_result){held.value, node, begin + at, at, part};
        }
        at += part;
    }
    return true;
}

/* ------------------------------------------------------------------ begin and end */

bool
score_data_begin(struct score_data *data, const struct peal_call *call, int nodes, const struct score_row *rows)
{
    size_t word_bytes = rows->word_bytes, blocks = call->form->in == PEAL_SIDE_BLOCKS ? (size_t)nodes : 1,
           most = AT_ONCE / (size_t)nodes < CHUNK ? AT_ONCE / (size_t)nodes : CHUNK;

    data->call = *call;
    data->layout = (struct peal_layout){.nodes = nodes, .root = call->root, .by = call->by, .words = call->words};
    data->word_bytes = word_bytes;
    if (!call->op)
        return !call->form->origin || list_copies(data);
    data->bytes = blocks * call->words * word_bytes;
    data->chunk = most < word_bytes ? word_bytes : most / word_bytes * word_bytes;
    if (!grow(&data->values, &data->values_room, 2 * (size_t)nodes, sizeof *data->values) ||
        (!rows->exact && !(data->memory = calloc((size_t)nodes, sizeof *data->memory))))
        return false;
    for (int n = 0; n < nodes; n++)
        data->values[data->value_count++] =
            (struct score_value){UNKNOWN, UNKNOWN, n, 0, 0, data->bytes, marks_below(n + 1) - marks_below(n)};
    for (int n = 0; n < nodes; n++)
        if (data->memory ? !hold(&data->memory[n], (struct score_held){rows[n].in, rows[n].in + data->bytes, 0, n})
                         : n > 0 && combined(data, prefix(data, n - 1), n, 0, data->bytes) < 0)
            return false;
    return true;
}

/* Operands have lower numbers than what they make, and begin no later. */
static int
compare_sums(const void *a, const void *b)
{
    const struct score_sum *one = a, *other = b;

    return one->at != other->at ? (one->at > other->at) - (one->at < other->at)
                                : (one->to > other->to) - (one->to < other->to);
}

/* The operand of the value; it is used once less: memory between is spare then. */
static int32_t
use(struct score_value *value, int32_t *spare, size_t *spare_count)
{
    if (--value->uses == 0 && value->operand < 0)
        spare[(*spare_count)++] = value->operand;
    return value->operand;
}

/* List the sums that are wanted, in order; gives how many lie between at once. */
static bool
list_sums(struct score_data *data, size_t *between)
{
    size_t nodes = (size_t)data->layout.nodes, spare_count = 0;
    int32_t *spare = malloc(data->value_count * sizeof *spare);
    struct score_sum *sum = data->sums = malloc(data->value_count * sizeof *sum);

    if (!spare || !sum) {
        free(spare);
        return false;
    }
    for (size_t v = data->value_count; v-- > nodes;) {
        const struct score_value *value = &data->values[v];

        if (value->uses == 0)
            continue;
        data->values[value->left].uses++;
        data->values[value->right].uses++;
        *sum++ = (struct score_sum){value->left, value->right, (int32_t)v, value->at, value->bytes};
    }
    data->sum_count = (size_t)(sum - data->sums);
    qsort(data->sums, data->sum_count, sizeof *data->sums, compare_sums);
    *between = 0;
    for (sum = data->sums; sum < data->sums + data->sum_count; sum++) {
        struct score_value *value = &data->values[sum->to];

        sum->left = use(&data->values[sum->left], spare, &spare_count);
        sum->right = use(&data->values[sum->right], spare, &spare_count);
        sum->to = value->operand = spare_count > 0 ? spare[--spare_count] : ~(int32_t)(*between)++;
    }
    free(spare);
    return true;
}

static void
forget_values(struct score_data *data)
{
    for (int n = 0; data->memory && n < data->layout.nodes; n++)
        free(data->memory[n].held);
    free(data->memory);
    free(data->values);
    free(data->results);
    free(data->known.places);
    data->memory = NULL;
    data->values = NULL;
    data->results = NULL;
    data->known = (struct map){.places = NULL};
}

bool
score_data_end(struct score_data *data)
{
    size_t between = 0;

    if (data->call.op && !list_sums(data, &between))
        return false;
    for (size_t i = 0; i < data->result_count; i++) {
        const struct score_result *result = &data->results[i];

        if (!add_move(data, data->values[result->value].operand, result->node, result->at, result->to_at,
                      result->bytes))
            return false;
    }
    forget_values(data);
    if (between > 0 && between > MAX_BETWEEN / data->chunk)
        return false;
    data->between = aligned_alloc(64, (between * data->chunk + 64) / 64 * 64);
    data->copies = malloc(COPIES * sizeof *data->copies);
    return data->between && data->copies;
}

bool
score_data_is_long(const struct score_data *data)
{
    size_t bytes = 0;

    for (size_t i = 0; i < data->sum_count; i++)
        bytes += data->sums[i].bytes;
    return bytes > SHARED_SUM;
}

void
score_data_fini(struct score_data *data)
{
    forget_values(data);
    free(data->sums);
    free(data->moves);
    free(data->copies);
    free(data->between);
    *data = (struct score_data){.moves = NULL};
}

/* ------------------------------------------------------------------ playing */

/* What is carried out: on these buffers, bytes begin .. end of the vectors. */
struct score_chunk {
    const struct score_data *data;
    struct peal_machine *machine;
    const struct score_row *rows;
    size_t begin, end;
};

/* The operand's bytes from `at` on. */
static char *
bytes_at(const struct score_chunk *part, int32_t operand, size_t at)
{
    int nodes = part->data->layout.nodes;

    return operand < 0       ? part->data->between + (size_t)~operand * part->data->chunk + (at - part->begin)
           : operand < nodes ? part->rows[operand].in + at
                             : part->rows[operand - nodes].out + at;
}

/* Carry out the sums; *first: the first one that ends behind the part.  False: a buffer cannot be read. */
static bool
play_sums(const struct score_chunk *part, size_t *first)
{
    const struct score_data *data = part->data;
    void (*combine)(const void *, const void *, void *, size_t) = part->rows->combine;
    struct copy_guard guard;

    while (*first < data->sum_count && data->sums[*first].at + data->sums[*first].bytes <= part->begin)
        ++*first;
    if (sigsetjmp(guard.jump, 0)) {
        copy_guard = NULL;
        return false;
    }
    copy_guard = &guard;
    for (const struct score_sum *sum = &data->sums[*first], *last = &data->sums[data->sum_count];
         sum < last && sum->at < part->end; sum++) {
        size_t low = sum->at > part->begin ? sum->at : part->begin,
               high = sum->at + sum->bytes < part->end ? sum->at + sum->bytes : part->end;

        if (low < high)
            combine(bytes_at(part, sum->left, low), bytes_at(part, sum->right, low), bytes_at(part, sum->to, low),
                    (high - low) / data->word_bytes);
    }
    copy_guard = NULL;
    return true;
}

/* Carry out these moves. */
static bool
play_moves(const struct score_chunk *part, const struct score_move *move, const struct score_move *last)
{
    struct copy *copies = part->data->copies;
    size_t count = 0;

    for (; move < last; move++) {
        size_t at = move->at, to_at = move->to_at;
        int32_t from = move->from, to = move->to;

        for (int32_t i = 0; i < move->count;
             i++, at += move->step.at, to_at += move->step.to_at, from += move->step.from, to += move->step.to) {
            size_t low = at > part->begin ? at : part->begin,
                   high = at + move->bytes < part->end ? at + move->bytes : part->end;

            if (low >= high)
                continue;
            char *source = bytes_at(part, from, low), *target = part->rows[to].out + to_at + (low - at);

            if (source == target)
                continue;
            copies[count++] = (struct copy){target, source, high - low};
            if (count == COPIES) {
                if (copies_perform(part->machine, copies, count))
                    return false;
                count = 0;
            }
        }
    }
    return !copies_perform(part->machine, copies, count);
}

bool
score_data_play(const struct score_data *data, struct peal_machine *machine, const struct score_row *rows)
{
    struct score_chunk part = {data, machine, rows, 0, SIZE_MAX};
    const struct score_move *whole = data->moves + data->whole;
    size_t first = 0;

    if (data->whole > 0 && !play_moves(&part, data->moves, whole))
        return false;
    for (; part.begin < data->bytes; part.begin = part.end) {
        part.end = data->bytes - part.begin < data->chunk ? data->bytes : part.begin + data->chunk;
        if ((data->sum_count > 0 && !play_sums(&part, &first)) ||
            !play_moves(&part, whole, data->moves + data->move_count))
            return false;
    }
    return true;
}
