/* SPDX-License-Identifier: MIT */
/* Datatypes of parts of arrays: MPI_Type_create_subarray and MPI_Type_create_darray. */
#include "mpi/comm/comm.h"
#include "mpi/type/type.h"
#include <string.h>

/* The whole array, in elements of `of`; bounds are those of the array. */
static struct type *
type_array_finish(struct mpi *mpi, struct type *inner, struct type *of, size_t elements, const struct recipe *recipe)
{
    struct type *type = type_make(mpi, &(struct type_part){0, 1, 0, inner}, 1, recipe);

    type_mark(type, 0, (ptrdiff_t)elements * type_extent(of));
    return type;
}

/* The i-th dimension, counted from the one whose elements are contiguous. */
static int
dimension(int i, int count, int order)
{
    return order == MPI_ORDER_FORTRAN ? i : count - 1 - i;
}

static int
check_array(struct mpi *mpi, int ndims, const int sizes[], int order)
{
    if (ndims < 1)
        return mpi_error(mpi, NULL, MPI_ERR_ARG, "ndims is %d: expected 1 or more", ndims);
    if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
        return mpi_error(mpi, NULL, MPI_ERR_ARG, "order is %d: expected MPI_ORDER_C or MPI_ORDER_FORTRAN", order);
    for (int i = 0; i < ndims; i++)
        if (sizes[i] < 1)
            return mpi_error(mpi, NULL, MPI_ERR_ARG, "the array's size in dimension %d is %d: expected 1 or more", i,
                             sizes[i]);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Type_create_subarray, int ndims, const int sizes[], const int subsizes[], const int starts[],
             int order, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct mpi *mpi = ENTER(Type_create_subarray);
    struct type *of = type_find(mpi, oldtype);

    NEED(newtype, sizes, subsizes, starts);
    TRY(check_array(mpi, ndims, sizes, order));
    if (!of)
        return mpi_error(mpi, NULL, MPI_ERR_TYPE, "oldtype %s", handle_wrong(mpi, KIND_TYPE, (uintptr_t)oldtype));
    for (int i = 0; i < ndims; i++)
        if (subsizes[i] < 1 || subsizes[i] > sizes[i] || starts[i] < 0 || starts[i] > sizes[i] - subsizes[i])
            return mpi_error(mpi, NULL, MPI_ERR_ARG,
                             "dimension %d: %d elements from %d on are not within an array of %d", i, subsizes[i],
                             starts[i], sizes[i]);
    size_t elements = 1;
    ptrdiff_t begin = 0;
    struct type *inner = of;

    type_use(of);
    for (int i = 0; i < ndims; i++) {
        int d = dimension(i, ndims, order);
        ptrdiff_t stride = (ptrdiff_t)elements * type_extent(of);
        struct type *row = type_row(mpi, (size_t)subsizes[d], stride, inner);

        type_drop(mpi, inner);
        inner = row;
        begin += starts[d] * stride;
        elements *= (size_t)sizes[d];
    }
    size_t count = (size_t)ndims;
    int *ints = mpi_scratch(mpi, (3 * count + 2) * sizeof *ints);

    ints[0] = ndims;
    memcpy(ints + 1, sizes, count * sizeof *ints);
    memcpy(ints + 1 + count, subsizes, count * sizeof *ints);
    memcpy(ints + 1 + 2 * count, starts, count * sizeof *ints);
    ints[1 + 3 * count] = order;
    const struct recipe recipe = {
        .combiner = MPI_COMBINER_SUBARRAY, .int_count = 3 * ndims + 2, .ints = ints, .type_count = 1, .types = &of};
    struct type *moved = type_list(mpi, &(struct type_part){begin, 1, 0, inner}, 1);

    type_drop(mpi, inner);
    *newtype = type_array_finish(mpi, moved, of, elements, &recipe)->handle;
    type_drop(mpi, moved);
    mpi_free(mpi, ints);
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ distributed arrays */

/* The elements that coordinate `me` of `nodes` has in one dimension of `size` elements dealt out in blocks of `block`,
 * each an `of`, a stride apart. */
static struct type *
type_array_distribute(struct mpi *mpi, size_t size, size_t block, size_t nodes, size_t me, ptrdiff_t stride,
                      struct type *of)
{
    size_t count = 0, room = size / (block * nodes) + 2;
    struct type_part *parts = mpi_scratch(mpi, room * sizeof *parts);

    for (size_t first = me * block; first < size; first += block * nodes)
        parts[count++] =
            (struct type_part){(ptrdiff_t)first * stride, first + block <= size ? block : size - first, stride, of};
    struct type *type = type_list(mpi, parts, count);

    mpi_free(mpi, parts);
    return type;
}

/* The block length of a dimension; 0: the arguments are wrong. */
static int
type_array_block(int distribution, int argument, int size, int nodes)
{
    int even = size / nodes + (size % nodes != 0);

    if (distribution == MPI_DISTRIBUTE_NONE)
        return nodes == 1 ? size : 0;
    if (distribution == MPI_DISTRIBUTE_BLOCK)
        return argument == MPI_DISTRIBUTE_DFLT_DARG ? even : argument >= even ? argument : 0;
    if (distribution == MPI_DISTRIBUTE_CYCLIC)
        return argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : argument > 0 ? argument : 0;
    return 0;
}

MPI_FUNCTION(int, Type_create_darray, int size, int rank, int ndims, const int gsizes[], const int distribs[],
             const int dargs[], const int psizes[], int order, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct mpi *mpi = ENTER(Type_create_darray);
    struct type *of = type_find(mpi, oldtype);

    NEED(newtype, gsizes, distribs, dargs, psizes);
    TRY(check_array(mpi, ndims, gsizes, order));
    long long nodes = 1;

    if (!of)
        return mpi_error(mpi, NULL, MPI_ERR_TYPE, "oldtype %s", handle_wrong(mpi, KIND_TYPE, (uintptr_t)oldtype));
    for (int i = 0; i < ndims; i++) {
        if (psizes[i] < 1 || !type_array_block(distribs[i], dargs[i], gsizes[i], psizes[i]))
            return mpi_error(mpi, NULL, MPI_ERR_ARG, "dimension %d cannot be distributed in this way over %d nodes", i,
                             psizes[i]);
        nodes *= psizes[i];
    }
    if (size < 1 || rank < 0 || rank >= size || nodes != size)
        return mpi_error(mpi, NULL, MPI_ERR_ARG, "rank %d of %d nodes on a grid of %lld", rank, size, nodes);
    size_t count = (size_t)ndims, elements = 1;
    int *at = mpi_scratch(mpi, count * sizeof *at), rest = rank;

    for (int i = ndims; i-- > 0; rest /= psizes[i]) /* the grid of nodes is in the order of C, whatever the array is */
        at[i] = rest % psizes[i];
    struct type *inner = of;

    type_use(of);
    for (int i = 0; i < ndims; i++) {
        int d = dimension(i, ndims, order);
        size_t block = (size_t)type_array_block(distribs[d], dargs[d], gsizes[d], psizes[d]);
        struct type *dealt = type_array_distribute(mpi, (size_t)gsizes[d], block, (size_t)psizes[d], (size_t)at[d],
                                                   (ptrdiff_t)elements * type_extent(of), inner);

        type_drop(mpi, inner);
        inner = dealt;
        elements *= (size_t)gsizes[d];
    }
    int *ints = mpi_scratch(mpi, (4 * count + 4) * sizeof *ints);

    ints[0] = size;
    ints[1] = rank;
    ints[2] = ndims;
    memcpy(ints + 3, gsizes, count * sizeof *ints);
    memcpy(ints + 3 + count, distribs, count * sizeof *ints);
    memcpy(ints + 3 + 2 * count, dargs, count * sizeof *ints);
    memcpy(ints + 3 + 3 * count, psizes, count * sizeof *ints);
    ints[3 + 4 * count] = order;
    const struct recipe recipe = {
        .combiner = MPI_COMBINER_DARRAY, .int_count = 4 * ndims + 4, .ints = ints, .type_count = 1, .types = &of};

    *newtype = type_array_finish(mpi, inner, of, elements, &recipe)->handle;
    type_drop(mpi, inner);
    mpi_free(mpi, ints);
    mpi_free(mpi, at);
    return MPI_SUCCESS;
}
