/* SPDX-License-Identifier: MIT */
/* Counts in the shadow which words open requests hold, and keeps their pieces by the request's number. */
#include "lib/memory/holds.h"
#include "lib/machine/machine.h"
#include "lib/memory/shadow.h"
#include <stdlib.h>

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

struct hold *
holds_keep(uint32_t id, const struct peal_piece *pieces, int count, size_t word_bytes, bool receive)
{
    if (!peal_grow_zeroed(&holds, &capacity, (size_t)id + 1, sizeof *holds))
        return NULL;
    struct hold *hold = &holds[id];

    free(hold->many);
    *hold = (struct hold){.receive = receive};
    if (count > 1 && !(hold->many = malloc((size_t)count * sizeof *hold->many)))
        return NULL;
    for (int i = 0; i < count; i++) {
        size_t bytes = pieces[i].words * word_bytes;

        hold_pieces(hold)[i] = (struct held_piece){(uintptr_t)pieces[i].data, bytes, bytes};
    }
    hold->count = count;
    return hold;
}

uint32_t
holds_find(const struct node *node, uintptr_t begin, uintptr_t end, bool receive)
{
    const struct request *requests = node->machine->requests;

    for (uint32_t id = node->open; id; id = requests[id].open_next) {
        if (id >= capacity || holds[id].receive != receive)
            continue;
        for (int i = 0; i < holds[id].count; i++) {
            const struct held_piece *piece = &hold_pieces(&holds[id])[i];

            if (end > piece->begin && begin < piece->begin + piece->held)
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

    if ((*shadow & all) == all) { /* the counter is full, and stays so until no request holds the word */
        if (!more && !holds_find(node, word, word + 8, receive))
            *shadow &= ~all;
    } else if (more) {
        *shadow += one;
    } else if (*shadow & all) {
        *shadow -= one;
    }
}
