/* SPDX-License-Identifier: MIT */
/* Handles: numbers that name objects.  kind · 2^56 + generation · 2^32 + slot; predefined objects have generation 0. */
#include "lib/mpi/node.h"
#include <string.h>

enum { KIND_SHIFT = 56, GENERATION_SHIFT = 32, GENERATIONS = 0xFFFFFF, FIRST_ROOM = 8 };

static uintptr_t
handle_of(enum kind kind, uint32_t generation, uint32_t index)
{
    return ((uintptr_t)kind << KIND_SHIFT) + ((uintptr_t)generation << GENERATION_SHIFT) + FIRST_OWN + index;
}

/* The slot that the handle may name; NULL: it is none of this kind. */
static struct slot *
slot_of(const struct mpi *mpi, enum kind kind, uintptr_t handle)
{
    const struct table *table = &mpi->tables[kind];
    uint32_t number = (uint32_t)handle;

    if (handle >> KIND_SHIFT != (uintptr_t)kind || number < FIRST_OWN || number - FIRST_OWN >= table->count)
        return NULL;
    return &table->slots[number - FIRST_OWN];
}

static uint32_t
generation_of(uintptr_t handle)
{
    return (uint32_t)(handle >> GENERATION_SHIFT) & GENERATIONS;
}

static void
grow(struct mpi *mpi, struct table *table)
{
    uint32_t room = table->room ? 2 * table->room : FIRST_ROOM;
    struct slot *slots = mpi_alloc(mpi, room * sizeof *slots);

    if (table->count)
        memcpy(slots, table->slots, table->count * sizeof *slots);
    mpi_free(mpi, table->slots);
    table->slots = slots;
    table->room = room;
}

uintptr_t
handle_make(struct mpi *mpi, enum kind kind, void *object)
{
    struct table *table = &mpi->tables[kind];
    uint32_t index;

    if (table->free) {
        index = table->free - 1;
        table->free = table->slots[index].next;
    } else {
        if (table->count == table->room)
            grow(mpi, table);
        index = table->count++;
    }
    struct slot *slot = &table->slots[index];

    slot->object = object;
    slot->call = mpi->call;
    slot->site = mpi->file;
    slot->generation = slot->generation == GENERATIONS ? 1 : slot->generation + 1;
    return handle_of(kind, slot->generation, index);
}

int
handle_number(const struct mpi *mpi, enum kind kind, uintptr_t handle)
{
    uint32_t number = (uint32_t)handle;

    return handle >> KIND_SHIFT == (uintptr_t)kind && (number < FIRST_OWN || handle_find(mpi, kind, handle))
               ? (int)number
               : -1;
}

uintptr_t
handle_numbered(const struct mpi *mpi, enum kind kind, int number)
{
    const struct table *table = &mpi->tables[kind];
    uint32_t index = (uint32_t)number - FIRST_OWN;

    if (number < FIRST_OWN || index >= table->count)
        return ((uintptr_t)kind << KIND_SHIFT) + (uint32_t)number;
    return handle_of(kind, table->slots[index].generation, index);
}

void *
handle_find(const struct mpi *mpi, enum kind kind, uintptr_t handle)
{
    const struct slot *slot = slot_of(mpi, kind, handle);

    return slot && slot->generation == generation_of(handle) ? slot->object : NULL;
}

void
handle_free(struct mpi *mpi, enum kind kind, uintptr_t handle)
{
    struct table *table = &mpi->tables[kind];
    struct slot *slot = slot_of(mpi, kind, handle);

    slot->object = NULL;
    slot->next = table->free;
    table->free = (uint32_t)(slot - table->slots) + 1;
}

const char *
handle_wrong(const struct mpi *mpi, enum kind kind, uintptr_t handle)
{
    static const char *const nulls[KINDS] = {
        [KIND_COMM] = "is MPI_COMM_NULL",
        [KIND_GROUP] = "is MPI_GROUP_NULL",
        [KIND_TYPE] = "is MPI_DATATYPE_NULL",
        [KIND_REQUEST] = "is MPI_REQUEST_NULL",
        [KIND_MESSAGE] = "is MPI_MESSAGE_NULL",
        [KIND_OP] = "is MPI_OP_NULL",
        [KIND_ERRHANDLER] = "is MPI_ERRHANDLER_NULL",
        [KIND_INFO] = "is MPI_INFO_NULL",
        [KIND_WIN] = "is MPI_WIN_NULL",
        [KIND_FILE] = "is MPI_FILE_NULL",
    };
    static const char *const others[KINDS] = {
        [KIND_COMM] = "is no communicator",
        [KIND_GROUP] = "is no group",
        [KIND_TYPE] = "is no datatype",
        [KIND_REQUEST] = "is no request",
        [KIND_MESSAGE] = "is no message",
        [KIND_OP] = "is no operator",
        [KIND_ERRHANDLER] = "is no error handler",
        [KIND_INFO] = "is no info object",
        [KIND_WIN] = "is no window",
        [KIND_FILE] = "is no file",
    };
    const struct slot *slot = slot_of(mpi, kind, handle);

    if (handle == (uintptr_t)kind << KIND_SHIFT)
        return nulls[kind];
    if (slot && generation_of(handle) > 0 && generation_of(handle) <= slot->generation)
        return "was freed";
    return others[kind];
}
