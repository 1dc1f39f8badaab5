/* SPDX-License-Identifier: MIT */
/* What nodes hold, change by change, and as JSON. */
#include "lib/base/grow.h"
#include "lib/labels/holdings_rerun.h"
#include "lib/record/json.h"
#include <stdlib.h>

/* Where the changes of the current round end; NULL without memory. */
static size_t *
end_of_round(struct peal_holdings *holdings)
{
    if (!holdings->change_end && grow_by_one(&holdings->change_end, 0, sizeof *holdings->change_end))
        holdings->change_end[0] = 0;
    return holdings->change_end ? &holdings->change_end[holdings->rounds] : NULL;
}

bool
peal_holdings_add(struct peal_holdings *holdings, const struct peal_change *change)
{
    size_t *count = end_of_round(holdings);

    if (!count || !grow_by_one(&holdings->changes, *count, sizeof *change))
        return false;
    holdings->changes[(*count)++] = *change;
    return true;
}

bool
peal_holdings_end_round(struct peal_holdings *holdings)
{
    if (!end_of_round(holdings) ||
        !grow_by_one(&holdings->change_end, holdings->rounds + 1, sizeof *holdings->change_end))
        return false;
    holdings->rounds++;
    holdings->change_end[holdings->rounds] = holdings->change_end[holdings->rounds - 1];
    return true;
}

void
peal_holdings_fini(struct peal_holdings *holdings)
{
    for (uint32_t i = 0; i < holdings->contributors_count; i++)
        free(holdings->contributors[i]);
    free(holdings->contributors);
    free(holdings->names);
    free(holdings->change_end);
    free(holdings->changes);
    free(holdings->wanted);
    free(holdings->leave_end);
    free(holdings->leaves);
}

enum peal_status
holdings_refuse(const struct peal_holdings *holdings, size_t most, struct peal_error *error)
{
    return peal_refuse(error, PEAL_USAGE, "the words of %d nodes after each round take more than %zu bytes",
                       holdings->nodes, most);
}

/* ------------------------------------------------------------------ as JSON */

static void
put_head(struct peal_json *json, const struct peal_holdings *holdings)
{
    static const char *const kinds[] = {"copy", "sum", "shown"};

    if (holdings->names) {
        peal_json_put(json, PEAL_INT("cells", holdings->cells), PEAL_STRING("kind", kinds[holdings->kind]),
                      PEAL_STRING("label", holdings->label), PEAL_OPEN("names", '['));
        for (int i = 0; i < holdings->cells; i++)
            peal_json_put(json, PEAL_STRING(NULL, holdings->names[i]));
        peal_json_put(json, PEAL_CLOSE(']'));
    } else {
        peal_json_put(json, PEAL_STRING("kind", kinds[holdings->kind]), PEAL_INT("cells", holdings->cells),
                      PEAL_UINT_IF("cell_words", holdings->cell_words > 0, holdings->cell_words),
                      PEAL_STRING("label", holdings->label));
    }
}

static void
put_change(struct peal_json *json, const struct peal_change *change)
{
    peal_json_put(json, PEAL_OPEN(NULL, '['), PEAL_INT(NULL, change->node), PEAL_INT(NULL, change->cell),
                  PEAL_INT(NULL, change->count));
    if (change->sum && change->sum->count > 0)
        peal_json_ints(json, NULL, change->sum->ends, (size_t)change->sum->count);
    else if (change->sum)
        peal_json_put(json, PEAL_STRING(NULL, "words of several places"));
    else if (change->text[0])
        peal_json_put(json, PEAL_STRING(NULL, change->text));
    else
        peal_json_put(json, PEAL_INT_IF(NULL, change->numbered, change->number));
    if (change->mark)
        peal_json_put(json, PEAL_STRING(NULL, change->mark));
    peal_json_put(json, PEAL_CLOSE(']'));
}

/* Put the changes of a round. */
static void
put_changes(struct peal_json *json, const struct peal_holdings *holdings, size_t round)
{
    peal_json_put(json, PEAL_OPEN(NULL, '['));
    for (size_t i = round > 0 ? holdings->change_end[round - 1] : 0; i < holdings->change_end[round]; i++)
        put_change(json, &holdings->changes[i]);
    peal_json_put(json, PEAL_CLOSE(']'));
}

static void
put_want(struct peal_json *json, const struct peal_holdings *holdings, const struct peal_want *want)
{
    peal_json_put(json, PEAL_OPEN(NULL, '['), PEAL_INT(NULL, want->node), PEAL_INT(NULL, want->cell),
                  PEAL_INT(NULL, want->count));
    if (holdings->kind == PEAL_HOLDS_SUMS)
        peal_json_put(json, PEAL_OPEN(NULL, '['), PEAL_INT(NULL, want->first), PEAL_INT(NULL, want->last),
                      PEAL_CLOSE(']'));
    else
        peal_json_put(json, PEAL_INT(NULL, want->first));
    peal_json_put(json, PEAL_CLOSE(']'));
}

static void
put_leaves(struct peal_json *json, const struct peal_holdings *holdings)
{
    size_t at = 0;

    peal_json_put(json, PEAL_LINE(0), PEAL_OPEN("leaves", '['));
    for (size_t round = 0; round <= holdings->rounds; round++) {
        peal_json_put(json, PEAL_OPEN(NULL, '['));
        for (; at < holdings->leave_end[round]; at++)
            peal_json_put(json, PEAL_OPEN(NULL, '['), PEAL_INT(NULL, holdings->leaves[at].node),
                          PEAL_INT(NULL, holdings->leaves[at].cell), PEAL_INT(NULL, 1), PEAL_CLOSE(']'));
        peal_json_put(json, PEAL_CLOSE(']'));
    }
    peal_json_put(json, PEAL_CLOSE(']'));
}

char *
peal_holdings_json(const struct peal_holdings *holdings, size_t most, struct peal_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    struct peal_json writer = {.out = open_memstream(&text, &bytes), .tight = true}, *json = &writer;

    if (!writer.out) {
        peal_refuse(error, PEAL_RESOURCES, "not enough memory");
        return NULL;
    }
    peal_json_put(json, PEAL_OPEN(NULL, '{'));
    put_head(json, holdings);
    peal_json_put(json, PEAL_LINE(0), PEAL_KEY("start"));
    put_changes(json, holdings, 0);
    peal_json_put(json, PEAL_LINE(0), PEAL_OPEN("rounds", '['));
    for (size_t round = 1; round <= holdings->rounds; round++) {
        peal_json_put(json, PEAL_LINE(0));
        put_changes(json, holdings, round);
    }
    peal_json_put(json, PEAL_CLOSE(']'));
    if (holdings->kind != PEAL_HOLDS_SHOWN) {
        peal_json_put(json, PEAL_LINE(0), PEAL_OPEN("wanted", '['));
        for (size_t i = 0; i < holdings->wanted_count; i++)
            put_want(json, holdings, &holdings->wanted[i]);
        peal_json_put(json, PEAL_CLOSE(']'));
    }
    if (holdings->leave_end)
        put_leaves(json, holdings);
    peal_json_put(json, PEAL_CLOSE('}'));
    if (fclose(writer.out) != 0)
        peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    else if (bytes > most)
        holdings_refuse(holdings, most, error);
    else
        return text;
    free(text);
    return NULL;
}
