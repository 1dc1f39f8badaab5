/* SPDX-License-Identifier: MIT */
#include "lib/watch/image.h"
#include "lib/program/lines.h"

static const struct loaded *loaded; /* NULL: none is watched */

void
image_begin(const struct loaded *program)
{
    loaded = program;
}

void
image_end(void)
{
    loaded = NULL;
}

bool
image_there(void)
{
    return loaded != NULL;
}

int
image_owner(uintptr_t address)
{
    const struct image_copy *copy = loaded->count > 1 ? image_copy_at(&loaded->image, address) : NULL;

    return copy && address - copy->base >= loaded->writable && address - copy->base < loaded->writable_end ? copy->rank
                                                                                                           : -1;
}

bool
image_constant(uintptr_t address)
{
    return image_is_constant(&loaded->image, address);
}

bool
image_variable(uintptr_t address, char *name, size_t bytes)
{
    const struct image_copy *copy = image_copy_at(&loaded->image, address);

    return copy && lines_variable(loaded->symbols, address - copy->base, name, bytes);
}

bool
image_line(void *pc, char *file, size_t bytes, int *line)
{
    uintptr_t address = (uintptr_t)pc;
    const struct image_copy *copy = loaded ? image_copy_at(&loaded->image, address) : NULL;

    return copy && loaded->symbols >= 0 && lines_find(loaded->symbols, address - 1 - copy->base, file, bytes, line);
}
