/* SPDX-License-Identifier: MIT */
/* Evaluates the events at one P, root and length for every rank, and compares the messages with a recorded run's.
 * So a mistake of the interpreter or of a model is found unless the machine makes the same one. */
#include "lib/proof/same_run.h"
#include "lib/base/grow.h"
#include "lib/base/text.h"
#include <inttypes.h>
#include <stdlib.h>

struct message_list {
    struct every_message *items;
    size_t count, capacity;
};

struct comparing {
    struct following *run;
    const struct every_case *of;
    int64_t values[TERM_VARIABLES];
    struct message_list list;
    bool no_memory;
};

static int64_t
same_run_value(struct comparing *c, term a)
{
    return term_value(c->run->terms, a, c->values);
}

static uint64_t
same_run_block_words(const struct comparing *c, enum cut cut, int64_t block)
{
    size_t nodes = (size_t)c->of->nodes;

    if (cut == CUT_NOTHING)
        return 0;
    return cut == CUT_VECTOR ? c->of->words / nodes + ((size_t)block < c->of->words % nodes) : c->of->words;
}

static void
add_message(struct comparing *c, const struct c_event *event, int from)
{
    struct every_message message = {.from = from, .to = (int)same_run_value(c, event->peer)};

    for (int i = 0; i < event->items; i++) {
        int64_t lo = same_run_value(c, event->item[i].lo), count = same_run_value(c, event->item[i].count);
        int64_t step = event->item[i].step ? event->item[i].step : 1, nodes = c->of->nodes;

        for (int64_t b = 0; b < count; b++)
            message.words += same_run_block_words(c, event->item[i].cut, ((lo + b * step) % nodes + nodes) % nodes);
    }
    if (!array_grow(&c->list.items, &c->list.capacity, c->list.count + 1, sizeof *c->list.items)) {
        c->no_memory = true;
        return;
    }
    c->list.items[c->list.count++] = message;
}

/* The sends of a loop: round by round. */
static void
add_loop(struct comparing *c, const struct path *path, size_t from, size_t to, int rank)
{
    const struct loop *loop = path->events[from].loop;
    int64_t *k = &c->values[term_place(c->run->terms, loop->k)];

    for (*k = 0; *k <= c->of->nodes && same_run_value(c, loop->holds); ++*k)
        for (size_t i = from; i < to; i++)
            if (path->events[i].kind == EVENT_SEND && same_run_value(c, path->events[i].guard))
                add_message(c, &path->events[i], rank);
    *k = 0;
}

static void
add_path(struct comparing *c, const struct path *path, int rank)
{
    for (size_t i = 0, end; i < path->count; i = end) {
        const struct c_event *event = &path->events[i];

        end = i + 1;
        if (event->loop) {
            while (end < path->count && path->events[end].loop == event->loop)
                end++;
            add_loop(c, path, i, end, rank);
        } else if (event->kind == EVENT_SEND && same_run_value(c, event->guard)) {
            add_message(c, event, rank);
        }
    }
}

/* Whether exactly one path is that of this rank: its sends are added. */
static bool
add_rank(struct comparing *c, int rank)
{
    const struct following *run = c->run;
    const struct path *taken = NULL;
    int number = run->root ? (rank - c->of->root + c->of->nodes) % c->of->nodes : rank;

    c->values[term_place(run->terms, run->number)] = number;
    for (size_t i = 0; i < run->path_count; i++)
        if (same_run_value(c, run->paths[i].brief)) {
            if (taken)
                return false;
            taken = &run->paths[i];
        }
    if (!taken)
        return false;
    add_path(c, taken, rank);
    return true;
}

/* Sort by sender and receiver; those of a pair keep their order. */
static bool
same_run_sort(struct every_message *items, size_t count, int nodes)
{
    size_t pairs = (size_t)nodes * (size_t)nodes, at = 0, *begin = calloc(pairs + 1, sizeof *begin);
    struct every_message *sorted = calloc(count + 1, sizeof *sorted);

    for (size_t i = 0; begin && i < count; i++)
        begin[(size_t)items[i].from * (size_t)nodes + (size_t)items[i].to]++;
    for (size_t i = 0; begin && i < pairs; i++) {
        size_t of_pair = begin[i];

        begin[i] = at;
        at += of_pair;
    }
    for (size_t i = 0; begin && sorted && i < count; i++)
        sorted[begin[(size_t)items[i].from * (size_t)nodes + (size_t)items[i].to]++] = items[i];
    if (begin && sorted && count > 0)
        memcpy(items, sorted, count * sizeof *items);
    bool can = begin && sorted;

    free(begin);
    free(sorted);
    return can;
}

static bool
same_run_in_range(const struct every_message *items, size_t count, int nodes)
{
    for (size_t i = 0; i < count; i++)
        if (items[i].from < 0 || items[i].from >= nodes || items[i].to < 0 || items[i].to >= nodes)
            return false;
    return true;
}

static void
say_difference(struct peal_text text, const struct every_case *of, const struct message_list *ours,
               const struct message_list *theirs)
{
    size_t i = 0;

    while (i < ours->count && i < theirs->count &&
           memcmp(&ours->items[i], &theirs->items[i], sizeof ours->items[i]) == 0)
        i++;
    peal_append(text, "the code as it is followed does not do what a run does: P = %d, root %d, %zu words: ", of->nodes,
                of->root, of->words);
    for (int j = 0; j < 2; j++) {
        const struct message_list *list = j == 0 ? ours : theirs;

        if (i < list->count)
            peal_append(text, "%d to %d, %" PRIu64 " words", list->items[i].from, list->items[i].to,
                        list->items[i].words);
        else
            peal_append(text, "no message");
        peal_append(text, j == 0 ? "; the run: " : "");
    }
}

enum peal_status
compare_run(struct following *run, const struct every_request *request, const struct every_case *of, bool *equal,
            char text[400], struct peal_error *error)
{
    struct comparing c = {.run = run, .of = of};
    struct message_list recorded = {.items = NULL};
    const struct peal_text words = empty_text(text, 400);
    enum peal_status status;

    *equal = false;
    if (term_is(run->terms, run->P, TERM_VARIABLE))
        c.values[term_place(run->terms, run->P)] = of->nodes;
    if (run->root)
        c.values[term_place(run->terms, run->root)] = of->root;
    if (run->by)
        c.values[term_place(run->terms, run->by)] = of->by;
    bool followed = true;

    for (int rank = 0; rank < of->nodes && followed; rank++)
        followed = add_rank(&c, rank);
    if (!followed || !same_run_in_range(c.list.items, c.list.count, of->nodes)) {
        peal_append(words, "the code as it is followed has no single way at P = %d, root %d", of->nodes, of->root);
        free(c.list.items);
        return PEAL_OK;
    }
    status = request->runs(request->arg, of, &recorded.items, &recorded.count, error);
    if (status == PEAL_OK && (c.no_memory || !same_run_sort(c.list.items, c.list.count, of->nodes) ||
                              !same_run_sort(recorded.items, recorded.count, of->nodes)))
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (status == PEAL_OK) {
        *equal =
            c.list.count == recorded.count &&
            (recorded.count == 0 || memcmp(c.list.items, recorded.items, recorded.count * sizeof *recorded.items) == 0);
        if (!*equal)
            say_difference(words, of, &c.list, &recorded);
    }
    free(c.list.items);
    free(recorded.items);
    return status;
}
