/* SPDX-License-Identifier: MIT */
/* Writes findings in the form that documents give them: see peal-json(5). */
#include "lib/record/json_found.h"

static void
json_found_write_places(struct peal_json *json, const struct peal_place *places, int count)
{
    peal_json_put(json, PEAL_OPEN("places", '['));
    for (int i = 0; i < count; i++)
        peal_json_put(json, PEAL_OPEN(NULL, '{'), PEAL_INT("rank", places[i].rank), PEAL_STRING("file", places[i].file),
                      PEAL_INT_IF("line", places[i].file, places[i].line), PEAL_CLOSE('}'));
    peal_json_put(json, PEAL_CLOSE(']'));
}

void
peal_json_found(struct peal_json *json, const struct peal_found *one, unsigned members)
{
    const struct peal_fault *fault = one->fault;

    if (members & PEAL_FOUND_KIND)
        peal_json_put(json, PEAL_STRING("kind", one->name ? one->name : peal_failure_name(fault->kind)),
                      PEAL_STRING("severity", peal_severity_name(fault->severity)));
    if (members & PEAL_FOUND_MESSAGE)
        peal_json_put(json, PEAL_STRING("message", one->message ? one->message : fault->message));
    if (members & PEAL_FOUND_PLACE)
        peal_json_put(json, PEAL_STRING("file", fault->file[0] ? fault->file : NULL),
                      PEAL_INT_IF("line", fault->file[0], fault->line));
    if (members & PEAL_FOUND_PLACES)
        json_found_write_places(json, one->places, one->place_count);
    if (members & PEAL_FOUND_CYCLE)
        peal_json_ints(json, "cycle", one->cycle, (size_t)one->cycle_length);
    if (members & PEAL_FOUND_RULE)
        peal_json_put(json, PEAL_STRING("rule", fault->rule[0] ? fault->rule : NULL));
    if (members & PEAL_FOUND_FIX)
        peal_json_put(json, PEAL_STRING("fix", fault->fix[0] ? fault->fix : NULL));
}
