/* SPDX-License-Identifier: MIT */
/* A list of places, found by node and label. */
#include "lib/plan/slots.h"
#include "lib/base/grow.h"
#include <stdlib.h>

bool
slots_put(struct slots *slots, int node, uint64_t label, struct peal_plan_place place)
{
    if (slots_find(slots, node, label))
        return true;
    if (!array_grow(&slots->slots, &slots->room, slots->count + 1, sizeof *slots->slots) ||
        !map_put(&slots->by_name, map_mix(label, (uint64_t)node), slots->count))
        return false;
    slots->slots[slots->count++] = (struct slot){label, node, place};
    return true;
}

const struct slot *
slots_find(const struct slots *slots, int node, uint64_t label)
{
    ptrdiff_t found;

    for (size_t at = 0; (found = map_next(&slots->by_name, map_mix(label, (uint64_t)node), &at)) != MAP_NONE;)
        if (slots->slots[found].label == label && slots->slots[found].node == node)
            return &slots->slots[found];
    return NULL;
}

void
slots_fini(struct slots *slots)
{
    free(slots->slots);
    free(slots->by_name.places);
}
