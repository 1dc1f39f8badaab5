/* SPDX-License-Identifier: MIT */
/* What every node holds after each round of a recorded run, found by making the run once more with labels in place of
 * words.  A node holds the words it was given, those it received, and those that its operator made of them.
 *
 * It is told as a strip of cells a node.  In a collective that moves words every word has one place in the strip, and is
 * there or not.  In one that combines them a place holds the combination of most contributors that the node has had.  In an
 * all-to-all a block that comes takes the cell it belongs in at the end, or, on its way to another node, that of a block
 * that was sent on.
 *
 *   source   the pictures: van de Geijn, Goto: notes of the course; Chan et al. 2007, figures 1 and 2 */
#include "lib/check/trail.h"
#include "lib/check/vectors.h"
#include "lib/machine/machine.h"
#include "lib/trace/read.h"
#include <inttypes.h>
#include <peal/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEW_PLACES = 1 << 18,  /* words of all strips together; beyond it fewer words stand for a block or vector */
    MOST_PLACES = 1 << 23, /* the same with fewer words */
    FEW_ADDENDS = 1 << 20, /* contributors of all partial sums that one node after the other joins; likewise */
    MOST_ADDENDS = 1 << 22,
    MOST_EVENTS = 1 << 23,
    MOST_CELLS = 1 << 12,
    MOST_SECONDS = 30,
};

/* A run of labels that a node received, or made with its operator, in a round.  The labels after the first are of the next
 * words of the same vector. */
struct event {
    uint32_t round; /* 0: before the first */
    int32_t node;
    int32_t from; /* -1: made */
    uint32_t count;
    uint64_t label;
};

/* What a cell holds: a number, or one of these. */
enum { HOLDS_NOTHING = -1, HOLDS_PARTS = -2 };

/* Combinations that were met, and how they are written. */
struct combinations {
    char **text;
    uint32_t count, room;
    uint32_t *by_text; /* hashes of numbers + 1, at most half full */
    struct known {
        uint64_t label;
        uint32_t number;
    } * by_label; /* label 0: free */
    size_t by_text_size, by_label_size, labels;
};

struct holdings {
    FILE *out;
    const struct peal_record *run;
    const union peal_check_function *function;
    char algorithm[80];
    enum peal_collective collective;
    struct peal_check_case where;
    struct vectors data;
    struct witness witness;
    int nodes;

    struct event *events;
    size_t event_count, event_room;
    uint32_t rounds; /* told so far */
    bool full;       /* there are too many, or there is no memory */

    size_t words;       /* of a strip */
    size_t *cell_begin; /* cells + 1 */
    int cells;
    uint32_t *place; /* nodes × words: what is there; 0 nothing */
    int64_t *shown;  /* nodes × cells: what was told last */
    bool *sent_on;   /* of an all-to-all, nodes × cells */
    int32_t *dirty;  /* nodes that changed in the round at hand */
    int dirty_count;
    bool *is_dirty;
    struct combinations combinations;
    bool follows; /* a change was written in the list at hand */
};

/* The run that is made once more: an operator has no argument of its own. */
static struct holdings *now;

/* ------------------------------------------------------------------ making the run once more */

static void
note(struct holdings *h, uint32_t round, int node, int from, uint64_t label)
{
    struct event *last = h->event_count ? &h->events[h->event_count - 1] : NULL;
    enum label_kind kind = label_kind(label);

    if ((kind != LABEL_WORD && kind != LABEL_SEQUENCE) || h->full)
        return;
    if (kind == LABEL_WORD && last && last->round == round && last->node == node && last->from == from &&
        label_kind(last->label) == LABEL_WORD && last->label + last->count == label) {
        last->count++;
        return;
    }
    if (h->event_count == h->event_room) {
        size_t room = h->event_room ? 2 * h->event_room : 1024;
        struct event *events = room <= MOST_EVENTS ? reallocarray(h->events, room, sizeof *events) : NULL;

        if (!events) {
            h->full = true;
            return;
        }
        h->events = events;
        h->event_room = room;
    }
    h->events[h->event_count++] = (struct event){round, node, from, 1, label};
}

/* Note the words that came for one receive. */
static void
note_receive(void *arg, const struct request *receive, const struct request *send, const struct copy *copy)
{
    struct holdings *h = arg;

    for (uint64_t left = receive->words; left > 0; copy++)
        for (size_t at = 0; at < copy->bytes; at += sizeof(uint64_t), left--) {
            uint64_t label;

            memcpy(&label, (const char *)copy->to + at, sizeof label);
            note(h, h->rounds, receive->node, send->node, label);
        }
}

static void
look(struct peal_machine *machine, void *arg)
{
    struct holdings *h = arg;

    h->rounds += deliveries_counts(machine, h->witness.operations);
    deliveries_each(&machine->round, note_receive, h);
}

static void
combine_and_note(const struct peal_op *op, const void *left, const void *right, void *result, size_t words)
{
    op->combine(left, right, result, words);
    for (size_t i = 0; self && i < words; i++) {
        uint64_t label;

        memcpy(&label, (const char *)result + i * sizeof label, sizeof label);
        note(now, now->rounds, self->rank, -1, label);
    }
}

static void
combine(const void *left, const void *right, void *result, size_t words)
{
    combine_and_note(&label_op, left, right, result, words);
}

static void
combine_commutative(const void *left, const void *right, void *result, size_t words)
{
    combine_and_note(&label_op_commutative, left, right, result, words);
}

static const struct peal_op noted_op = {"labels", false, sizeof(uint64_t), combine};
static const struct peal_op noted_op_commutative = {"commutative labels", true, sizeof(uint64_t), combine_commutative};

static void
program(struct peal_node *me, void *arg)
{
    struct holdings *h = arg;

    if (h->function)
        vectors_call_function(&h->data, me, h->function);
    else
        vectors_call(&h->data, me, h->algorithm);
}

/* Whether the rounds carry what the record's do, but for the lengths of messages where the words are fewer. */
static bool
same_rounds(const struct holdings *h, const struct peal_schedule *again)
{
    const struct peal_schedule *was = &h->run->schedule;
    bool scaled =
        h->where.words != (peal_collective_has_blocks(h->collective) ? h->run->block_words : h->run->vector_words);

    if (was->round_count != again->round_count || was->transfer_count != again->transfer_count)
        return false;
    for (size_t i = 0; i < was->round_count; i++)
        if (was->rounds[i].count != again->rounds[i].count)
            return false;
    for (size_t i = 0; i < was->transfer_count; i++) {
        const struct peal_transfer *a = &was->transfers[i], *b = &again->transfers[i];

        if (a->from != b->from || a->to != b->to || (!scaled && !h->where.sizes && a->words != b->words))
            return false;
    }
    return true;
}

/* Make the run.  Its labels stay until vectors_fini. */
static enum peal_status
run_again(struct holdings *h, struct peal_error *error)
{
    struct peal_options options = h->run->options;
    struct peal_machine *machine;
    enum peal_status status = vectors_begin(&h->data, h->collective, &h->where, error);

    if (status != PEAL_OK)
        return status;
    h->data.op = h->where.commutative ? &noted_op_commutative : &noted_op;
    options.word_bytes = sizeof(uint64_t);
    options.carriers = 1; /* the labels' table is for one thread at a time */
    options.wake_all = false;
    options.rounds = PEAL_ROUNDS_ALL;
    options.timeout_seconds = MOST_SECONDS;
    options.stack_bytes = 0;
    options.engine = "auto";
    machine = peal_machine_create(&options, error);
    h->witness =
        (struct witness){.look = look, .arg = h, .operations = calloc((size_t)h->nodes, sizeof *h->witness.operations)};
    if (!machine || !h->witness.operations) {
        peal_machine_destroy(machine);
        free(h->witness.operations);
        return machine ? peal_refuse(error, PEAL_RESOURCES, "not enough memory") : error->status;
    }
    witness_add(machine, &h->witness);
    now = h;
    const struct peal_failure *failure = peal_run(machine, program, h);

    now = NULL;
    if (failure)
        status = peal_refuse(error, PEAL_USAGE, "made once more, the run fails: %.400s", failure->message);
    else if (h->full)
        status = peal_refuse(error, PEAL_USAGE, "the run moves more words than a page can tell");
    else if (!same_rounds(h, peal_machine_schedule(machine)))
        status = peal_refuse(error, PEAL_USAGE, "made once more, the run has other rounds than those recorded");
    peal_machine_destroy(machine);
    free(h->witness.operations);
    return status;
}

/* ------------------------------------------------------------------ what to run */

static bool
moves_pairs(enum peal_collective collective)
{
    return collective == PEAL_ALLTOALL;
}

static bool
combines(enum peal_collective collective)
{
    return peal_collective_has_op(collective);
}

/* The words of a strip when each block or vector has so many. */
static size_t
strip_words(const struct holdings *h, size_t words)
{
    return peal_collective_has_blocks(h->collective) ? words * (size_t)h->nodes : words;
}

static bool
too_many(const struct holdings *h, size_t words, size_t places, size_t addends)
{
    size_t nodes = (size_t)h->nodes, strip = strip_words(h, words), all;

    if (words > LABEL_INDICES / (peal_collective_has_blocks(h->collective) ? nodes : 1) ||
        __builtin_mul_overflow(strip, nodes, &all) || all > places)
        return true;
    return combines(h->collective) && all * nodes / 2 > addends;
}

/* Choose how long the blocks or the vector are when the run is made once more: as recorded, or, where that is too long, as
 * few words as can be told apart. */
static enum peal_status
choose_words(struct holdings *h, struct peal_error *error)
{
    const struct peal_record *run = h->run;
    bool blocks = peal_collective_has_blocks(h->collective);
    size_t words = blocks ? run->block_words : run->vector_words, longest = 0;
    size_t fewest = blocks ? 1 : (size_t)h->nodes * (size_t)(run->parameter > 0 ? run->parameter : 1);

    for (int i = 0; i < h->where.size_count; i++)
        longest = h->where.sizes[i] > longest ? h->where.sizes[i] : longest;
    if (h->where.sizes) {
        if (too_many(h, longest, MOST_PLACES, MOST_ADDENDS))
            return peal_refuse(error, PEAL_USAGE, "blocks of up to %zu words are more than a page can tell", longest);
        h->where.words = longest;
        return longest ? PEAL_OK : peal_refuse(error, PEAL_USAGE, "there are no words in it");
    }
    if (words == 0)
        return peal_refuse(error, PEAL_USAGE, "there are no words in it");
    h->where.words = too_many(h, words, FEW_PLACES, FEW_ADDENDS) && fewest < words ? fewest : words;
    if (too_many(h, h->where.words, MOST_PLACES, MOST_ADDENDS))
        return peal_refuse(error, PEAL_USAGE, "%d nodes and %zu words are more than a page can tell", h->nodes, words);
    return PEAL_OK;
}

static enum peal_status
prepare(struct holdings *h, size_t **sizes, int **to, struct peal_error *error)
{
    const struct peal_record *run = h->run;
    struct peal_check_case *where = &h->where;
    const struct peal_op *op = peal_op_find(run->op ? run->op : "sum");
    size_t *ranks = NULL;
    enum peal_status status;

    if (!run->collective || !peal_collective_find(run->collective, &h->collective))
        return peal_refuse(error, PEAL_USAGE, "it is a program, and what its words stand for is its own affair");
    if (h->collective == PEAL_BARRIER)
        return peal_refuse(error, PEAL_USAGE, "a barrier moves no words");
    if (h->nodes > LABEL_NODES)
        return peal_refuse(error, PEAL_USAGE, "%d nodes are more than a page can tell", h->nodes);
    if (run->schedule.round_count == 0 && run->cost.alpha > 0)
        return peal_refuse(error, PEAL_USAGE, "its rounds were not recorded");
    if (run->parameter > 0)
        snprintf(h->algorithm, sizeof h->algorithm, "%.60s:%d", run->algorithm, run->parameter);
    else
        snprintf(h->algorithm, sizeof h->algorithm, "%.60s", run->algorithm);
    if (!h->function && peal_algorithm_check(h->collective, h->algorithm, error) != PEAL_OK)
        return error->status;
    *where = (struct peal_check_case){.nodes = h->nodes,
                                      .root = peal_collective_has_root(h->collective) ? run->root : 0,
                                      .by = run->by,
                                      .commutative = !op || op->commutative};
    status = read_numbers(run->sizes, sizes, &where->size_count, error);
    where->sizes = *sizes;
    if (status == PEAL_OK)
        status = read_numbers(run->to, &ranks, &where->to_count, error);
    if (status == PEAL_OK && ranks && !(*to = calloc((size_t)where->to_count + 1, sizeof **to)))
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (int i = 0; status == PEAL_OK && i < where->to_count; i++) {
        (*to)[i] = ranks[i] < (size_t)h->nodes ? (int)ranks[i] : 0;
        if (ranks[i] >= (size_t)h->nodes)
            status = peal_refuse(error, PEAL_USAGE, "%zu is not a node of 0 to %d", ranks[i], h->nodes - 1);
    }
    free(ranks);
    where->to = *to;
    if (h->collective == PEAL_MULTICAST && !where->to)
        where->to_count = h->nodes;
    if (status == PEAL_OK && where->sizes && where->size_count == 0)
        status = peal_refuse(error, PEAL_USAGE, "it has an empty list of lengths of blocks");
    return status == PEAL_OK ? choose_words(h, error) : status;
}

/* ------------------------------------------------------------------ combinations, as they are written */

static uint64_t
hash_text(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

/* Write the contributors of a label as ranges in their order, "[0,3, 5,5]"; NULL without memory.  Leaves that are not of one
 * place are told as they are.  owner: the caller frees it */
static char *
write_combination(uint64_t label)
{
    size_t leaves = label_leaves(label), bytes = 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &bytes);
    struct leaf first = label_leaf(label, 0);
    bool one_place = true;

    if (!out)
        return NULL;
    for (size_t i = 0; i < leaves; i++) {
        struct leaf leaf = label_leaf(label, i);

        one_place &= leaf.kind == LABEL_WORD && leaf.index == first.index;
    }
    if (!one_place)
        fputs("\"words of several places\"", out);
    for (size_t i = 0, end; one_place && i < leaves; i = end) {
        int from = label_leaf(label, i).node;

        for (end = i + 1; end < leaves && label_leaf(label, end).node == from + (int)(end - i); end++)
            ;
        fprintf(out, "%s%d,%d", i ? ", " : "[", from, from + (int)(end - i) - 1);
    }
    if (one_place)
        fputc(']', out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* Give the number of the combination so written; takes the text.  UINT32_MAX without memory. */
static uint32_t
number_text(struct combinations *c, char *text)
{
    if (c->count * 2 >= c->by_text_size) {
        size_t size = c->by_text_size ? 2 * c->by_text_size : 256;
        uint32_t *grown = calloc(size, sizeof *grown);
        char **texts = reallocarray(c->text, size / 2 + 1, sizeof *texts);

        if (texts)
            c->text = texts;
        if (!grown || !texts) {
            free(grown);
            free(text);
            return UINT32_MAX;
        }
        for (uint32_t i = 0; i < c->count; i++) {
            size_t at = hash_text(c->text[i]) & (size - 1);

            while (grown[at])
                at = (at + 1) & (size - 1);
            grown[at] = i + 1;
        }
        free(c->by_text);
        c->by_text = grown;
        c->by_text_size = size;
    }
    size_t at = hash_text(text) & (c->by_text_size - 1);

    for (; c->by_text[at]; at = (at + 1) & (c->by_text_size - 1))
        if (strcmp(c->text[c->by_text[at] - 1], text) == 0) {
            free(text);
            return c->by_text[at] - 1;
        }
    c->text[c->count++] = text;
    c->by_text[at] = c->count;
    return c->count - 1;
}

static struct known *
find_label(const struct combinations *c, uint64_t label)
{
    size_t at = (size_t)((label * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (c->by_label_size - 1);

    while (c->by_label[at].label && c->by_label[at].label != label)
        at = (at + 1) & (c->by_label_size - 1);
    return &c->by_label[at];
}

/* The number of a label's combination, UINT32_MAX without memory. */
static uint32_t
number_label(struct combinations *c, uint64_t label)
{
    if (c->labels * 2 >= c->by_label_size) {
        struct combinations grown = {.by_label_size = c->by_label_size ? 2 * c->by_label_size : 1024};

        grown.by_label = calloc(grown.by_label_size, sizeof *grown.by_label);
        if (!grown.by_label)
            return UINT32_MAX;
        for (size_t i = 0; i < c->by_label_size; i++)
            if (c->by_label[i].label)
                *find_label(&grown, c->by_label[i].label) = c->by_label[i];
        free(c->by_label);
        c->by_label = grown.by_label;
        c->by_label_size = grown.by_label_size;
    }
    struct known *known = find_label(c, label);

    if (!known->label) {
        char *text = write_combination(label);
        uint32_t number = text ? number_text(c, text) : UINT32_MAX;

        if (number == UINT32_MAX)
            return number;
        *known = (struct known){label, number};
        c->labels++;
    }
    return known->number;
}

/* ------------------------------------------------------------------ places in a strip */

/* The place of a word in the strips, and what stands there when a node has it. */
static size_t
place_of(struct holdings *h, uint64_t label, uint32_t *what)
{
    struct leaf leaf = label_leaf(label, 0);

    *what = 1;
    switch (h->collective) {
    case PEAL_GATHER:
    case PEAL_ALLGATHER:
        return vectors_begin_of(&h->data, leaf.node) + leaf.index;
    case PEAL_BROADCAST:
    case PEAL_MULTICAST: /* words of others than the root move nowhere */
        *what = leaf.node == h->where.root;
        return leaf.index;
    case PEAL_SCATTER:
        return leaf.index;
    case PEAL_SHIFT:
        *what = (uint32_t)leaf.node + 1;
        return leaf.index;
    case PEAL_REDUCE:
    case PEAL_REDUCE_SCATTER:
    case PEAL_ALLREDUCE:
    case PEAL_SCAN:
    case PEAL_EXSCAN:
        *what = number_label(&h->combinations, label) + 1;
        h->full |= *what == 0;
        return leaf.index;
    case PEAL_ALLTOALL:
    case PEAL_BARRIER:
    case PEAL_COLLECTIVES:
        break;
    }
    return 0;
}

/* How many contributors a combination has, and whether the node itself is one, and all can be part of its result. */
static size_t
contributors(const struct holdings *h, uint64_t label, int node, bool *own, bool *useful)
{
    size_t leaves = label_leaves(label);
    int last = h->collective == PEAL_SCAN ? node : h->collective == PEAL_EXSCAN ? node - 1 : h->nodes - 1;

    *own = false;
    *useful = true;
    for (size_t i = 0; i < leaves; i++) {
        int other = label_leaf(label, i).node;

        *own |= other == node;
        *useful &= other <= last;
    }
    return leaves;
}

/* How much a combination is worth to be shown: the more contributors the more, if they are of use to the node; else less
 * than the node's own word. */
static size_t
worth(const struct holdings *h, uint64_t label, int node)
{
    bool own, useful;
    size_t leaves = contributors(h, label, node, &own, &useful);

    return useful ? 4 * leaves + 2 + own : leaves == 1 && own ? 3 : 0;
}

static void
set_dirty(struct holdings *h, int node)
{
    if (h->is_dirty[node])
        return;
    h->is_dirty[node] = true;
    h->dirty[h->dirty_count++] = node;
}

/* ------------------------------------------------------------------ writing changes */

static int64_t
cell_holds(const struct holdings *h, int node, int cell)
{
    const uint32_t *place = &h->place[(size_t)node * h->words];
    uint32_t first = place[h->cell_begin[cell]];
    bool copies = !combines(h->collective) && h->collective != PEAL_SHIFT && h->collective != PEAL_ALLTOALL;
    size_t there = 0;

    if (h->cell_begin[cell] == h->cell_begin[cell + 1])
        return HOLDS_NOTHING;
    for (size_t i = h->cell_begin[cell]; i < h->cell_begin[cell + 1]; i++) {
        there += place[i] != 0;
        if (!copies && place[i] != first)
            return HOLDS_PARTS;
    }
    if (there == 0)
        return HOLDS_NOTHING;
    if (copies)
        return there == h->cell_begin[cell + 1] - h->cell_begin[cell] ? cell : HOLDS_PARTS - (int64_t)there;
    return (int64_t)first - 1;
}

/* Write one change: what `count` cells from `cell` on hold; a number is the first one's. */
static void
put_change(struct holdings *h, int node, int cell, int count, int64_t holds, const char *mark)
{
    fprintf(h->out, "%s[%d,%d,%d,", h->follows ? "," : "", node, cell, count);
    h->follows = true;
    if (holds == HOLDS_NOTHING)
        fputs("null", h->out);
    else if (holds == HOLDS_PARTS)
        fputs("\"parts\"", h->out);
    else if (holds < HOLDS_PARTS)
        fprintf(h->out, "\"%" PRId64 "/%zu\"", HOLDS_PARTS - holds, h->cell_begin[cell + 1] - h->cell_begin[cell]);
    else if (combines(h->collective))
        fputs(h->combinations.text[holds], h->out);
    else
        fprintf(h->out, "%" PRId64, holds);
    if (mark)
        fprintf(h->out, ",\"%s\"", mark);
    fputc(']', h->out);
}

/* Whether the next cell continues the change that began with `holds`, `i` cells before. */
static bool
continues(const struct holdings *h, int64_t holds, int i, int64_t next)
{
    if (holds < HOLDS_PARTS)
        return false;
    return holds < 0 || combines(h->collective) ? next == holds : next == holds + i;
}

/* Write what is other than what was told, of the nodes that changed; of all-to-alls `shown` is what there is. */
static void
put_changes(struct holdings *h)
{
    h->follows = false;
    fputc('[', h->out);
    for (int d = 0; d < h->dirty_count; d++) {
        int node = h->dirty[d];
        int64_t *shown = &h->shown[(size_t)node * (size_t)h->cells], first = 0;
        int begin = 0, count = 0;

        h->is_dirty[node] = false;
        for (int cell = 0; cell < h->cells; cell++) {
            int64_t holds = cell_holds(h, node, cell);

            if (count > 0 && (holds == shown[cell] || !continues(h, first, count, holds))) {
                put_change(h, node, begin, count, first, NULL);
                count = 0;
            }
            if (holds != shown[cell] && count++ == 0) {
                begin = cell;
                first = holds;
            }
            shown[cell] = holds;
        }
        if (count > 0)
            put_change(h, node, begin, count, first, NULL);
    }
    h->dirty_count = 0;
}

/* ------------------------------------------------------------------ one round */

static void
take(struct holdings *h, int node, uint64_t label)
{
    uint32_t what, *there;
    size_t place = place_of(h, label, &what);

    if (what == 0 || place >= h->words)
        return;
    there = &h->place[(size_t)node * h->words + place];
    if (*there == what)
        return;
    *there = what;
    set_dirty(h, node);
}

/* A node keeps the combination that is worth most; `best` remembers, a place, what that is. */
static void
take_combination(struct holdings *h, int node, uint64_t label, uint64_t *best)
{
    size_t index = label_leaf(label, 0).index, at = (size_t)node * h->words + index;

    if (index >= h->words || (best[at] && worth(h, best[at], node) > worth(h, label, node)))
        return;
    best[at] = label;
    take(h, node, label);
}

/* An all-to-all's: which block a label ends; false when it is not the last of its block. */
static bool
ends_block(const struct holdings *h, uint64_t label, uint32_t *pair)
{
    struct leaf leaf = label_leaf(label, 0);

    if (!h->where.sizes) {
        *pair = (uint32_t)leaf.node * (uint32_t)h->nodes + (uint32_t)(leaf.index / h->where.words);
        return leaf.index % h->where.words == h->where.words - 1;
    }
    for (int to = 0; to < h->nodes; to++) {
        size_t end = vectors_pair_begin(&h->data, leaf.node, to) + vectors_pair(&h->data, leaf.node, to);

        if (leaf.index + (size_t)1 < end)
            return false;
        if (leaf.index + (size_t)1 == end && vectors_pair(&h->data, leaf.node, to) > 0) {
            *pair = (uint32_t)leaf.node * (uint32_t)h->nodes + (uint32_t)to;
            return true;
        }
    }
    return false;
}

static int
find_cell(const struct holdings *h, int node, uint32_t what)
{
    const uint32_t *place = &h->place[(size_t)node * h->words];

    for (int cell = 0; cell < h->nodes; cell++)
        if (place[cell] == what)
            return cell;
    return -1;
}

static int
find_sent(const struct holdings *h, int node)
{
    for (int cell = 0; cell < h->nodes; cell++)
        if (h->sent_on[(size_t)node * h->words + (size_t)cell])
            return cell;
    return find_cell(h, node, 0);
}

static void
put_block(struct holdings *h, int node, int cell, uint32_t what)
{
    size_t at = (size_t)node * h->words + (size_t)cell;

    h->place[at] = what;
    h->sent_on[at] = false;
    set_dirty(h, node);
}

/* A block came: into the cell where it ends, else into one that was sent on. */
static void
take_block(struct holdings *h, int node, uint32_t pair)
{
    uint32_t nodes = (uint32_t)h->nodes;
    int cell = (int)(pair % nodes) == node ? (int)(pair / nodes) : find_sent(h, node);

    if (cell < 0)
        return;
    size_t at = (size_t)node * h->words + (size_t)cell;
    uint32_t before = h->place[at];
    bool keeps = before && before != pair + 1 && !h->sent_on[at];

    put_block(h, node, cell, pair + 1);
    cell = keeps ? find_sent(h, node) : -1;
    if (cell >= 0)
        put_block(h, node, cell, before);
}

/* The blocks that move in a round: first all leave, then all come. */
static void
move_blocks(struct holdings *h, const struct event *events, size_t count)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++)
            for (uint32_t j = 0; j < events[i].count; j++) {
                uint32_t pair;
                int cell;

                if (!ends_block(h, events[i].label + j, &pair))
                    continue;
                if (pass == 1)
                    take_block(h, events[i].node, pair);
                else if ((cell = find_cell(h, events[i].from, pair + 1)) >= 0 && events[i].from != events[i].node)
                    h->sent_on[(size_t)events[i].from * h->words + (size_t)cell] = true;
            }
}

static void
take_events(struct holdings *h, const struct event *events, size_t count, uint64_t *best)
{
    if (moves_pairs(h->collective)) {
        move_blocks(h, events, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < events[i].count; j++)
            if (combines(h->collective))
                take_combination(h, events[i].node, events[i].label + j, best);
            else
                take(h, events[i].node, events[i].label + j);
}

/* ------------------------------------------------------------------ cells */

/* The cells of a collective of blocks are its blocks. */
static void
cut_blocks(struct holdings *h)
{
    h->cells = h->nodes;
    for (int b = 0; b <= h->nodes; b++)
        h->cell_begin[b] = moves_pairs(h->collective) ? (size_t)b : vectors_begin_of(&h->data, b);
}

/* Those of a vector are the pieces that it is moved and combined in.  `ends` is a byte a word, and one behind. */
static enum peal_status
cut_vector(struct holdings *h, char *ends, struct peal_error *error)
{
    const struct event *last = NULL;

    ends[0] = ends[h->words] = 1;
    for (size_t i = 0; i < h->event_count; i++) {
        const struct event *event = &h->events[i];
        uint32_t what, before = 0;
        size_t place = place_of(h, event->label, &what), after = last ? place_of(h, last->label, &before) : 0;
        bool same = last && last->round == event->round && last->node == event->node && last->from == event->from &&
                    after + last->count == place && what == before;

        if (place < h->words && !same)
            ends[place] = 1;
        if (last && !same && after + last->count <= h->words)
            ends[after + last->count] = 1;
        last = event;
    }
    if (last) {
        uint32_t what;
        size_t end = place_of(h, last->label, &what) + last->count;

        ends[end <= h->words ? end : h->words] = 1;
    }
    for (size_t i = 0; i <= h->words; i++)
        if (ends[i]) {
            if (h->cells >= MOST_CELLS)
                return peal_refuse(error, PEAL_USAGE, "the vector is cut into more than %d pieces", MOST_CELLS - 1);
            h->cell_begin[h->cells++] = i;
        }
    h->cells--;
    return PEAL_OK;
}

static enum peal_status
cut(struct holdings *h, struct peal_error *error)
{
    size_t nodes = (size_t)h->nodes, cells = peal_collective_has_blocks(h->collective) ? nodes : MOST_CELLS;
    enum peal_status status = PEAL_OK;

    h->words = moves_pairs(h->collective)                  ? nodes
               : peal_collective_has_blocks(h->collective) ? vectors_begin_of(&h->data, h->nodes)
                                                           : h->where.words;
    h->cell_begin = calloc(cells + 2, sizeof *h->cell_begin);
    h->place = calloc(nodes * h->words + 1, sizeof *h->place);
    h->sent_on = calloc(nodes * h->words + 1, sizeof *h->sent_on);
    h->dirty = calloc(nodes, sizeof *h->dirty);
    h->is_dirty = calloc(nodes, sizeof *h->is_dirty);
    char *ends = calloc(h->words + 2, 1);

    if (!h->cell_begin || !h->place || !h->sent_on || !h->dirty || !h->is_dirty || !ends)
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    else if (peal_collective_has_blocks(h->collective))
        cut_blocks(h);
    else if (h->collective == PEAL_SHIFT)
        h->cell_begin[h->cells = 1] = h->words;
    else
        status = cut_vector(h, ends, error);
    free(ends);
    if (status != PEAL_OK)
        return status;
    h->shown = calloc(nodes * (size_t)h->cells + 1, sizeof *h->shown);
    if (!h->shown)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (size_t i = 0; i < nodes * (size_t)h->cells; i++)
        h->shown[i] = HOLDS_NOTHING;
    return PEAL_OK;
}

/* ------------------------------------------------------------------ the beginning and the end */

/* What the nodes were given; the vectors themselves are of after the run. */
static void
give(struct holdings *h, uint64_t *best)
{
    for (int node = 0; node < h->nodes; node++) {
        bool rooted =
            h->collective == PEAL_SCATTER || h->collective == PEAL_BROADCAST || h->collective == PEAL_MULTICAST;
        const struct row *row = h->data.in[node].words ? &h->data.in[node] : &h->data.out[node];

        if (rooted && node != h->where.root)
            continue;
        for (size_t i = 0; i < row->count; i++) {
            uint64_t label = label_make(LABEL_WORD, node, i);
            uint32_t pair;

            if (!moves_pairs(h->collective) && combines(h->collective))
                take_combination(h, node, label, best);
            else if (!moves_pairs(h->collective))
                take(h, node, label);
            else if (ends_block(h, label, &pair))
                put_block(h, node, (int)(pair % (uint32_t)h->nodes), pair + 1);
        }
    }
}

/* The first cell of the node's result, and where in the strips that begins. */
static size_t
result_begin(const struct holdings *h, int node)
{
    return h->collective == PEAL_SCATTER || h->collective == PEAL_REDUCE_SCATTER ? vectors_begin_of(&h->data, node) : 0;
}

/* The cell that word i of the node's result belongs to. */
static int
result_cell(const struct holdings *h, int node, size_t i)
{
    int cell = 0;

    if (moves_pairs(h->collective) && !h->where.sizes)
        return (int)(i / h->where.words);
    if (moves_pairs(h->collective)) {
        for (size_t end = 0; cell < h->nodes && i >= (end += vectors_pair(&h->data, cell, node)); cell++)
            ;
        return cell;
    }
    i += result_begin(h, node);
    while (h->cell_begin[cell + 1] <= i)
        cell++;
    return cell;
}

/* Mark the cells of results that are not what they should be. */
static void
put_marks(struct holdings *h)
{
    for (int node = 0; node < h->nodes; node++) {
        const struct row *row = &h->data.out[node];
        int marked = -1;

        for (size_t i = 0; row->words && i < row->count; i++) {
            uint64_t is = row->words[i];
            int cell;

            if (is == vectors_should(&h->data, node, i) || (cell = result_cell(h, node, i)) == marked)
                continue;
            marked = cell;
            if (label_kind(is) == LABEL_UNSET) {
                put_change(h, node, cell, 1, HOLDS_NOTHING, "never");
                continue;
            }
            int64_t holds = h->shown[(size_t)node * (size_t)h->cells + (size_t)cell];

            put_change(h, node, cell, 1,
                       combines(h->collective) && label_kind(is) != LABEL_NONE && label_kind(is) != LABEL_BEYOND
                           ? (int64_t)number_label(&h->combinations, is)
                           : holds,
                       "wrong");
        }
    }
}

/* An all-to-all's blocks lie at the end where the result has them. */
static void
settle(struct holdings *h)
{
    for (int node = 0; moves_pairs(h->collective) && node < h->nodes; node++)
        for (size_t i = 0; i < h->data.out[node].count; i++) {
            uint32_t pair;

            if (label_kind(h->data.out[node].words[i]) == LABEL_WORD &&
                ends_block(h, h->data.out[node].words[i], &pair))
                put_block(h, node, result_cell(h, node, i), pair + 1);
        }
}

static void
want_run(struct holdings *h, int node, int cell, int count, int64_t first, int last)
{
    fprintf(h->out, "%s[%d,%d,%d,", h->follows ? "," : "", node, cell, count);
    h->follows = true;
    if (combines(h->collective))
        fprintf(h->out, "[%" PRId64 ",%d]]", first, last);
    else
        fprintf(h->out, "%" PRId64 "]", first);
}

/* A node must hold this in so many cells; those without words need hold nothing. */
static void
want(struct holdings *h, int node, int cell, int count, int64_t first, int last)
{
    int from = cell;

    for (int end = cell; end <= cell + count; end++) {
        if (end < cell + count && h->cell_begin[end] < h->cell_begin[end + 1])
            continue;
        if (end > from)
            want_run(h, node, from, end - from, combines(h->collective) ? first : first + (from - cell), last);
        from = end + 1;
    }
}

static bool
is_among(const struct peal_check_case *where, int node)
{
    for (int i = 0; where->to && i < where->to_count; i++)
        if (where->to[i] == node)
            return true;
    return !where->to || node == where->root;
}

static void
put_wanted(struct holdings *h)
{
    int P = h->nodes, root = h->where.root;

    h->follows = false;
    fputs("],\n\"wanted\": [", h->out);
    for (int node = 0; node < P; node++)
        switch (h->collective) {
        case PEAL_SCATTER:
            want(h, node, node, 1, node, 0);
            break;
        case PEAL_GATHER:
            if (node == root)
                want(h, node, 0, P, 0, 0);
            break;
        case PEAL_ALLGATHER:
            want(h, node, 0, P, 0, 0);
            break;
        case PEAL_BROADCAST:
            want(h, node, 0, h->cells, 0, 0);
            break;
        case PEAL_MULTICAST:
            if (is_among(&h->where, node))
                want(h, node, 0, h->cells, 0, 0);
            break;
        case PEAL_SHIFT:
            want(h, node, 0, 1, ((node - h->where.by) % P + P) % P, 0);
            break;
        case PEAL_REDUCE:
            if (node == root)
                want(h, node, 0, h->cells, 0, P - 1);
            break;
        case PEAL_REDUCE_SCATTER:
            want(h, node, node, 1, 0, P - 1);
            break;
        case PEAL_ALLREDUCE:
            want(h, node, 0, h->cells, 0, P - 1);
            break;
        case PEAL_SCAN:
            want(h, node, 0, h->cells, 0, node);
            break;
        case PEAL_EXSCAN:
            if (node > 0)
                want(h, node, 0, h->cells, 0, node - 1);
            break;
        case PEAL_ALLTOALL:
            for (int from = 0; from < P; from++)
                if (vectors_pair(&h->data, from, node) > 0)
                    want_run(h, node, from, 1, (int64_t)from * P + node, 0);
            break;
        case PEAL_BARRIER:
        case PEAL_COLLECTIVES:
            break;
        }
    fputs("]}\n", h->out);
}

/* How many words a cell had in the recorded run; 0 when they differ, or the run was made with fewer. */
static size_t
cell_words(const struct holdings *h)
{
    bool blocks = peal_collective_has_blocks(h->collective);
    size_t words = h->cell_begin[1];

    if (blocks)
        return h->where.sizes ? 0 : h->run->block_words;
    if (h->cells == 1)
        return h->run->vector_words;
    for (int cell = 0; cell < h->cells; cell++)
        if (h->cell_begin[cell + 1] - h->cell_begin[cell] != words)
            return 0;
    return h->where.words == h->run->vector_words ? words : 0;
}

static enum peal_status
write_all(struct holdings *h, size_t most, struct peal_error *error)
{
    size_t at = 0, words = cell_words(h);
    uint64_t *best = combines(h->collective) ? calloc((size_t)h->nodes * h->words + 1, sizeof *best) : NULL;

    if (combines(h->collective) && !best)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    fprintf(h->out, "{\"kind\": \"%s\", \"cells\": %d, \"cell_words\": ", combines(h->collective) ? "sum" : "copy",
            h->cells);
    if (words)
        fprintf(h->out, "%zu", words);
    else
        fputs("null", h->out);
    fprintf(h->out, ", \"label\": \"%s\",\n\"start\": ", moves_pairs(h->collective) ? "pair" : "number");
    give(h, best);
    for (uint32_t round = 0; round <= h->run->schedule.round_count; round++) {
        size_t begin = at;

        while (at < h->event_count && h->events[at].round <= round)
            at++;
        take_events(h, h->events + begin, at - begin, best);
        if (round == h->run->schedule.round_count)
            settle(h);
        if (round > 0)
            fputs(round == 1 ? "],\n\"rounds\": [\n" : "],\n", h->out);
        put_changes(h);
        if (round == h->run->schedule.round_count)
            put_marks(h);
        if (ftello(h->out) > (off_t)most)
            break;
    }
    free(best);
    if (h->run->schedule.round_count == 0)
        fputs("],\n\"rounds\": [", h->out);
    else
        fputc(']', h->out);
    put_wanted(h);
    if (h->full)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (ftello(h->out) > (off_t)most)
        return peal_refuse(error, PEAL_USAGE, "what %d nodes hold after each round takes more than %zu bytes to tell",
                           h->nodes, most);
    return PEAL_OK;
}

static void
holdings_fini(struct holdings *h)
{
    for (uint32_t i = 0; i < h->combinations.count; i++)
        free(h->combinations.text[i]);
    free(h->combinations.text);
    free(h->combinations.by_text);
    free(h->combinations.by_label);
    free(h->events);
    free(h->cell_begin);
    free(h->place);
    free(h->shown);
    free(h->sent_on);
    free(h->dirty);
    free(h->is_dirty);
    vectors_fini(&h->data);
}

enum peal_status
peal_check_holdings(FILE *out, const struct peal_record *run, const union peal_check_function *function, size_t most,
                    struct peal_error *error)
{
    struct holdings h = {.run = run, .function = function, .nodes = run->options.nodes};
    struct peal_error ignored;
    size_t *sizes = NULL, bytes = 0;
    char *text = NULL;
    int *to = NULL;

    if (!error)
        error = &ignored;
    h.out = open_memstream(&text, &bytes);
    enum peal_status status =
        h.out ? prepare(&h, &sizes, &to, error) : peal_refuse(error, PEAL_RESOURCES, "not enough memory");

    if (status == PEAL_OK)
        status = run_again(&h, error);
    if (status == PEAL_OK)
        status = cut(&h, error);
    if (status == PEAL_OK)
        status = write_all(&h, most, error);
    if (h.out && fclose(h.out) != 0 && status == PEAL_OK)
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (status == PEAL_OK)
        fwrite(text, 1, bytes, out);
    free(text);
    free(sizes);
    free(to);
    holdings_fini(&h);
    return status;
}
