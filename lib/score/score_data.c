/* SPDX-License-Identifier: MIT */
/* What a played call does to the nodes' data: sums of stretches of their vectors, and moves of nodes' words and of sums
 * to results. */
#include "lib/machine/copy.h"
#include "lib/machine/hooks.h"
#include "lib/score/score.h"
#include <stdlib.h>

/* Without an operator, or with one whose sums are the same in any order, the collective's row says it (origin),
 * whatever the algorithm.  With another one the recorded call runs on names in place of words: a word is the name of a
 * word of a value, and combining makes a value of two others.  What several nodes compute alike is one value, computed
 * once, in the same order.  Each result must be made of the words that the row says. */

/* A chunk of the vectors is summed, and brought to all nodes, before the next one is read.  Chunks of all nodes
 * together take AT_ONCE. */
enum { CHUNK = 4096, CHUNKS = 1024, AT_ONCE = 1 << 20, COPIES = 256 };
enum { MAX_STEPS = 1 << 20, MAX_BETWEEN = 4 << 20, MAX_NAMED = 8 << 20, SHARED_SUM = 256 << 10, NONE = -1 };

/* ------------------------------------------------------------------ steps */

static bool
is_moved(struct score_place place, struct score_place from, struct score_place by, int32_t times)
{
    return place.buffer == from.buffer + times * by.buffer && place.at == from.at + (size_t)times * by.at;
}

static struct score_place
score_place_distance(struct score_place a, struct score_place b)
{
    return (struct score_place){a.buffer - b.buffer, a.at - b.at};
}

/* List a step; copies at equal distances are one. */
static bool
score_data_add_step(struct score_data *data, struct score_place from, struct score_place with, struct score_place to,
                    size_t bytes)
{
    struct score_step *last = data->step_count > 0 ? &data->steps[data->step_count - 1] : NULL;

    if (last && last->bytes == bytes && last->with.buffer == NONE && with.buffer == NONE) {
        if (last->count == 1) {
            last->by_from = score_place_distance(from, last->from);
            last->by_to = score_place_distance(to, last->to);
        }
        if (is_moved(from, last->from, last->by_from, last->count) &&
            is_moved(to, last->to, last->by_to, last->count)) {
            last->count++;
            return true;
        }
    }
    if (data->step_count == MAX_STEPS ||
        !array_grow(&data->steps, &data->steps_room, data->step_count + 1, sizeof *last))
        return false;
    data->steps[data->step_count++] = (struct score_step){from, with, to, {0}, {0}, bytes, 1};
    return true;
}

/* The node gets these bytes in its result at to_at. */
static bool
add_copy(struct score_data *data, struct score_place from, int node, size_t to_at, size_t bytes)
{
    return score_data_add_step(data, from, (struct score_place){NONE, 0},
                               (struct score_place){data->layout.nodes + node, to_at}, bytes);
}

/* ------------------------------------------------------------------ copies */

static struct peal_origin
score_data_origin(const struct score_data *data, int rank, int part)
{
    struct peal_origin origin = {.kept = false};

    data->call.form->origin(&data->layout, rank, part, &origin);
    return origin;
}

/* The stretches of the node's result. */
static int
parts_of(const struct score_data *data, int rank)
{
    enum peal_side out = data->call.form->out;

    if (out == PEAL_SIDE_ROOT_BLOCKS)
        return rank == data->layout.root ? data->layout.nodes : 0;
    return out == PEAL_SIDE_BLOCKS || out == PEAL_SIDE_PAIRS ? data->layout.nodes : 1;
}

/* Without an operator.  The root's vector, or all nodes' blocks, are brought to one node, and from there to all. */
static bool
score_data_list_copies(struct score_data *data)
{
    const struct peal_form *form = data->call.form;
    int nodes = data->layout.nodes, root = data->layout.root;
    bool same = form->out == PEAL_SIDE_BLOCKS || (form->out == PEAL_SIDE_VECTOR && form->from_root);
    size_t bytes = 0;

    for (int rank = same ? root : 0; rank <= (same ? root : nodes - 1); rank++) {
        bytes = 0;
        for (int part = 0; part < parts_of(data, rank); part++) {
            struct peal_origin origin = score_data_origin(data, rank, part);
            struct score_place from = {origin.first, origin.index * data->word_bytes};
            size_t length = origin.words * data->word_bytes;

            if (!origin.kept && length > 0 && !add_copy(data, from, rank, bytes, length))
                return false;
            bytes += length;
        }
    }
    for (int rank = 0; same && bytes > 0 && rank < nodes; rank++)
        if (!add_copy(data, (struct score_place){nodes + root, 0}, rank, 0, bytes))
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

/* Add a value, whose words get the next names. */
static int32_t
add_value(struct score_data *data, struct score_value new)
{
    if (data->value_count == INT32_MAX ||
        !array_grow(&data->values, &data->values_room, data->value_count + 1, sizeof new))
        return NONE;
    const struct score_value *last = data->value_count > 0 ? &data->values[data->value_count - 1] : NULL;

    new.name = last ? last->name + last->bytes / data->word_bytes : 1;
    data->values[data->value_count] = new;
    return (int32_t)data->value_count++;
}

/* The combination of stretches of two values; NONE without memory. */
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
    if (!map_put(&data->known, key, data->value_count))
        return NONE;
    return add_value(data, (struct score_value){.left = left,
                                                .right = right,
                                                .at = at,
                                                .bytes = bytes,
                                                .nodes = data->values[left].nodes + data->values[right].nodes});
}

/* The value of the words of nodes 0 .. node, added in this order. */
static int32_t
prefix(const struct score_data *data, int node)
{
    return node == 0 ? 0 : data->layout.nodes + node - 1;
}

/* A stretch of the node's result is the value's words from `at` on; false: it should not be, or there is no memory. */
static bool
list_result(struct score_data *data, int node, int32_t value, size_t at, size_t to_at, size_t bytes)
{
    struct peal_origin origin = score_data_origin(data, node, 0);

    if (data->values[value].nodes != marks_below(origin.last + 1) - marks_below(origin.first) ||
        at != origin.index * data->word_bytes + to_at ||
        !array_grow(&data->results, &data->results_room, data->result_count + 1, sizeof *data->results))
        return false;
    data->values[value].uses++;
    data->results[data->result_count++] = (struct score_result){value, node, at, to_at, bytes};
    return true;
}

/* ------------------------------------------------------------------ names */

/* A node has its own words, their names, and room for those of its result. */
static size_t
result_bytes(const struct score_data *data)
{
    return data->layout.words * data->word_bytes;
}

static char *
own_words(const struct score_data *data, int node)
{
    return data->named + (size_t)node * (2 * data->bytes + result_bytes(data));
}

char *
score_data_named(const struct score_data *data, int node, bool out)
{
    return own_words(data, node) + data->bytes * (out && data->call.form->in != PEAL_SIDE_NONE ? 2 : 1);
}

static void
score_data_put_names(const struct score_data *data, char *words, size_t count, uint64_t first)
{
    for (size_t i = 0; i < count; i++)
        memcpy(words + i * data->word_bytes, &(uint32_t){(uint32_t)(first + i)}, sizeof(uint32_t));
}

static uint32_t
score_data_name_at(const struct score_data *data, const char *words, size_t i)
{
    uint32_t name;

    memcpy(&name, words + i * data->word_bytes, sizeof name);
    return name;
}

struct score_stretch {
    int32_t value;
    size_t at, count; /* bytes, of the vectors; words */
    char *words;
};

/* What the words name, as far as they are of one value. */
static struct score_stretch
score_data_stretch(const struct score_data *data, const char *words, size_t most)
{
    uint32_t name = score_data_name_at(data, words, 0);
    size_t low = 0, high = data->value_count, count = 1;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (data->values[middle].name <= name)
            low = middle;
        else
            high = middle;
    }
    const struct score_value *value = &data->values[low];
    size_t offset = name - value->name, end = value->bytes / data->word_bytes - offset;

    assert(name > 0 && offset * data->word_bytes < value->bytes); /* algorithms invent no words */
    while (count < most && count < end && score_data_name_at(data, words, count) == name + count)
        count++;
    offset *= data->word_bytes;
    return (struct score_stretch){(int32_t)low, value->at + offset, count, value->words + offset};
}

bool
score_data_combine(struct score_data *data, const char *left, const char *right, char *result, size_t words,
                   const struct score_row *row)
{
    size_t word_bytes = data->word_bytes;

    for (struct score_stretch one, other; words > 0; words -= other.count) {
        one = score_data_stretch(data, left, words);
        other = score_data_stretch(data, right, one.count);
        assert(one.at == other.at);
        size_t bytes = other.count * word_bytes;
        int32_t made = combined(data, one.value, other.value, one.at, bytes);

        if (made < 0 || data->values[made].name + other.count > UINT32_MAX)
            return false;
        struct score_value *value = &data->values[made];

        if (!value->words) {
            if (!(value->words = malloc(bytes)))
                return false;
            row->combine(one.words, other.words, value->words, other.count);
        }
        score_data_put_names(data, result, other.count, value->name);
        left += bytes;
        right += bytes;
        result += bytes;
    }
    return true;
}

bool
score_data_left(struct score_data *data, int node, const struct score_row *row)
{
    size_t words = data->named && !score_data_origin(data, node, 0).kept ? data->layout.words : 0;
    const char *names = data->named ? score_data_named(data, node, true) : NULL;
    bool right = true;
    struct score_stretch part;

    for (size_t i = 0; i < words; i += part.count) {
        size_t at = i * data->word_bytes;

        part = score_data_stretch(data, names + at, words - i);
        memcpy(row->out + at, part.words, part.count * data->word_bytes);
        right &= list_result(data, node, part.value, part.at, at, part.count * data->word_bytes);
    }
    return right;
}

/* ------------------------------------------------------------------ begin and end */

/* Name the nodes' words; false without memory, or if a buffer cannot be read or written. */
static bool
name_words(struct score_data *data, const struct score_row *rows)
{
    size_t result = result_bytes(data);

    if (data->word_bytes < sizeof(uint32_t) || data->bytes > MAX_NAMED / (size_t)data->layout.nodes ||
        !(data->named = calloc((size_t)data->layout.nodes, 2 * data->bytes + result)))
        return false;
    for (int n = 0; n < data->layout.nodes; n++) {
        char *words = data->values[n].words = own_words(data, n);

        if (copy_bytes(words, rows[n].in, data->bytes) ||
            (!score_data_origin(data, n, 0).kept && (copy_bytes(words + data->bytes, rows[n].out, result) ||
                                                     copy_bytes(rows[n].out, words + data->bytes, result))))
            return false;
        score_data_put_names(data, words + data->bytes, data->bytes / data->word_bytes, data->values[n].name);
    }
    return true;
}

/* With an operator. */
static bool
begin_sums(struct score_data *data, const struct score_row *rows)
{
    int nodes = data->layout.nodes;
    size_t blocks = data->call.form->in == PEAL_SIDE_BLOCKS ? (size_t)nodes : 1, word_bytes = data->word_bytes,
           most = AT_ONCE / (size_t)nodes < CHUNK ? AT_ONCE / (size_t)nodes : CHUNK;

    data->bytes = blocks * data->layout.words * word_bytes;
    most = data->bytes / CHUNKS > most ? data->bytes / CHUNKS : most;
    data->chunk = most < word_bytes ? word_bytes : most / word_bytes * word_bytes;
    for (int n = 0; n < nodes; n++)
        if (score_data_origin(data, n, 0).words != data->layout.words ||
            add_value(data, (struct score_value){.left = NONE,
                                                 .right = NONE,
                                                 .bytes = data->bytes,
                                                 .nodes = marks_below(n + 1) - marks_below(n)}) < 0)
            return false;
    if (!rows->exact)
        return name_words(data, rows);
    for (int n = 1; n < nodes; n++)
        if (combined(data, prefix(data, n - 1), n, 0, data->bytes) < 0)
            return false;
    for (int n = 0; n < nodes; n++) {
        struct peal_origin origin = score_data_origin(data, n, 0);

        if (!origin.kept &&
            !list_result(data, n, prefix(data, origin.last), origin.index * word_bytes, 0, result_bytes(data)))
            return false;
    }
    return true;
}

bool
score_data_begin(struct score_data *data, const struct peal_call *call, int nodes, const struct score_row *rows)
{
    data->call = *call;
    data->layout = (struct peal_layout){.nodes = nodes, .root = call->root, .by = call->by, .words = call->words};
    data->word_bytes = rows->word_bytes;
    return call->op ? begin_sums(data, rows) : !call->form->origin || score_data_list_copies(data);
}

/* One use of the value is done: its intermediate memory may be spare then. */
static void
use(struct score_value *value, int32_t *spare, size_t *spare_count)
{
    if (--value->uses == 0 && value->left != NONE)
        spare[(*spare_count)++] = value->slot;
}

/* Allocate intermediate memory for the values that are wanted; *slots: how many exist at once. */
static bool
give_memory(struct score_data *data, size_t *slots)
{
    struct score_value *first = data->values + data->layout.nodes, *end = data->values + data->value_count;
    int32_t *spare = malloc(data->value_count * sizeof *spare);
    size_t spare_count = 0;

    for (struct score_value *value = end; value-- > first;)
        if (value->uses > 0) {
            data->values[value->left].uses++;
            data->values[value->right].uses++;
        }
    for (struct score_value *value = first; spare && value < end; value++)
        if (value->uses > 0) {
            use(&data->values[value->left], spare, &spare_count);
            use(&data->values[value->right], spare, &spare_count);
            value->slot = spare_count > 0 ? spare[--spare_count] : (int32_t)(*slots)++;
        } else
            value->slot = NONE;
    free(spare);
    return spare != NULL;
}

/* Where the value's bytes from `at` on lie, in the chunk that begins at `begin`. */
static struct score_place
score_data_place(const struct score_data *data, int32_t number, size_t at, size_t begin)
{
    const struct score_value *value = &data->values[number];

    return value->left == NONE
               ? (struct score_place){number, at}
               : (struct score_place){2 * data->layout.nodes, (size_t)value->slot * data->chunk + (at - begin)};
}

/* Cut bytes at .. at + *bytes to the chunk that begins at `begin`; gives where they begin. */
static size_t
score_data_clip(const struct score_data *data, size_t begin, size_t at, size_t *bytes)
{
    size_t low = at > begin ? at : begin, end = begin + data->chunk, high = at + *bytes < end ? at + *bytes : end;

    *bytes = low < high ? high - low : 0;
    return low;
}

/* List what a chunk of the vectors takes: sums, and copies to results. */
static bool
list_chunk(struct score_data *data, size_t begin)
{
    for (size_t v = (size_t)data->layout.nodes; v < data->value_count; v++) {
        const struct score_value *value = &data->values[v];
        size_t bytes = value->slot == NONE ? 0 : value->bytes, at = score_data_clip(data, begin, value->at, &bytes);

        if (bytes > 0 && !score_data_add_step(data, score_data_place(data, value->left, at, begin),
                                              score_data_place(data, value->right, at, begin),
                                              score_data_place(data, (int32_t)v, at, begin), bytes))
            return false;
    }
    for (size_t i = 0; i < data->result_count; i++) {
        const struct score_result *result = &data->results[i];
        size_t bytes = result->bytes, at = score_data_clip(data, begin, result->at, &bytes);

        if (bytes > 0 && !add_copy(data, score_data_place(data, result->value, at, begin), result->node,
                                   result->to_at + (at - result->at), bytes))
            return false;
    }
    return true;
}

static void
forget_values(struct score_data *data)
{
    for (size_t v = (size_t)data->layout.nodes; v < data->value_count; v++)
        free(data->values[v].words);
    free(data->named);
    free(data->values);
    free(data->results);
    free(data->known.places);
    data->named = NULL;
    data->values = NULL;
    data->results = NULL;
    data->value_count = 0;
    data->known = (struct map){.places = NULL};
}

bool
score_data_end(struct score_data *data, int carriers)
{
    size_t slots = 0, summed = 0;
    bool listed = (!data->call.op || give_memory(data, &slots)) && slots * data->chunk <= MAX_BETWEEN;

    for (size_t begin = 0; listed && begin < data->bytes; begin += data->chunk)
        listed = list_chunk(data, begin);
    for (size_t i = 0; i < data->step_count; i++)
        summed += data->steps[i].with.buffer == NONE ? 0 : data->steps[i].bytes;
    forget_values(data);
    return listed && (carriers == 1 || summed <= SHARED_SUM) &&
           (data->between = aligned_alloc(64, (slots * data->chunk + 64) / 64 * 64));
}

void
score_data_fini(struct score_data *data)
{
    forget_values(data);
    free(data->steps);
    free(data->between);
    *data = (struct score_data){.steps = NULL};
}

/* ------------------------------------------------------------------ playing */

/* What is carried out, on these buffers: the next step. */
struct score_part {
    const struct score_data *data;
    struct peal_machine *machine;
    const struct score_row *rows;
    const struct score_step *step, *end;
};

static inline char *
bytes_at(const struct score_part *part, struct score_place place)
{
    int nodes = part->data->layout.nodes;

    const char *buffer = place.buffer < nodes       ? part->rows[place.buffer].in
                         : place.buffer < 2 * nodes ? part->rows[place.buffer - nodes].out
                                                    : part->data->between;

    return (char *)((uintptr_t)buffer + place.at); /* a buffer of no words may be NULL */
}

/* Carry out the sums that are next.  False: a buffer cannot be read. */
static bool
play_sums(struct score_part *part)
{
    void (*combine)(const void *, const void *, void *, size_t) = part->rows->combine;
    struct copy_guard guard;

    if (copy_fails(guard)) {
        copy_guard = NULL;
        return false;
    }
    copy_guard = &guard;
    for (; part->step < part->end && part->step->with.buffer != NONE; part->step++)
        combine(bytes_at(part, part->step->from), bytes_at(part, part->step->with), bytes_at(part, part->step->to),
                part->step->bytes / part->data->word_bytes);
    copy_guard = NULL;
    return true;
}

/* Whether the step reads a result, which copies before it may have made. */
static bool
reads_result(const struct score_part *part, const struct score_step *step)
{
    return step->from.buffer / part->data->layout.nodes == 1;
}

/* Carry out the copies that are next, as far as several threads may: none of them reads what another one writes. */
static bool
play_copies(struct score_part *part)
{
    const struct score_step *first = part->step;
    struct copy copies[COPIES];
    size_t count = 0;

    for (; part->step < part->end && part->step->with.buffer == NONE &&
           reads_result(part, part->step) == reads_result(part, first);
         part->step++) {
        struct score_place from = part->step->from, to = part->step->to;

        for (int32_t i = 0; i < part->step->count; i++) {
            copies[count] = (struct copy){bytes_at(part, to), bytes_at(part, from), part->step->bytes};
            count += copies[count].to != copies[count].from;
            if (count == COPIES) {
                if (copies_perform(part->machine, copies, count))
                    return false;
                count = 0;
            }
            from.buffer += part->step->by_from.buffer;
            from.at += part->step->by_from.at;
            to.buffer += part->step->by_to.buffer;
            to.at += part->step->by_to.at;
        }
    }
    return !copies_perform(part->machine, copies, count);
}

bool
score_data_play(const struct score_data *data, struct peal_machine *machine, const struct score_row *rows)
{
    struct score_part part = {data, machine, rows, data->steps, data->steps + data->step_count};

    while (part.step < part.end)
        if (!(part.step->with.buffer == NONE ? play_copies(&part) : play_sums(&part)))
            return false;
    return true;
}
