/* SPDX-License-Identifier: MIT */
/* Counts in the shadow which words open requests hold, and keeps their pieces by the request's number. */
#include "lib/memory/holds.h"
#include "lib/base/grow.h"
#include "lib/machine/machine.h"
#include "lib/memory/shadow.h"
#include <stdlib.h>
#include <string.h>

static struct hold *holds; /* by the number of the request */
static size_t capacity;

void
holds_begin(void)
{
    for (size_t i = 0; i < capacity; i++) {
        free(holds[i].many);
        holds[i] = (struct hold){.count = 0};
    }
}

void
holds_end(void)
{
    holds_begin();
    free(holds);
    holds = NULL;
    capacity = 0;
}

struct hold *
holds_get(uint32_t id)
{
    return id < capacity ? &holds[id] : NULL;
}

bool
holds_keep(uint32_t id, const struct peal_piece *pieces, int count, bool receive)
{
    if (!peal_grow_zeroed(&holds, &capacity, (size_t)id + 1, sizeof *holds))
        return false;
    struct hold *hold = &holds[id];

    free(hold->many);
    *hold = (struct hold){.receive = receive};
    if (count > 1 && !(hold->many = malloc((size_t)count * sizeof *hold->many)))
        return false;
    if (count > 1)
        memcpy(hold->many, pieces, (size_t)count * sizeof *pieces);
    else if (count == 1)
        hold->one = *pieces;
    hold->count = count;
    return true;
}

uint32_t
holds_find(const struct node *node, uintptr_t begin, uintptr_t end, bool receive)
{
    const struct request *requests = node->machine->requests;
    size_t word = node->machine->options.word_bytes;

    for (uint32_t id = node->open; id; id = requests[id].open_next) {
        if (id >= capacity || holds[id].receive != receive)
            continue;
        for (int i = 0; i < holds[id].count; i++) {
            const struct peal_piece *piece = &hold_pieces(&holds[id])[i];

            if (end > (uintptr_t)piece->data && begin < (uintptr_t)piece->data + piece->words * word)
                return id;
        }
    }
    return 0;
}

void
holds_count(struct node *node, uint64_t *shadow, uintptr_t word, bool receive, bool more)
{
    uint64_t all = receive ? SHADOW_HELD_RECEIVES : SHADOW_HELD_SENDS;
    uint64_t one = UINT64_C(1) << (receive ? SHADOW_RECEIVES : SHADOW_SENDS);

    if ((*shadow & all) == all) { /* there may be more of them than fit: it is free when the last is gone */
        if (!more && !holds_find(node, word, word + 8, receive))
            *shadow &= ~all;
    } else if (more) {
        *shadow += one;
    } else if (*shadow & all) {
        *shadow -= one;
    }
}
