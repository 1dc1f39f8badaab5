/* SPDX-License-Identifier: MIT */
/* Arrays: how they grow, and what qsort compares by. */
#pragma once

#include "lib/base/private.h"
#include <stdbool.h>
#include <stddef.h>

PEAL_PRIVATE bool peal_grow_more(void *array, size_t *capacity, size_t count, size_t element_bytes);

/* Make room for `count` elements in *array, which has room for *capacity: at least twice as many as before.  False
 * without memory: the array is as it was. */
static inline bool
array_grow(void *array, size_t *capacity, size_t count, size_t element_bytes)
{
    return count <= *capacity || peal_grow_more(array, capacity, count, element_bytes);
}

/* Grow; new elements are zero. */
PEAL_PRIVATE bool peal_grow_zeroed(void *array, size_t *capacity, size_t count, size_t element_bytes);

/* Make room for one more after `count` elements in *array, which nothing else has made larger: its capacity follows
 * from the count. */
static inline bool
grow_by_one(void *array, size_t count, size_t element_bytes)
{
    size_t capacity = count;

    return (count > 0 && count < 16) || (count & (count - 1)) != 0 ||
           peal_grow_more(array, &capacity, count + 1, element_bytes);
}

/* Doubles in ascending order. */
static inline int
compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}
