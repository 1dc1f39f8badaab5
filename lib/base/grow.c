/* SPDX-License-Identifier: MIT */
/* The slow part of grow: a capacity of at least 16 that at least doubles, so that n additions cost O(n). */
#include "lib/base/grow.h"
#include <stdlib.h>
#include <string.h>

bool
peal_grow_more(void *array, size_t *capacity, size_t count, size_t element_bytes)
{
    size_t wanted = *capacity * 2 > count ? *capacity * 2 : count;
    void *old, *new;

    if (wanted < 16)
        wanted = 16;
    memcpy(&old, array, sizeof old);
    new = reallocarray(old, wanted, element_bytes);
    if (!new)
        return false;
    memcpy(array, &new, sizeof new);
    *capacity = wanted;
    return true;
}

bool
peal_grow_zeroed(void *array, size_t *capacity, size_t count, size_t element_bytes)
{
    size_t before = *capacity;
    char *memory;

    if (!array_grow(array, capacity, count, element_bytes))
        return false;
    memcpy(&memory, array, sizeof memory);
    memset(memory + before * element_bytes, 0, (*capacity - before) * element_bytes);
    return true;
}
