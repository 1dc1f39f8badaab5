/* SPDX-License-Identifier: MIT */
/* The links that a run used, found by their ends. */
#include "lib/record/links.h"
#include <stdbool.h>
#include <stdlib.h>

static uint64_t
hash_ends(int from, int to)
{
    return (((uint64_t)(uint32_t)from << 32 | (uint32_t)to) * UINT64_C(0x9E3779B97F4A7C15)) >> 20;
}

/* The place in the table of the link between these vertices, or where it belongs. */
static uint32_t *
find_place(const struct links *links, int from, int to)
{
    size_t mask = links->table_size - 1, at = (size_t)hash_ends(from, to) & mask;

    for (;; at = (at + 1) & mask) {
        const struct link *link = links->table[at] ? &links->links[links->table[at] - 1] : NULL;

        if (!link || (link->from == from && link->to == to))
            return &links->table[at];
    }
}

static bool
grow_table(struct links *links)
{
    size_t room = links->room ? 2 * links->room : 64;
    struct link *larger = realloc(links->links, room * sizeof *larger);
    uint32_t *table = larger ? calloc(2 * room, sizeof *table) : NULL;

    if (larger)
        links->links = larger;
    if (!table)
        return false;
    free(links->table);
    links->table = table;
    links->table_size = 2 * room;
    links->room = room;
    for (size_t i = 0; i < links->count; i++)
        *find_place(links, links->links[i].from, links->links[i].to) = (uint32_t)i + 1;
    return true;
}

struct link *
links_use(struct links *links, const struct peal_network *network, int from, int to)
{
    if (links->count == links->room && !grow_table(links))
        return NULL;
    uint32_t *place = find_place(links, from, to);

    if (!*place) {
        links->links[links->count] =
            (struct link){.from = from, .to = to, .capacity = peal_network_capacity(network, from, to)};
        *place = (uint32_t)++links->count;
    }
    return &links->links[*place - 1];
}

void
links_fini(struct links *links)
{
    free(links->links);
    free(links->table);
    *links = (struct links){0};
}
