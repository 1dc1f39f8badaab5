/* SPDX-License-Identifier: MIT */
/* Cartesian topologies: ranks in row-major order, never reordered. */
#include "lib/mpi/comm.h"
#include <string.h>

static int *
copy_ints(struct mpi *mpi, const int *from, int count)
{
    size_t bytes = (size_t)count * sizeof *from;
    int *to = mpi_alloc(mpi, bytes);

    return count ? memcpy(to, from, bytes) : to;
}

static struct cart *
cart_make(struct mpi *mpi, int dimensions, const int *extents, const int *periods)
{
    struct cart *cart = mpi_alloc(mpi, sizeof *cart);

    *cart = (struct cart){dimensions, copy_ints(mpi, extents, dimensions), copy_ints(mpi, periods, dimensions)};
    for (int i = 0; i < dimensions; i++)
        cart->periods[i] = cart->periods[i] != 0;
    return cart;
}

struct cart *
cart_copy(struct mpi *mpi, const struct cart *cart)
{
    return cart_make(mpi, cart->dimensions, cart->extents, cart->periods);
}

static void
coordinates_of(const struct cart *cart, int rank, int *coordinates, int most)
{
    for (int i = cart->dimensions; i-- > 0; rank /= cart->extents[i])
        if (i < most)
            coordinates[i] = rank % cart->extents[i];
}

/* Return from a call whose communicator has no Cartesian topology. */
#define FIND_CART(found, handle)                                                                                       \
    FIND_COMM(found, handle);                                                                                          \
    if (!found->cart)                                                                                                  \
    return mpi_error(mpi, found, MPI_ERR_TOPOLOGY, #handle " has no Cartesian topology")

MPI_FUNCTION(int, Cart_create, MPI_Comm old_comm, int ndims, const int dims[], const int periods[], int reorder,
             MPI_Comm *comm_cart)
{
    struct mpi *mpi = ENTER(Cart_create);
    FIND_COMM(c, old_comm);
    long long nodes = 1;

    (void)reorder;
    NEED(comm_cart);
    if (ndims < 0)
        return mpi_error(mpi, c, MPI_ERR_DIMS, "ndims is %d: expected 0 or more", ndims);
    if (ndims > 0 && (!dims || !periods))
        return mpi_error(mpi, c, MPI_ERR_ARG, "dims or periods is NULL");
    for (int i = 0; i < ndims; i++) {
        if (dims[i] < 1)
            return mpi_error(mpi, c, MPI_ERR_DIMS, "dims[%d] is %d: expected 1 or more", i, dims[i]);
        nodes = nodes * dims[i] > c->size ? (long long)c->size + 1 : nodes * dims[i];
    }
    if (nodes > c->size)
        return mpi_error(mpi, c, MPI_ERR_DIMS, "the grid has more places than the %d nodes of the communicator",
                         c->size);
    struct peal_node *view = peal_split_at(c->view, c->rank < nodes ? 0 : PEAL_NO_COLOR, c->rank, mpi->file, mpi->line);

    *comm_cart = MPI_COMM_NULL;
    if (view) {
        struct comm *made = comm_make(mpi, view, c);

        made->cart = cart_make(mpi, ndims, dims, periods);
        *comm_cart = made->handle;
    }
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Cartdim_get, MPI_Comm comm, int *ndims)
{
    struct mpi *mpi = ENTER(Cartdim_get);
    FIND_CART(c, comm);

    NEED(ndims);
    *ndims = c->cart->dimensions;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Cart_get, MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])
{
    struct mpi *mpi = ENTER(Cart_get);
    FIND_CART(c, comm);

    for (int i = 0; i < c->cart->dimensions && i < maxdims; i++) {
        dims[i] = c->cart->extents[i];
        periods[i] = c->cart->periods[i];
    }
    coordinates_of(c->cart, c->rank, coords, maxdims);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Cart_coords, MPI_Comm comm, int rank, int maxdims, int coords[])
{
    struct mpi *mpi = ENTER(Cart_coords);
    FIND_CART(c, comm);

    if (rank < 0 || rank >= c->size)
        return mpi_error(mpi, c, MPI_ERR_RANK, "rank %d is out of range: ranks are 0 to %d", rank, c->size - 1);
    if (maxdims < c->cart->dimensions)
        return mpi_error(mpi, c, MPI_ERR_DIMS, "maxdims is %d: the grid has %d dimensions", maxdims,
                         c->cart->dimensions);
    coordinates_of(c->cart, rank, coords, maxdims);
    return MPI_SUCCESS;
}

/* The rank at these coordinates, which wrap where the dimension is periodic; MPI_PROC_NULL outside of the grid. */
static int
rank_at(const struct cart *cart, const int *coordinates)
{
    int rank = 0;

    for (int i = 0; i < cart->dimensions; i++) {
        int extent = cart->extents[i], at = coordinates[i];

        if (cart->periods[i])
            at = (at % extent + extent) % extent;
        if (at < 0 || at >= extent)
            return MPI_PROC_NULL;
        rank = rank * extent + at;
    }
    return rank;
}

MPI_FUNCTION(int, Cart_rank, MPI_Comm comm, const int coords[], int *rank)
{
    struct mpi *mpi = ENTER(Cart_rank);
    FIND_CART(c, comm);

    NEED(rank);
    int found = rank_at(c->cart, coords);

    if (found == MPI_PROC_NULL)
        return mpi_error(mpi, c, MPI_ERR_ARG, "the coordinates are outside of the grid");
    *rank = found;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Cart_shift, MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest)
{
    struct mpi *mpi = ENTER(Cart_shift);
    FIND_CART(c, comm);
    const struct cart *cart = c->cart;

    NEED(rank_source);
    NEED(rank_dest);
    if (direction < 0 || direction >= cart->dimensions)
        return mpi_error(mpi, c, MPI_ERR_ARG, "direction %d is out of range: the grid has %d dimensions", direction,
                         cart->dimensions);
    int *at = mpi_scratch(mpi, (size_t)cart->dimensions * sizeof *at);

    coordinates_of(cart, c->rank, at, cart->dimensions);
    at[direction] += disp;
    *rank_dest = rank_at(cart, at);
    at[direction] -= 2 * disp;
    *rank_source = rank_at(cart, at);
    mpi_free(mpi, at);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Cart_sub, MPI_Comm comm, const int remain_dims[], MPI_Comm *new_comm)
{
    struct mpi *mpi = ENTER(Cart_sub);
    FIND_CART(c, comm);
    const struct cart *cart = c->cart;
    int color = 0, key = 0, kept = 0;
    size_t bytes = (size_t)cart->dimensions * sizeof(int);
    int *at = mpi_scratch(mpi, bytes), *extents = mpi_scratch(mpi, bytes), *periods = mpi_scratch(mpi, bytes);

    NEED(new_comm);
    coordinates_of(cart, c->rank, at, cart->dimensions);
    for (int i = 0; i < cart->dimensions; i++) {
        int *number = remain_dims[i] ? &key : &color;

        *number = *number * cart->extents[i] + at[i];
        if (remain_dims[i]) {
            extents[kept] = cart->extents[i];
            periods[kept++] = cart->periods[i];
        }
    }
    struct comm *made = comm_make(mpi, peal_split_at(c->view, color, key, mpi->file, mpi->line), c);

    made->cart = cart_make(mpi, kept, extents, periods);
    *new_comm = made->handle;
    mpi_free(mpi, at);
    mpi_free(mpi, extents);
    mpi_free(mpi, periods);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Cart_map, MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank)
{
    struct mpi *mpi = ENTER(Cart_map);
    FIND_COMM(c, comm);
    long long nodes = 1;

    (void)periods;
    NEED(newrank);
    for (int i = 0; i < ndims; i++)
        nodes *= dims[i];
    *newrank = c->rank < nodes ? c->rank : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Topo_test, MPI_Comm comm, int *status)
{
    struct mpi *mpi = ENTER(Topo_test);
    FIND_COMM(c, comm);

    NEED(status);
    *status = c->cart ? MPI_CART : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ extents */

/* The least divisor of n that is at least the n's `left`-th root, so that what follows can be as large as what is left. */
static int
divisor_near_root(int n, int left)
{
    for (int d = 1; d <= n; d++) {
        double power = 1;

        for (int i = 0; i < left; i++)
            power *= d;
        if (n % d == 0 && power >= (double)n)
            return d;
    }
    return n;
}

MPI_FUNCTION(int, Dims_create, int nnodes, int ndims, int dims[])
{
    struct mpi *mpi = ENTER(Dims_create);
    int rest = nnodes, open = 0;

    if (nnodes < 1 || ndims < 0)
        return mpi_error(mpi, NULL, MPI_ERR_DIMS, "nnodes is %d and ndims %d: expected 1 node, 0 dimensions or more",
                         nnodes, ndims);
    for (int i = 0; i < ndims; i++) {
        if (dims[i] < 0 || (dims[i] > 0 && rest % dims[i] != 0))
            return mpi_error(mpi, NULL, MPI_ERR_DIMS, "dims[%d] is %d, which does not divide %d nodes", i, dims[i],
                             rest);
        if (dims[i] > 0)
            rest /= dims[i];
        else
            open++;
    }
    if (open == 0 && rest != 1)
        return mpi_error(mpi, NULL, MPI_ERR_DIMS, "the grid has not %d places", nnodes);
    for (int i = 0; i < ndims; i++)
        if (dims[i] == 0) {
            dims[i] = divisor_near_root(rest, open--);
            rest /= dims[i];
        }
    return MPI_SUCCESS;
}
