/* SPDX-License-Identifier: MIT */
#include "lib/watch/image.h"
#include "lib/program/lines.h"
#include <stdlib.h>

/* One node's copy of the program. */
struct copy_of {
    uintptr_t base;
    int rank;
};

static struct {
    const struct loaded *loaded; /* NULL: none is watched */
    struct copy_of *copies;      /* by address */
} image;

static int
by_address(const void *a, const void *b)
{
    const struct copy_of *left = a, *right = b;

    return left->base < right->base ? -1 : left->base > right->base;
}

bool
image_begin(const struct loaded *loaded)
{
    image.copies = calloc((size_t)loaded->count, sizeof *image.copies);
    if (!image.copies)
        return false;
    for (int i = 0; i < loaded->count; i++)
        image.copies[i] = (struct copy_of){(uintptr_t)loaded->copies[i].base, i};
    qsort(image.copies, (size_t)loaded->count, sizeof *image.copies, by_address);
    image.loaded = loaded;
    return true;
}

void
image_end(void)
{
    free(image.copies);
    image.copies = NULL;
    image.loaded = NULL;
}

bool
image_there(void)
{
    return image.loaded != NULL;
}

/* The copy in which the address lies, if it lies in one; NULL: it lies before all of them. */
static const struct copy_of *
copy_before(uintptr_t address)
{
    int low = 0, high = image.loaded->count; /* copies[low - 1] is before, copies[high] is not */

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (image.copies[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &image.copies[low - 1] : NULL;
}

int
image_owner(uintptr_t address)
{
    const struct loaded *loaded = image.loaded;
    const struct copy_of *copy = loaded->count > 1 ? copy_before(address) : NULL;

    return copy && address - copy->base >= loaded->writable && address - copy->base < loaded->writable_end ? copy->rank
                                                                                                           : -1;
}

bool
image_variable(uintptr_t address, char *name, size_t bytes)
{
    return lines_variable(image.loaded->symbols, address - copy_before(address)->base, name, bytes);
}

bool
image_line(void *pc, char *file, size_t bytes, int *line)
{
    uintptr_t address = (uintptr_t)pc;
    const struct copy_of *copy = image.loaded ? copy_before(address) : NULL;

    return copy && image.loaded->symbols >= 0 &&
           lines_find(image.loaded->symbols, address - 1 - copy->base, file, bytes, line);
}
