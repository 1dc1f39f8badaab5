/* SPDX-License-Identifier: MIT */
/* Looks up addresses in the copies of a loaded program; the table is sorted and constant during a run. */
#include "lib/machine/image.h"

const struct image_copy *
image_copy_at(const struct image *image, uintptr_t address)
{
    int low = 0,
        high = image ? image->count : 0; /* copies[low - 1] begins at or below the address, copies[high] above it */

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (image->copies[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address - image->copies[low - 1].base < image->bytes ? &image->copies[low - 1] : NULL;
}

bool
image_is_constant(const struct image *image, uintptr_t address)
{
    const struct image_copy *copy = image_copy_at(image, address);

    return copy && address - copy->base < image->frozen;
}
