/* SPDX-License-Identifier: MIT */
/* Arrays that grow. */
#ifndef LIB_BASE_GROW_H
#define LIB_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>

bool grow_more(void *array, size_t *capacity, size_t count, size_t element_bytes);

/* Make room for `count` elements in *array, which has room for *capacity: at least twice as many as before.  False
 * without memory: the array is as it was. */
static inline bool
grow(void *array, size_t *capacity, size_t count, size_t element_bytes)
{
    return count <= *capacity || grow_more(array, capacity, count, element_bytes);
}

#endif
