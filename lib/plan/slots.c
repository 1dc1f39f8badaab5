/* SPDX-License-Identifier: MIT */
/* A hash table from (node, label) to a place, by open addressing, at most half full. */
#include "lib/plan/slots.h"
#include "lib/plan/plan.h"
#include <stdlib.h>

static size_t
hash(int node, uint64_t label)
{
    uint64_t x = (label ^ (uint64_t)node * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);

    return (size_t)(x ^ x >> 31);
}

static struct slot *
slot_at(const struct slots *slots, int node, uint64_t label)
{
    size_t at = hash(node, label) & slots->mask;

    while (slots->slots[at].label != 0 && (slots->slots[at].label != label || slots->slots[at].node != node))
        at = (at + 1) & slots->mask;
    return &slots->slots[at];
}

static bool
slots_grow(struct slots *slots)
{
    struct slots old = *slots;
    size_t size = old.slots ? 2 * (old.mask + 1) : 1024;

    *slots = (struct slots){.slots = calloc(size, sizeof *slots->slots), .mask = size - 1, .used = old.used};
    if (!slots->slots) {
        *slots = old;
        return false;
    }
    for (size_t i = 0; old.slots && i <= old.mask; i++)
        if (old.slots[i].label != 0)
            *slot_at(slots, old.slots[i].node, old.slots[i].label) = old.slots[i];
    free(old.slots);
    return true;
}

bool
slots_put(struct slots *slots, int node, uint64_t label, struct peal_plan_place place)
{
    if ((!slots->slots || 2 * slots->used > slots->mask) && !slots_grow(slots))
        return false;
    struct slot *slot = slot_at(slots, node, label);

    if (slot->label == 0) {
        *slot = (struct slot){label, node, place};
        slots->used++;
    }
    return true;
}

const struct slot *
slots_find(const struct slots *slots, int node, uint64_t label)
{
    const struct slot *slot = slots->slots ? slot_at(slots, node, label) : NULL;

    return slot && slot->label != 0 ? slot : NULL;
}
