/* SPDX-License-Identifier: MIT */
/* Writes the data that nodes hold after each round, unless that would make the page slow. */
#include "write/report.h"
#include <jansson.h>
#include <peal/check.h>
#include <stdlib.h>

/* A page that is much larger is slow to open. */
enum { MAX_BYTES = 4 << 20 };

/* ------------------------------------------------------------------ values that a program shows */

/* The text of a value that was shown. */
static json_t *
report_value_text(const json_t *value)
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
                                        report_value_text(json_array_get(one, 3))));
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
    char *text = run->shown && run->program ? blocks_of_shown(run) : NULL;
    size_t bytes = 0;

    if (text)
        return text;
    FILE *out = open_memstream(&text, &bytes);
    enum peal_status status = out ? peal_check_holdings(out, run, NULL, MAX_BYTES, &error) : PEAL_RESOURCES;

    if (out && fclose(out) == 0 && status == PEAL_OK)
        return text;
    free(text);
    snprintf(why, 200, "%.199s", error.text);
    return NULL;
}
