/* SPDX-License-Identifier: MIT */
/* The types of a collective's data.  Each node records a number made of the basic types of its block, in order; the
 * machine compares those of the n-th call of all nodes.  MPI_BYTE and MPI_PACKED match any type. */
#pragma once

#include "mpi/strict/conflict.h"
#include "mpi/strict/finding.h"
#include "mpi/strict/held.h"

enum { TYPE_SHIFT = 56 };

/* The note of one block; 0: unknown. */
static inline uint64_t
block_note(const struct type *type, size_t count)
{
    return type->untyped || count == 0 || type->basics == 0 ? 0 : type_note(type, count) | UINT64_C(1) << TYPE_SHIFT;
}

/* The note of blocks of unequal lengths. */
uint64_t unequal_note(struct mpi *mpi, const struct comm *c, coll_function carry_out, const struct coll_args *a,
                      const struct type *type);

/* The note of the data of a call between two groups that go through the leaders: their basic type, if they have only
 * one, since the leaders compare lengths. */
uint64_t inter_note(coll_function carry_out, const struct coll_args *a, const struct type *type, int count);

/* The note of the call's data that must be the same on all nodes.  0 for a wrong argument. */
static inline uint64_t
coll_note(struct mpi *mpi, const struct comm *c, coll_function carry_out, const struct coll_args *a,
          const struct type **type)
{
    bool root = c->inter ? a->root == MPI_ROOT : c->rank == a->root,
         sends = (carry_out == coll_gather && !root) || (carry_out == coll_scatter && root);
    const struct coll_side *side = sends ? &a->send : &a->receive;

    *type = type_find(mpi, side->type);
    if (!*type || carry_out == coll_neighbours)
        return 0;
    if (c->inter)
        return inter_note(carry_out, a, *type, a->receive.counts ? 1 : side->count);
    if (a->unequal)
        return unequal_note(mpi, c, carry_out, a, *type);
    return side->count < 0 ? 0 : block_note(*type, (size_t)side->count);
}

/* Record the types of the data of the next call. */
static inline void
coll_say_types(struct mpi *mpi, const struct comm *c, coll_function carry_out, const struct coll_args *a)
{
    const struct type *type;
    uint64_t note = coll_note(mpi, c, carry_out, a, &type);

    peal_call_types(c->view, note, note ? type_basic_name(type->basic) : NULL);
}

/* Carry a call out after recording them.  Inlined in each call, where the compiler knows `carry_out`. */
static inline __attribute__((always_inline)) int
coll_carry_out(struct mpi *mpi, struct comm *c, coll_function carry_out, const struct coll_args *a)
{
    coll_say_types(mpi, c, carry_out, a);
    if (held_wanted())
        coll_hold(mpi, c, carry_out, a, NULL);
    struct vclock_meeting *meeting = vclock_come(mpi, c, carry_out, a);
    int error = carry_out(mpi, c, a);

    held_return(mpi);
    vclock_go(mpi, c, carry_out, a, meeting);
    if (error) /* perhaps it was not called */
        peal_call_types(c->view, 0, NULL);
    return error;
}
