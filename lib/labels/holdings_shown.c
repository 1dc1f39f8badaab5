/* SPDX-License-Identifier: MIT */
/* What the nodes of a program have shown, as what their cells hold: each variable has one. */
#include "lib/base/grow.h"
#include "lib/base/map.h"
#include "lib/labels/holdings.h"
#include "lib/record/record.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The cell of the variable with this name, a new one for the first of its name; -1 without memory. */
static int
cell_of_name(struct peal_holdings *holdings, struct map *by_name, const char *name)
{
    uint64_t hash = 0;
    ptrdiff_t known;

    for (const char *c = name; *c; c++)
        hash = map_mix(hash, (unsigned char)*c);
    for (size_t at = 0; (known = map_next(by_name, hash, &at)) != MAP_NONE;)
        if (strcmp(holdings->names[known], name) == 0)
            return (int)known;
    if (!grow_by_one(&holdings->names, (size_t)holdings->cells, sizeof *holdings->names) ||
        !map_put(by_name, hash, (size_t)holdings->cells))
        return -1;
    holdings->names[holdings->cells] = name;
    return holdings->cells++;
}

bool
peal_holdings_shown(struct peal_holdings *holdings, const struct peal_record *run)
{
    const struct peal_shown *shown = &run->shown;
    struct map by_name = {0};
    size_t i, before = 0;

    *holdings = (struct peal_holdings){.kind = PEAL_HOLDS_SHOWN,
                                       .label = "name",
                                       .nodes = run->options.nodes,
                                       .rounds = run->schedule.round_count,
                                       .changes = calloc(shown->count + 1, sizeof *holdings->changes)};
    holdings->change_end = calloc(holdings->rounds + 1, sizeof *holdings->change_end);
    if (!holdings->changes || !holdings->change_end)
        return false;
    for (i = 0; i < shown->count; i++) {
        assert(shown->values[i].round <= holdings->rounds);
        holdings->change_end[shown->values[i].round]++;
    }
    for (size_t round = 0; round <= holdings->rounds; round++) { /* first where it begins */
        size_t count = holdings->change_end[round];

        holdings->change_end[round] = before;
        before += count;
    }
    for (i = 0; i < shown->count; i++) {
        const struct peal_shown_value *one = &shown->values[i];
        struct peal_change *change = &holdings->changes[holdings->change_end[one->round]++];
        char text[SHOWN_TEXT];

        *change = (struct peal_change){.node = one->node, .count = 1};
        change->cell = cell_of_name(holdings, &by_name, one->name);
        if (change->cell < 0)
            break;
        snprintf(change->text, sizeof change->text, "%.47s", peal_shown_text(one->value, 6, text));
    }
    free(by_name.places);
    return i == shown->count;
}
