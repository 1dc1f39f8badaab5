/* SPDX-License-Identifier: MIT */
/* Handles: numbers that name objects. */
#include "mpi/call/handle.h"
#include "mpi/call/mpi_advice.h"
#include <string.h>

enum { FIRST_ROOM = 8 };

void
table_grow(struct mpi *mpi, struct handle_table *table)
{
    uint32_t room = table->room ? 2 * table->room : FIRST_ROOM;

    if (table->count + FIRST_OWN > handle_index(UINTPTR_MAX))
        mpi_fail(mpi, PEAL_OUT_OF_MEMORY, "the node has %u objects of one kind: there are no more handles",
                 table->count);
    struct handle_slot *slots = mpi_alloc(mpi, room * sizeof *slots);

    if (table->count)
        memcpy(slots, table->slots, table->count * sizeof *slots);
    mpi_free(mpi, table->slots);
    table->slots = slots;
    table->room = room;
}

/* A handle's number: its kind, the lowest bits of its generation and its slot, so that handles of other kinds and most
 * freed ones are detected.  mpi/fortran/fortran.py knows that a predefined one is kind · 2^27 + slot. */
enum { NUMBER_KIND = 27, NUMBER_GENERATION = 22, NUMBER_GENERATIONS = 0x1F };

int
handle_number(const struct mpi *mpi, enum handle_kind kind, uintptr_t handle)
{
    uint32_t slot = handle_index(handle);

    if (handle >> KIND_SHIFT != (uintptr_t)kind || slot >> NUMBER_GENERATION != 0 ||
        (slot >= FIRST_OWN && !handle_find(mpi, kind, handle)))
        return -1;
    return (int)((uint32_t)kind << NUMBER_KIND | (handle_generation(handle) & NUMBER_GENERATIONS) << NUMBER_GENERATION |
                 slot);
}

uintptr_t
handle_numbered(const struct mpi *mpi, enum handle_kind kind, int number)
{
    uint32_t bits = (uint32_t)number, of = bits >> NUMBER_KIND, slot = bits & ((1U << NUMBER_GENERATION) - 1);

    if (of == 0 || of >= KINDS)
        return bits;
    const struct handle_table *table = &mpi->tables[kind];
    uintptr_t plain = ((uintptr_t)of << KIND_SHIFT) + slot;

    if (of != (uint32_t)kind || slot < FIRST_OWN || slot - FIRST_OWN >= table->count)
        return plain;
    uint32_t latest = table->slots[slot - FIRST_OWN].generation,
             behind = (latest - (bits >> NUMBER_GENERATION)) & NUMBER_GENERATIONS;

    return latest > behind ? handle_compose(kind, latest - behind, slot - FIRST_OWN) : plain;
}

void *
handle_find(const struct mpi *mpi, enum handle_kind kind, uintptr_t handle)
{
    return handle_find_inline(mpi, kind, handle);
}

uintptr_t
handle_make(struct mpi *mpi, enum handle_kind kind, void *object)
{
    return handle_make_inline(mpi, kind, object);
}

void
handle_free(struct mpi *mpi, enum handle_kind kind, uintptr_t handle)
{
    handle_free_inline(mpi, kind, handle);
}

const char *
handle_wrong(const struct mpi *mpi, enum handle_kind kind, uintptr_t handle)
{
    const struct handle_slot *slot = handle_slot(mpi, kind, handle);
    enum handle_kind other = (enum handle_kind)(handle >> KIND_SHIFT);

    advise_handle(mpi, kind, handle);
    if (handle == (uintptr_t)kind << KIND_SHIFT)
        return handle_kinds[kind].is_null;
    if (slot && handle_generation(handle) > 0 && handle_generation(handle) <= slot->generation)
        return "was freed";
    return other > 0 && other < KINDS && other != kind ? handle_kinds[other].is_other : "has a value that no call gave";
}
