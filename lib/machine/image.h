/* SPDX-License-Identifier: MIT */
/* A program from a file, loaded into memory: one copy for all nodes, or one for each.  Addresses can be looked up in
 * signal handlers, too: a lookup allocates nothing and takes no lock, and the tables are constant while a machine
 * runs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image_copy {
    uintptr_t base; /* the address of its byte 0 */
    int rank;       /* its node, where each node has a copy */
};

struct image {
    struct image_copy *copies; /* in ascending order of their bases */
    int count;
    size_t bytes;  /* of each copy */
    size_t frozen; /* the first bytes of each that are read-only: code, constants, and the loader's tables */
};

/* Find the copy in which the address lies.  NULL: no copy, or `image` is NULL. */
const struct image_copy *image_copy_at(const struct image *image, uintptr_t address);

/* Whether the address lies in memory that no node may write. */
bool image_is_constant(const struct image *image, uintptr_t address);

/* Whether a pointer that is NULL was followed, or an element behind it. */
static inline bool
is_in_null_page(const void *address)
{
    return (uintptr_t)address < 4096;
}

/* The message about a node that writes there. */
#define CONSTANT_WORDS "writes to a constant: string literals, const objects and code are read-only"
