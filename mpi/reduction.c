/* SPDX-License-Identifier: MIT */
/* The operator of a reduction: one of MPI's, or the program's function. */
#include "mpi/held.h"
#include "mpi/mpi_advice.h"
#include "mpi/notes.h"

/* Its accesses are MPI's; calls of MPI that it makes are looked at (mpi_check_phase). */
void
reduction_call(const struct reduction *reduction, void *in, void *inout, size_t count)
{
    struct mpi *mpi = reduction->mpi;
    struct peal_node *me = mpi->me;
    const char *call = mpi->call, *file = mpi->file;
    MPI_Datatype handle = reduction->type->handle;
    int line = mpi->line, length = (int)count;

    held_pause(mpi, true);
    mpi->phase = PHASE_OPERATES;
    reduction->function(in, inout, &length, &handle);
    mpi->phase = PHASE_RUNS;
    mpi->me = me;
    mpi->call = call;
    mpi->file = file;
    mpi->line = line;
    held_pause(mpi, false);
}

/* Have the program's function combine elements, which it wants in the layout of their type. */
static void
call_function(const struct reduction *reduction, const void *left, const void *right, void *result, size_t count)
{
    const struct type *type = reduction->type;
    struct mpi *mpi = reduction->mpi;
    size_t bytes = count * type->size,
           span = count * (size_t)type_extent(type) + (size_t)(type->true_ub - type->true_lb);

    notes_function(reduction, left, right, count);
    if (type->dense && result == right) {
        reduction_call(reduction, (char *)(uintptr_t)left - type->true_lb, (char *)result - type->true_lb, count);
        return;
    }
    char *both = mpi_alloc(mpi, 2 * span), *in = both - type->true_lb, *inout = both + span - type->true_lb;

    type_unpack(type, in, count, left, bytes);
    type_unpack(type, inout, count, right, bytes);
    reduction_call(reduction, in, inout, count);
    type_pack(type, inout, count, result, bytes);
    mpi_free(mpi, both);
}

static void
combine_own(const void *left, const void *right, void *result, size_t words, void *closure)
{
    call_function(closure, left, right, result, words);
}

int
reduction_find(struct mpi *mpi, struct comm *comm, MPI_Op handle, const struct type *type, struct reduction *reduction)
{
    const char *name = op_name(handle);
    const struct op *op = name ? NULL : op_find(mpi, handle);

    *reduction = (struct reduction){.type = type, .mpi = mpi};
    if (!op && !name)
        return mpi_error(mpi, comm, MPI_ERR_OP, "op %s", handle_wrong(mpi, KIND_OP, (uintptr_t)handle));
    combiner combine = op ? NULL : op_combiner(handle, type);

    if (!op && !combine) {
        advise_op(mpi, name, type);
        return mpi_error(mpi, comm, MPI_ERR_OP, "%s is not defined for %s", name,
                         type->name ? type->name : "a datatype of the program's own");
    }
    notes_reduced(type);
    reduction->function = op ? op->function : NULL;
    reduction->op = (struct peal_op){.name = op ? "an operator of the program's own" : name,
                                     .commutative = op ? op->commutative : true,
                                     .word_bytes = type->size ? type->size : 1,
                                     .combine = combine,
                                     .combine_with = op ? combine_own : NULL,
                                     .closure = reduction};
    return MPI_SUCCESS;
}
