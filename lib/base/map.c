/* SPDX-License-Identifier: MIT */
/* The hash table, with linear probing. */
#include "lib/base/map.h"
#include <stdlib.h>

static size_t
begin(const struct map *map, uint64_t key)
{
    return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (map->size - 1);
}

ptrdiff_t
map_next(const struct map *map, uint64_t key, size_t *at)
{
    for (size_t i = *at; i < map->size; i++) {
        const struct map_place *place = &map->places[(begin(map, key) + i) & (map->size - 1)];

        *at = i + 1;
        if (place->number == 0)
            break;
        if (place->key == key)
            return (ptrdiff_t)place->number - 1;
    }
    return MAP_NONE;
}

static void
put(struct map *map, struct map_place new)
{
    size_t i = begin(map, new.key);

    while (map->places[i].number > 0)
        i = (i + 1) & (map->size - 1);
    map->places[i] = new;
    map->count++;
}

bool
map_put(struct map *map, uint64_t key, size_t number)
{
    if (2 * map->count >= map->size) {
        struct map larger = {.size = map->size ? 2 * map->size : 64};

        if (!(larger.places = calloc(larger.size, sizeof *larger.places)))
            return false;
        for (size_t i = 0; i < map->size; i++)
            if (map->places[i].number > 0)
                put(&larger, map->places[i]);
        free(map->places);
        *map = larger;
    }
    put(map, (struct map_place){key, number + 1});
    return true;
}
