/* SPDX-License-Identifier: MIT */
/* The operator of a reduction: one of MPI's, or the program's function. */
#include "mpi/call/mpi_advice.h"
#include "mpi/coll/op.h"
#include "mpi/strict/finding.h"
#include "mpi/strict/held.h"
#include <string.h>

/* Let the program's function combine elements in the layout it expects.  Its accesses are MPI's; its calls of MPI are
 * checked (mpi_check_phase). */
static void
reduction_call(const struct reduction *reduction, void *in, void *inout, size_t count)
{
    struct mpi *mpi = reduction->mpi;
    struct peal_node *me = mpi->me;
    const char *call = mpi->call, *file = mpi->file;
    MPI_Datatype handle = reduction->type->handle;
    MPI_Fint number = handle_number(mpi, KIND_TYPE, (uintptr_t)handle);
    void *datatype = reduction->fortran ? (void *)&number : &handle;
    int line = mpi->line, length = (int)count;

    held_pause(mpi, true);
    mpi->phase = PHASE_OPERATES;
    if (mpi->outside)
        mpi->outside->operate(mpi, reduction->function, in, inout, length, handle);
    else
        reduction->function(in, inout, &length, datatype);
    mpi->phase = PHASE_RUNS;
    mpi->me = me;
    mpi->call = call;
    mpi->file = file;
    mpi->line = line;
    held_pause(mpi, false);
}

enum { MAX_TRIED = 1000, SLACK = 4096 }; /* elements; bytes behind them, into which a wrong function may write */

/* Let the function combine `length` of `count` packed elements, from `first` on; the result has all of them, packed.
 * `slack` bytes follow them. */
static void
apply(const struct reduction *reduction, const void *left, const void *right, void *result, size_t count, size_t first,
      size_t length, size_t slack)
{
    const struct type *type = reduction->type;
    struct mpi *mpi = reduction->mpi;
    ptrdiff_t extent = type_extent(type), skip = (ptrdiff_t)first * extent;
    size_t bytes = count * type->size, span = count * (size_t)extent + (size_t)(type->true_ub - type->true_lb) + slack;
    char *both = mpi_alloc(mpi, 2 * span), *in = both - type->true_lb, *inout = both + span - type->true_lb;

    type_unpack(type, in, count, left, bytes);
    type_unpack(type, inout, count, right, bytes);
    reduction_call(reduction, in + skip, inout + skip, length);
    type_pack(type, inout, count, result, bytes);
    mpi_free(mpi, both);
}

/* The result that the function gives; scratch. */
static char *
reduction_try(const struct reduction *reduction, const void *left, const void *right, size_t count, size_t first,
              size_t length)
{
    char *result = mpi_scratch(reduction->mpi, count * reduction->type->size);

    apply(reduction, left, right, result, count, first, length, SLACK);
    return result;
}

/* The program's function is about to combine `count` packed elements.  In a strict run it is tried out first, once. */
static void
try_function(const struct reduction *reduction, const void *left, const void *right, size_t count)
{
    static const struct peal_rule rule = {
        "MPI 3.1, 5.9.5: the function of an operator combines *len elements; MPI may call it for fewer than the "
        "collective has",
        "let its loop run from 0 to *len - 1"};
    struct mpi *mpi = reduction->mpi;
    const struct type *type = reduction->type;

    if (!finding_strict() || count < 2 || mpi->tried == reduction->function || type_extent(type) <= 0)
        return;
    mpi->tried = reduction->function;
    count = count < MAX_TRIED ? count : MAX_TRIED;
    size_t rest = (count - 1) * type->size;
    char *all = reduction_try(reduction, left, right, count, 0, count),
         *first = reduction_try(reduction, left, right, count, 0, 1),
         *last = reduction_try(reduction, left, right, count, count - 1, 1);
    bool stays = memcmp(all + rest, (const char *)right + rest, type->size) == 0,
         changes = memcmp(last + rest, (const char *)right + rest, type->size) != 0;

    if (stays && changes)
        mpi_remark(mpi, &(struct remark){.kind = PEAL_INVALID_ARGUMENT, .rule = &rule},
                   "the operator's function, called for %zu elements, does not combine the last, and does when it is "
                   "called for that alone: it ignores len",
                   count);
    else if (memcmp(first + type->size, (const char *)right + type->size, rest) != 0)
        mpi_remark(mpi, &(struct remark){.kind = PEAL_INVALID_ARGUMENT, .note = true, .rule = &rule},
                   "the operator's function, called for one element, changes those after it: it ignores len");
    mpi_free(mpi, all);
    mpi_free(mpi, first);
    mpi_free(mpi, last);
}

/* Let the program's function combine elements, which it expects in the layout of their type. */
static void
combine_own(const void *left, const void *right, void *result, size_t count, void *closure)
{
    const struct reduction *reduction = closure;
    const struct type *type = reduction->type;

    try_function(reduction, left, right, count);
    if (type->dense && result != left && result != right)
        memcpy(result, right, count * type->size);
    if (type->dense && result != left)
        reduction_call(reduction, (char *)(uintptr_t)left - type->true_lb, (char *)result - type->true_lb, count);
    else
        apply(reduction, left, right, result, count, 0, count, 0);
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
    reduction->fortran = op && op->fortran;
    reduction->op = (struct peal_op){.name = op ? "an operator of the program's own" : name,
                                     .commutative = op ? op->commutative : true,
                                     .word_bytes = type->size ? type->size : 1,
                                     .combine = combine,
                                     .combine_with = op ? combine_own : NULL,
                                     .closure = reduction,
                                     .pure = !op,
                                     .exact = !op && op_is_exact(type)};
    return MPI_SUCCESS;
}
