/* SPDX-License-Identifier: MIT */
/* Maps addresses of the watched program's copies to nodes, variables and lines. */
#include "lib/memory/watched_image.h"
#include "lib/program/lines.h"
#include "lib/program/load.h"
#include <stdio.h>

static const struct loaded *loaded; /* NULL: none is watched */

void
image_begin(const struct peal_program_file *file)
{
    loaded = load_of(file);
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
    struct lines_variable variable;

    if (!copy || !lines_variable(loaded->symbols, address - copy->base, &variable))
        return false;
    snprintf(name, bytes, "%s", variable.name);
    return true;
}

bool
image_offset(const void *address, uintptr_t *offset)
{
    const struct image_copy *copy = loaded ? image_copy_at(&loaded->image, (uintptr_t)address) : NULL;

    *offset = copy ? (uintptr_t)address - copy->base : 0;
    return copy != NULL;
}

bool
image_line_at(uintptr_t offset, char *file, size_t bytes, int *line)
{
    return loaded && loaded->symbols >= 0 && lines_find(loaded->symbols, offset - 1, file, bytes, line);
}

bool
image_line(void *pc, char *file, size_t bytes, int *line)
{
    uintptr_t offset;

    return image_offset(pc, &offset) && image_line_at(offset, file, bytes, line);
}

struct image_code
image_code(void)
{
    if (!loaded || loaded->image.count == 0)
        return (struct image_code){NULL, 0, -1};
    return (struct image_code){(const unsigned char *)loaded->image.copies[0].base, loaded->image.frozen,
                               loaded->symbols};
}
