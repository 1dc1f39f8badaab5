/* SPDX-License-Identifier: MIT */
/* Writes the data that nodes hold after each round, unless that would make the page slow, and which of it each node has
 * delivered by then. */
#include "write/report.h"
#include <jansson.h>
#include <peal/check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A page that is much larger is slow to open. */
enum { MAX_BYTES = 4 << 20 };

/* ------------------------------------------------------------------ what leaves */

/* Blocks by their numbers: where each node has it, and the last round in which it sends it. */
struct deliveries {
    const struct peal_schedule *schedule;
    int nodes, cells;
    int *cell; /* of node and number; -1: it does not have it */
    int *last;
    bool *wanted;
    int *to;    /* of each node a transfer of the round to it, counted in the round from 1; 0: none */
    int *after; /* of each such transfer the next one to the same node */
};

/* List the transfers of a round by their receivers. */
static void
list_receivers(struct deliveries *d, const struct peal_round *round)
{
    memset(d->to, 0, (size_t)d->nodes * sizeof *d->to);
    for (size_t i = 0; i < round->count; i++) {
        int *first = &d->to[d->schedule->transfers[round->first + i].to];

        d->after[i + 1] = *first;
        *first = (int)i + 1;
    }
}

static int
at(const struct deliveries *d, const json_t *change, int i, int *number)
{
    int node = (int)json_integer_value(json_array_get(change, 0));

    *number = (int)json_integer_value(json_array_get(change, 3)) + i;
    return node * d->cells + *number;
}

/* For each cell of a list of changes; `each` gets the place of node and number, and the cell. */
static bool
for_cells(struct deliveries *d, const json_t *changes, int round,
          void (*each)(struct deliveries *d, int node, int number, int cell, int round))
{
    for (size_t i = 0; i < json_array_size(changes); i++) {
        const json_t *change = json_array_get(changes, i);
        int node = (int)json_integer_value(json_array_get(change, 0)), number;
        int first = (int)json_integer_value(json_array_get(change, 1));
        int count = (int)json_integer_value(json_array_get(change, 2));

        if (!json_is_integer(json_array_get(change, 3)))
            return false;
        for (int j = 0; j < count; j++) {
            if (at(d, change, j, &number) >= d->nodes * d->cells || number >= d->cells)
                return false;
            each(d, node, number, first + j, round);
        }
    }
    return true;
}

/* The block came: whoever had it and sent something here has sent it. */
static void
note_sender(struct deliveries *d, int node, int number, int cell, int round)
{
    const struct peal_round *made = peal_schedule_round(d->schedule, (size_t)round - 1);

    (void)cell;
    for (int i = d->to[node]; i > 0; i = d->after[i]) {
        const struct peal_transfer *t = &d->schedule->transfers[made->first + (size_t)i - 1];

        if (d->cell[t->from * d->cells + number] >= 0)
            d->last[t->from * d->cells + number] = round;
    }
}

static void
note_place(struct deliveries *d, int node, int number, int cell, int round)
{
    (void)round;
    d->cell[node * d->cells + number] = cell;
}

static void
note_wanted(struct deliveries *d, int node, int number, int cell, int round)
{
    (void)cell, (void)round;
    d->wanted[node * d->cells + number] = true;
}

/* The cells that each round empties, as a list for every round from 0. */
static json_t *
list_leaves(const struct deliveries *d)
{
    json_t *lists = json_array();

    for (size_t round = 0; round <= d->schedule->round_count; round++)
        json_array_append_new(lists, json_array());
    for (int node = 0; node < d->nodes; node++)
        for (int number = 0; number < d->cells; number++) {
            int place = node * d->cells + number;

            if (d->cell[place] >= 0 && d->last[place] > 0 && !d->wanted[place])
                json_array_append_new(json_array_get(lists, (size_t)d->last[place]),
                                      json_pack("[iii]", node, d->cell[place], 1));
        }
    return lists;
}

/* Add "leaves" to blocks that are copies with a number each; NULL, and `text` stays as it is, for others. */
static char *
with_leaves(const struct peal_record *run, const char *text)
{
    json_t *blocks = json_loads(text, 0, NULL);
    const json_t *rounds = json_object_get(blocks, "rounds"), *wanted = json_object_get(blocks, "wanted");
    const char *kind = json_string_value(json_object_get(blocks, "kind"));
    const char *label = json_string_value(json_object_get(blocks, "label"));
    struct deliveries d = {.schedule = &run->schedule,
                           .nodes = run->options.nodes,
                           .cells = (int)json_integer_value(json_object_get(blocks, "cells"))};
    size_t places = (size_t)d.nodes * (size_t)d.cells;
    bool fits = kind && label && strcmp(kind, "copy") == 0 && strcmp(label, "number") == 0 && wanted &&
                json_array_size(rounds) == run->schedule.round_count;
    char *with = NULL;

    d.cell = fits ? malloc((places + 1) * sizeof *d.cell) : NULL;
    d.last = fits ? calloc(places + 1, sizeof *d.last) : NULL;
    d.wanted = fits ? calloc(places + 1, sizeof *d.wanted) : NULL;
    d.to = fits ? calloc((size_t)d.nodes + 1, sizeof *d.to) : NULL;
    d.after = fits ? calloc(run->schedule.transfer_count + 1, sizeof *d.after) : NULL;
    fits = fits && d.cell && d.last && d.wanted && d.to && d.after;
    for (size_t i = 0; fits && i < places; i++)
        d.cell[i] = -1;
    fits =
        fits && for_cells(&d, wanted, 0, note_wanted) && for_cells(&d, json_object_get(blocks, "start"), 0, note_place);
    for (size_t i = 0; fits && i < run->schedule.round_count; i++) {
        list_receivers(&d, peal_schedule_round(&run->schedule, i));
        fits = for_cells(&d, json_array_get(rounds, i), (int)i + 1, note_sender) &&
               for_cells(&d, json_array_get(rounds, i), (int)i + 1, note_place);
    }
    if (fits) {
        json_object_set_new(blocks, "leaves", list_leaves(&d));
        with = json_dumps(blocks, JSON_COMPACT);
    }
    free(d.cell);
    free(d.last);
    free(d.wanted);
    free(d.to);
    free(d.after);
    json_decref(blocks);
    return with;
}

/* ------------------------------------------------------------------ values that a program shows */

/* The text of a value that was shown. */
static json_t *
value_text(const json_t *value)
{
    char text[60];

    if (json_is_string(value))
        return json_copy((json_t *)(uintptr_t)value);
    if (json_is_integer(value))
        snprintf(text, sizeof text, "%lld", json_integer_value(value));
    else
        snprintf(text, sizeof text, "%.6g", json_real_value(value));
    return json_string(text);
}

/* Blocks with a cell for each name that nodes have shown. */
static char *
blocks_of_shown(const struct peal_record *run)
{
    json_t *shown = json_loads(run->shown, 0, NULL), *names = json_array(), *numbers = json_object();
    json_t *start = json_array(), *rounds = json_array(), *blocks;

    for (size_t i = 0; i < run->schedule.round_count; i++)
        json_array_append_new(rounds, json_array());
    for (size_t i = 0; i < json_array_size(shown); i++) {
        const json_t *one = json_array_get(shown, i);
        const char *name = json_string_value(json_array_get(one, 2));
        size_t round = (size_t)json_integer_value(json_array_get(one, 1));

        if (!name || round > run->schedule.round_count)
            continue;
        if (!json_object_get(numbers, name)) {
            json_object_set_new(numbers, name, json_integer((json_int_t)json_array_size(names)));
            json_array_append_new(names, json_string(name));
        }
        json_array_append_new(round ? json_array_get(rounds, round - 1) : start,
                              json_pack("[OOio]", json_array_get(one, 0), json_object_get(numbers, name), 1,
                                        value_text(json_array_get(one, 3))));
    }
    blocks = json_pack("{s:I,s:s,s:s,s:o,s:o,s:o}", "cells", (json_int_t)json_array_size(names), "kind", "shown",
                       "label", "name", "names", names, "start", start, "rounds", rounds);
    char *text = json_array_size(names) > 0 ? json_dumps(blocks, JSON_COMPACT) : NULL;

    json_decref(blocks);
    json_decref(numbers);
    json_decref(shown);
    return text;
}

/* ------------------------------------------------------------------ all */

char *
report_blocks(const struct peal_record *run, char why[200])
{
    struct peal_error error = {PEAL_RESOURCES, "not enough memory"};
    char *text = run->shown && run->program ? blocks_of_shown(run) : NULL, *with;
    size_t bytes = 0;

    if (text)
        return text;
    FILE *out = open_memstream(&text, &bytes);
    enum peal_status status = out ? peal_check_holdings(out, run, NULL, MAX_BYTES, &error) : PEAL_RESOURCES;

    if (out && fclose(out) == 0 && status == PEAL_OK) {
        with = with_leaves(run, text);
        if (with)
            free(text);
        return with ? with : text;
    }
    free(text);
    snprintf(why, 200, "%.199s", error.text);
    return NULL;
}
