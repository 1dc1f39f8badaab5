/* SPDX-License-Identifier: MIT */
/* Maps addresses of the watched program's copies to nodes, variables and lines. */
#include "lib/memory/watched_image.h"
#include "lib/base/grow.h"
#include "lib/program/lines.h"
#include "lib/program/load.h"
#include <stdio.h>
#include <stdlib.h>

static const struct loaded *loaded; /* NULL: none is watched */

/* The globals that can be written, by their offsets: behind each is a gap, made in its object file, unless the linker
 * took the global from elsewhere. */
static struct {
    struct lines_variable *of;
    size_t count, room;
} globals;

static void
add_global(void *arg, const struct lines_variable *variable)
{
    (void)arg;
    if (variable->bytes > 0 && variable->begin >= loaded->writable && variable->begin < loaded->writable_end &&
        array_grow(&globals.of, &globals.room, globals.count + 1, sizeof *globals.of))
        globals.of[globals.count++] = *variable;
}

static int
by_begin(const void *a, const void *b)
{
    const struct lines_variable *one = a, *other = b;

    return one->begin < other->begin ? -1 : one->begin > other->begin;
}

void
image_begin(const struct peal_program_file *file)
{
    loaded = load_of(file);
    globals.count = 0;
    if (loaded->symbols >= 0)
        lines_variables(loaded->symbols, add_global, NULL);
    if (globals.count > 1)
        qsort(globals.of, globals.count, sizeof *globals.of, by_begin);
}

void
image_end(void)
{
    loaded = NULL;
    free(globals.of);
    globals.of = NULL;
    globals.count = globals.room = 0;
}

/* The last global that begins at the offset or before it; NULL. */
static const struct lines_variable *
global_at(uintptr_t offset)
{
    size_t from = 0, to = globals.count;

    while (from < to) {
        const size_t middle = from + (to - from) / 2;

        if (globals.of[middle].begin <= offset)
            from = middle + 1;
        else
            to = middle;
    }
    return from > 0 ? &globals.of[from - 1] : NULL;
}

/* The global in whose gap the offset lies; NULL.  No other one begins there. */
static const struct lines_variable *
gap_at(uintptr_t offset)
{
    const struct lines_variable *last = global_at(offset);
    uintptr_t end = last ? last->begin + last->bytes : 0, gap = last ? elf_gap(last->bytes) : 0;
    const bool follows = last && last + 1 < globals.of + globals.count;

    if (!last || offset < end || offset >= end + gap || end + gap > loaded->writable_end ||
        (follows && last[1].begin < end + gap))
        return NULL;
    for (const struct lines_variable *one = last; one-- > globals.of && last - one < 8;) /* aliases may be longer */
        if (one->begin + one->bytes > end)
            return NULL;
    return last;
}

uint64_t
image_valid(uintptr_t address)
{
    const struct image_copy *copy = image_copy_at(&loaded->image, address);
    uint64_t valid = 0;

    for (unsigned i = 0; i < 8; i++)
        if (!copy || !gap_at(address + i - copy->base))
            valid |= UINT64_C(1) << i;
    return valid;
}

bool
image_before(uintptr_t address, struct peal_block *variable)
{
    const struct image_copy *copy = image_copy_at(&loaded->image, address);
    const struct lines_variable *global = copy ? gap_at(address - copy->base) : NULL;

    if (!global)
        return false;
    *variable = (struct peal_block){
        .kind = PEAL_BLOCK_VARIABLE, .begin = (const char *)copy->base + global->begin, .bytes = global->bytes};
    snprintf(variable->name, sizeof variable->name, "%s", global->name);
    return true;
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

void
image_globals(int rank, const uintptr_t **begin, const uintptr_t **end)
{
    const char *base = loaded->copies[loaded->count > 1 ? rank : 0].base;
    const size_t word = sizeof **begin;

    *begin = (const uintptr_t *)(const void *)(base + (loaded->writable + word - 1) / word * word);
    *end = (const uintptr_t *)(const void *)(base + loaded->writable_end / word * word);
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
