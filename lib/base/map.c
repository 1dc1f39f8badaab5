/* SPDX-License-Identifier: MIT */
/* The hash table, with linear probing. */
#include "lib/base/map.h"
#include <stdlib.h>
#include <string.h>

static size_t
map_first_slot(const struct map *map, uint64_t key)
{
    return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (map->size - 1);
}

ptrdiff_t
map_next(const struct map *map, uint64_t key, size_t *at)
{
    for (size_t i = *at; i < map->size; i++) {
        const struct map_place *place = &map->places[(map_first_slot(map, key) + i) & (map->size - 1)];

        *at = i + 1;
        if (place->number == 0)
            break;
        if (place->key == key)
            return (ptrdiff_t)place->number - 1;
    }
    return MAP_NONE;
}

static void
map_insert(struct map *map, struct map_place new)
{
    size_t i = map_first_slot(map, new.key);

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
                map_insert(&larger, map->places[i]);
        free(map->places);
        *map = larger;
    }
    map_insert(map, (struct map_place){key, number + 1});
    return true;
}

static uint64_t
map_word_at(const char *begin, size_t at)
{
    uint64_t word;

    memcpy(&word, begin + at, sizeof word);
    return word;
}

/* In four lanes, whose multiplications do not wait for one another. */
static uint64_t
map_hash_bytes(const char *begin, size_t bytes)
{
    enum { LANES = 4, WORD = sizeof(uint64_t) };
    uint64_t lane[LANES] = {bytes, 1, 2, 3}, hash = 0;
    size_t at = 0;

    for (; at + sizeof lane <= bytes; at += sizeof lane)
        for (size_t i = 0; i < LANES; i++)
            lane[i] = (lane[i] ^ map_word_at(begin, at + i * WORD)) * UINT64_C(0x9E3779B97F4A7C15);
    for (; at < bytes; at += WORD)
        lane[0] = map_mix(lane[0], map_word_at(begin, at));
    for (size_t i = 0; i < LANES; i++)
        hash = map_mix(hash, lane[i] ^ lane[i] >> 32);
    return hash;
}

bool
map_intern(struct map *map, const void *array, size_t *used, size_t count, size_t bytes, size_t *first)
{
    const char *all = array, *new = all + *used *bytes;
    uint64_t key = map_hash_bytes(new, count * bytes);
    size_t at = 0;
    ptrdiff_t found;

    while ((found = map_next(map, key, &at)) != MAP_NONE)
        if ((size_t)found + count <= *used && memcmp(all + (size_t)found * bytes, new, count * bytes) == 0) {
            *first = (size_t)found;
            return true;
        }
    if (!map_put(map, key, *used))
        return false;
    *first = *used;
    *used += count;
    return true;
}
