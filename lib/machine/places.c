/* SPDX-License-Identifier: MIT */
/* The places of calls whose code is not in this process: entries of a table, whose addresses stand for return
 * addresses.  The processes that this one forks share it, so each understands what another has found. */
#include "lib/machine/outsiders.h"
#include <peal/outside.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { ENTRIES = 1 << 14, FREE = 0, FILLED = 1, READY = 2 };

static struct outside_place *table; /* NULL: none is needed */

bool
peal_places_begin(void)
{
    void *memory = table ? table
                         : mmap(NULL, ENTRIES * sizeof *table, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    table = memory == MAP_FAILED ? NULL : memory;
    return table != NULL;
}

const struct outside_place *
outside_place_at(const void *code)
{
    uintptr_t at = (uintptr_t)code - (uintptr_t)table;

    return table && at < ENTRIES * sizeof *table ? &table[at / sizeof *table] : NULL;
}

/* The end of a long name: the file matters more than the first folders. */
static const char *
end_of(const char *name, size_t bytes)
{
    size_t length = strlen(name);

    return length < bytes ? name : name + length - bytes + 1;
}

const char *
peal_place_of(const char *file, int line, const char *function, const char *through, uint64_t offset)
{
    struct outside_place wanted = {.line = line, .offset = offset};
    uint64_t hash = offset * 31 + (uint64_t)line;

    snprintf(wanted.file, sizeof wanted.file, "%s", end_of(file, sizeof wanted.file));
    snprintf(wanted.function, sizeof wanted.function, "%s", function);
    snprintf(wanted.through, sizeof wanted.through, "%s", end_of(through, sizeof wanted.through));
    for (const char *c = wanted.file; *c; c++)
        hash = hash * 31 + (unsigned char)*c;
    for (size_t i = 0; table && i < ENTRIES; i++) {
        struct outside_place *one = &table[(hash + i) % ENTRIES];
        uint32_t state = FREE;

        if (atomic_compare_exchange_strong(&one->state, &state, FILLED)) {
            one->line = line;
            one->offset = offset;
            memcpy(one->file, wanted.file, sizeof one->file);
            memcpy(one->function, wanted.function, sizeof one->function);
            memcpy(one->through, wanted.through, sizeof one->through);
            atomic_store(&one->state, READY); /* published by this store; seen by the load below in other processes */
            return (const char *)one;
        }
        if (atomic_load(&one->state) == READY && one->line == line && one->offset == offset &&
            strcmp(one->file, wanted.file) == 0 && strcmp(one->function, wanted.function) == 0 &&
            strcmp(one->through, wanted.through) == 0)
            return (const char *)one;
    }
    return NULL;
}
