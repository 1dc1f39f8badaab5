/* SPDX-License-Identifier: MIT */
/* Handles: numbers that name objects.  kind · 2^56 + generation · 2^32 + slot; predefined objects have generation 0.
 * Where pointers have 32 bits: kind · 2^28 + generation · 2^18 + slot.
 *
 * Inlined for requests, which most programs make, find and free in their innermost loops. */
#pragma once

#include "mpi/call/node.h"

#if UINTPTR_MAX > UINT32_MAX
enum { KIND_SHIFT = 56, GENERATION_SHIFT = 32, GENERATIONS = 0xFFFFFF };
#else
enum { KIND_SHIFT = 28, GENERATION_SHIFT = 18, GENERATIONS = 0x3FF };
#endif

/* The slot number in a handle; predefined objects have the lowest. */
static inline uint32_t
handle_index(uintptr_t handle)
{
    return (uint32_t)(handle & (((uintptr_t)1 << GENERATION_SHIFT) - 1));
}

static inline uintptr_t
handle_compose(enum handle_kind kind, uint32_t generation, uint32_t index)
{
    return ((uintptr_t)kind << KIND_SHIFT) + ((uintptr_t)generation << GENERATION_SHIFT) + FIRST_OWN + index;
}

/* The slot that the handle may name; NULL: it is not a handle of this kind. */
static inline struct handle_slot *
handle_slot(const struct mpi *mpi, enum handle_kind kind, uintptr_t handle)
{
    const struct handle_table *table = &mpi->tables[kind];
    uint32_t number = handle_index(handle);

    if (handle >> KIND_SHIFT != (uintptr_t)kind || number < FIRST_OWN || number - FIRST_OWN >= table->count)
        return NULL;
    return &table->slots[number - FIRST_OWN];
}

static inline uint32_t
handle_generation(uintptr_t handle)
{
    return (uint32_t)(handle >> GENERATION_SHIFT) & GENERATIONS;
}

/* What messages say of each kind: the type in C; "is MPI_COMM_NULL"; "is a communicator", where another kind is
 * expected; for objects that are not freed, their name and the call that frees them (NULL for a request, which has
 * messages of its own). */
struct handle_words {
    const char *type, *is_null, *is_other, *name, *free;
};
extern const struct handle_words handle_kinds[KINDS];

void table_grow(struct mpi *mpi, struct handle_table *table);

/* handle_make, handle_find and handle_free. */
static inline uintptr_t
handle_make_inline(struct mpi *mpi, enum handle_kind kind, void *object)
{
    struct handle_table *table = &mpi->tables[kind];
    uint32_t index;

    if (table->free) {
        index = table->free - 1;
        table->free = table->slots[index].next;
    } else {
        if (table->count == table->room)
            table_grow(mpi, table);
        index = table->count++;
    }
    struct handle_slot *slot = &table->slots[index];

    slot->object = object;
    slot->call = mpi->call;
    slot->site = mpi->file;
    slot->generation = slot->generation == GENERATIONS ? 1 : slot->generation + 1;
    return handle_compose(kind, slot->generation, index);
}

static inline void *
handle_find_inline(const struct mpi *mpi, enum handle_kind kind, uintptr_t handle)
{
    const struct handle_slot *slot = handle_slot(mpi, kind, handle);

    return slot && slot->generation == handle_generation(handle) ? slot->object : NULL;
}

static inline void
handle_free_inline(struct mpi *mpi, enum handle_kind kind, uintptr_t handle)
{
    struct handle_table *table = &mpi->tables[kind];
    struct handle_slot *slot = &table->slots[handle_index(handle) - FIRST_OWN];

    slot->object = NULL;
    slot->call = mpi->call; /* the call that freed it, until it is used again */
    slot->site = mpi->file;
    slot->next = table->free;
    table->free = (uint32_t)(slot - table->slots) + 1;
}
