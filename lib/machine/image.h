/* SPDX-License-Identifier: MIT */
/* A program from a file in memory: one copy for all nodes, or one a node.  What an address in it is can be asked in a
 * handler of a signal, too: nothing is allocated, no lock is taken, and it is constant while a machine runs. */
#ifndef LIB_MACHINE_IMAGE_H
#define LIB_MACHINE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image_copy {
    uintptr_t base; /* where its address 0 lies */
    int rank;       /* whose it is, where each node has one */
};

struct image {
    struct image_copy *copies; /* in ascending order of their bases */
    int count;
    size_t bytes;  /* of each copy */
    size_t frozen; /* the first so many bytes of each are read-only: code, constants, and what the loader filled in */
};

/* Find the copy in which the address lies.  NULL: in none, or `image` is NULL. */
const struct image_copy *image_copy_at(const struct image *image, uintptr_t address);

/* Whether the address lies in what no node may write. */
bool image_is_constant(const struct image *image, uintptr_t address);

/* What is said of a node that does. */
#define CONSTANT_WORDS "writes to a constant: string literals, const objects and code are read-only"

#endif
