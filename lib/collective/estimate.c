/* SPDX-License-Identifier: MIT */
/* Estimates the memory of a run before it begins, and refuses one that does not fit. */
#include "lib/collective/estimate.h"
#include "lib/collective/catalog.h"
#include "lib/machine/host.h"
#include <stdio.h>
#include <string.h>

/* A run of fewer bytes than `little` is faster than its estimate; more than `much` that no node needs is reported. */
static const uint64_t little = 32 << 20, much = 128 << 20;

/* The words of all nodes on one side of the call, and of the longest row. */
static uint64_t
estimate_words(const struct peal_situation *situation, enum peal_side side, uint64_t *row)
{
    uint64_t P = (uint64_t)situation->nodes, words = situation->words, rows = side == PEAL_SIDE_ROOT_BLOCKS ? 1 : P;

    *row = side == PEAL_SIDE_NONE                                ? 0
           : side == PEAL_SIDE_VECTOR || side == PEAL_SIDE_BLOCK ? words
                                                                 : room_times(words, P);
    return room_times(*row, rows);
}

/* What the nodes allocate besides the data, in halves of its longer side, where an algorithm does not declare it. */
static unsigned
usual_halves(enum peal_collective collective, int nodes)
{
    const struct peal_form *form = peal_form_of(collective);
    unsigned levels = 1; /* of a tree whose inner nodes hold the blocks of their subtrees */

    for (int P = 2; P < nodes && P > 0; P *= 2)
        levels++;
    return form->op ? 2 : !form->root ? 0 : form->out == PEAL_SIDE_VECTOR ? 1 : levels;
}

/* The words that all nodes allocate besides the data. */
static uint64_t
scratch_words(const struct peal_situation *situation, const struct peal_algorithm *algorithm, uint64_t sides)
{
    uint64_t P = (uint64_t)situation->nodes, largest = sides;
    int parameter = situation->parameter;

    if (algorithm->holds == PEAL_HOLDS_ALL)
        return room_times(largest, P);
    if (algorithm->holds == PEAL_HOLDS_PARAMETER)
        return room_times(largest, (uint64_t)(parameter < 2 ? 2 : parameter < situation->nodes ? parameter : (int)P));
    return room_times(largest,
                      algorithm->holds ? algorithm->holds : usual_halves(algorithm->collective, situation->nodes)) /
           2;
}

/* The transfers of a run: as many as carry the words that nodes receive, if each carries as many as the largest of its
 * round; and the requests that its nodes post at once. */
static void
estimate_transfers(const struct peal_situation *situation, const struct peal_algorithm *algorithm, uint64_t words,
                   uint64_t *transfers, uint64_t *requests)
{
    enum { POSTED = 6, UNKNOWN_ROUNDS = 64 };
    uint64_t P = (uint64_t)situation->nodes, levels = 2;
    struct peal_cost form;
    bool known = peal_algorithm_cost(algorithm, situation, &form) && form.alpha >= 0;
    double rounds = known ? (double)form.alpha : UNKNOWN_ROUNDS, most = (double)P * rounds, sent = most;

    for (uint64_t reached = 1; reached < P; reached *= 2)
        levels += 2;
    if (known && form.beta > 0)
        sent = 2 * (double)words * rounds / (double)form.beta;
    else if (known)
        sent = (double)P * (double)levels;
    sent = sent < (double)P ? (double)P : sent;
    *transfers = (uint64_t)(sent < most ? sent : most);
    *requests = room_times(P, POSTED);
}

struct room
peal_run_room(const struct peal_options *options, const struct peal_situation *situation,
              const struct peal_algorithm *algorithm)
{
    const struct peal_form *form = peal_form_of(algorithm->collective);
    bool changes = form->begins == PEAL_BEGINS_AT_ROOT;
    uint64_t transfers, requests, in_row, out_row;
    uint64_t in = estimate_words(situation, form->in, &in_row), out = estimate_words(situation, form->out, &out_row);
    uint64_t longer = in > out ? in : out;

    if (changes)
        in = in_row = out_row;
    estimate_transfers(situation, algorithm, longer, &transfers, &requests);
    struct room room =
        room_of_machine(options, peal_engine_of(options), algorithm->loaded == NULL, transfers, requests);
    uint64_t row = in_row > out_row ? in_row : out_row; /* twice to check the results */
    uint64_t words = room_add(room_add(in, out), room_times(row, form->op ? 2 : 1));
    uint64_t bytes = room_times(room_add(words, scratch_words(situation, algorithm, longer)), options->word_bytes);
    uint64_t P = (uint64_t)situation->nodes;

    bytes = room_add(bytes, room_times(room_times(P, P), 8 * algorithm->lists));

    room.bytes = room_add(room.bytes, bytes);
    room.addresses = room_add(room.addresses, bytes);
    return room;
}

static bool
estimate_fits(const struct room *left, const struct peal_options *options, const struct peal_situation *situation,
              const struct peal_algorithm *algorithm)
{
    struct room room = peal_run_room(options, situation, algorithm);

    return room.bytes <= left->bytes && room.addresses <= left->addresses;
}

/* "-n 30000 or fewer words fit", or the nodes if not one word does. */
static void
say_what_fits(const struct room *left, const struct peal_options *options, const struct peal_situation *situation,
              const struct peal_algorithm *algorithm, char *text, size_t bytes)
{
    struct peal_options fewer = *options;
    struct peal_situation less = *situation;
    size_t low = 0, high = situation->words;
    int nodes = 0, too_many = situation->nodes;
    bool blocks = peal_collective_has_blocks(algorithm->collective);

    while (high - low > 1) {
        less.words = low + (high - low) / 2;
        if (estimate_fits(left, options, &less, algorithm))
            low = less.words;
        else
            high = less.words;
    }
    for (size_t unit = 1; low / unit >= 100; unit *= 10)
        low -= low / unit / 10 >= 10 ? low % (unit * 10) : 0;
    if (low > 0) {
        snprintf(text, bytes, "-%c %zu fits", blocks ? 'm' : 'n', low);
        return;
    }
    for (less = *situation; too_many - nodes > 1;) {
        less.nodes = fewer.nodes = nodes + (too_many - nodes) / 2;
        less.network = NULL;
        if (estimate_fits(left, &fewer, &less, algorithm))
            nodes = less.nodes;
        else
            too_many = less.nodes;
    }
    snprintf(text, bytes, nodes > 0 ? "with as many words %d node%s fit%s" : "no number of nodes fits", nodes,
             nodes == 1 ? "" : "s", nodes == 1 ? "s" : "");
}

enum peal_status
peal_run_fits(const struct peal_options *options, const struct peal_situation *situation,
              const struct peal_algorithm *algorithm, struct peal_error *error)
{
    struct room room = peal_run_room(options, situation, algorithm), left;
    char takes_text[ROOM_TEXT], left_text[ROOM_TEXT], what[80];
    uint64_t takes, remains;
    const char *limit;

    if (room.bytes > PTRDIFF_MAX) /* no memory holds it: the number of words itself is refused */
        return PEAL_OK;
    bool small = room.bytes < little && (room.addresses < little || room_addresses() == UINT64_MAX);

    if (!PEAL_THREADS || small || strcmp(options->engine, "mpi") == 0) /* finding out takes longer than a small run */
        return PEAL_OK;
    left = room_left_for(&room);
    if (!room_lacks(&room, &left, &limit, &takes, &remains))
        return PEAL_OK;
    say_what_fits(&left, options, situation, algorithm, what, sizeof what);
    return peal_refuse(error, PEAL_RESOURCES, "takes about %s, and %s are left (%s): %s", room_text(takes, takes_text),
                       room_text(remains, left_text), limit, what);
}

bool
peal_run_holds_all(const struct peal_options *options, const struct peal_situation *situation,
                   const struct peal_algorithm *algorithm, char *text, size_t bytes)
{
    struct room room = peal_run_room(options, situation, algorithm);
    bool all =
        algorithm->holds == PEAL_HOLDS_ALL || (algorithm->holds == PEAL_HOLDS_PARAMETER && situation->parameter > 8);
    char takes[ROOM_TEXT];

    if (!all || room.bytes < much)
        return false;
    snprintf(text, bytes,
             "would take %s, since each node holds the vectors of many others: it is run only if it is named",
             room_text(room.bytes, takes));
    return true;
}
