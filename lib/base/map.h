/* SPDX-License-Identifier: MIT */
/* A hash table from keys of 64 bits to numbers, for elements that lie in an array. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAP_NONE = -1 };

/* Open addressing; at most half of the places are used.  Zeroed it is empty; the caller frees `places`. */
struct map {
    struct map_place {
        uint64_t key;
        size_t number; /* plus 1; 0: a free place */
    } * places;
    size_t size, count;
};

/* The number of a key, or MAP_NONE.  A key may have several, if it is itself a hash: *at, which begins as 0, goes from
 * one to the next. */
ptrdiff_t map_next(const struct map *map, uint64_t key, size_t *at);

/* The number of a key that has one. */
static inline ptrdiff_t
map_find(const struct map *map, uint64_t key)
{
    return map_next(map, key, &(size_t){0});
}

/* Give the key a number, beside those that it has.  False without memory: the table is as it was. */
bool map_put(struct map *map, uint64_t key, size_t number);

/* The key of two numbers of 32 bits. */
static inline uint64_t
map_pair(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

/* A hash of what was hashed before and the next number. */
static inline uint64_t
map_mix(uint64_t hash, uint64_t next)
{
    uint64_t x = (hash ^ next * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);

    return x ^ x >> 29;
}

/* Intern the `count` elements of `bytes` bytes, a multiple of 8, that lie behind the first *used of the array: *first
 * is where equal ones begin.  If there are none, these are kept, and *used counts them.  False without memory. */
bool map_intern(struct map *map, const void *array, size_t *used, size_t count, size_t bytes, size_t *first);
