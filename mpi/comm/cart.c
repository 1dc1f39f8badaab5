/* SPDX-License-Identifier: MIT */
/* Cartesian topologies: ranks in row-major order, never reordered. */
#include "mpi/call/mpi_advice.h"
#include "mpi/comm/topo.h"
#include "mpi/strict/happens_before.h"
#include <string.h>

static struct comm_topology *
cart_make(struct mpi *mpi, int dimensions, const int *extents, const int *periods)
{
    struct comm_topology *topology = mpi_alloc(mpi, sizeof *topology);

    topology->kind = MPI_CART;
    topology->cart =
        (struct cart){dimensions, topology_ints(mpi, extents, dimensions), topology_ints(mpi, periods, dimensions)};
    for (int i = 0; i < dimensions; i++)
        topology->cart.periods[i] = topology->cart.periods[i] != 0;
    return topology;
}

/* Return from a call whose communicator has no Cartesian topology. */
#define FIND_CART(found, handle)                                                                                       \
    FIND_COMM(found, handle);                                                                                          \
    if (!found->topology || found->topology->kind != MPI_CART)                                                         \
    return mpi_error(mpi, found, MPI_ERR_TOPOLOGY, #handle " has no Cartesian topology")

/* Check a grid, and count its places, at most one more than the communicator has nodes. */
static int
check_grid(struct mpi *mpi, struct comm *comm, int ndims, const int *dims, const int *periods, long long *places)
{
    *places = 1;
    if (ndims < 0)
        return mpi_error(mpi, comm, MPI_ERR_DIMS, "ndims is %d: expected 0 or more", ndims);
    if (ndims > 0 && (!dims || !periods))
        return mpi_error(mpi, comm, MPI_ERR_ARG, "dims or periods is NULL");
    for (int i = 0; i < ndims; i++) {
        if (dims[i] < 1)
            return mpi_error(mpi, comm, MPI_ERR_DIMS, "dims[%d] is %d: expected 1 or more", i, dims[i]);
        *places = *places * dims[i] > comm->size ? (long long)comm->size + 1 : *places * dims[i];
    }
    if (*places > comm->size)
        peal_advise(mpi->me, PEAL_HINT(cart_places));
    if (*places > comm->size)
        return mpi_error(mpi, comm, MPI_ERR_DIMS, "the grid has more places than the %d nodes of the communicator",
                         comm->size);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Cart_create, MPI_Comm old_comm, int ndims, const int dims[], const int periods[], int reorder,
             MPI_Comm *comm_cart)
{
    struct mpi *mpi = ENTER(Cart_create);
    FIND_INTRA(c, old_comm);
    long long places;

    (void)reorder;
    TRY(check_grid(mpi, c, ndims, dims, periods, &places));
    NEED(comm_cart);
    struct comm *made = comm_of_first(mpi, c, places, comm_cart);

    if (made)
        made->topology = cart_make(mpi, ndims, dims, periods);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Cartdim_get, MPI_Comm comm, int *ndims)
{
    struct mpi *mpi = ENTER(Cartdim_get);
    FIND_CART(c, comm);
    NEED(ndims);
    *ndims = c->topology->cart.dimensions;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Cart_get, MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])
{
    struct mpi *mpi = ENTER(Cart_get);
    FIND_CART(c, comm);

    for (int i = 0; i < c->topology->cart.dimensions && i < maxdims; i++) {
        dims[i] = c->topology->cart.extents[i];
        periods[i] = c->topology->cart.periods[i];
    }
    cart_coordinates(&c->topology->cart, c->rank, coords, maxdims);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Cart_coords, MPI_Comm comm, int rank, int maxdims, int coords[])
{
    struct mpi *mpi = ENTER(Cart_coords);
    FIND_CART(c, comm);

    if (rank < 0 || rank >= c->size)
        return mpi_error(mpi, c, MPI_ERR_RANK, "rank %d is out of range: ranks are 0 to %d", rank, c->size - 1);
    if (maxdims < c->topology->cart.dimensions)
        return mpi_error(mpi, c, MPI_ERR_DIMS, "maxdims is %d: the grid has %d dimensions", maxdims,
                         c->topology->cart.dimensions);
    cart_coordinates(&c->topology->cart, rank, coords, maxdims);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Cart_rank, MPI_Comm comm, const int coords[], int *rank)
{
    struct mpi *mpi = ENTER(Cart_rank);
    FIND_CART(c, comm);

    NEED(rank);
    int found = cart_rank_at(&c->topology->cart, coords);

    for (int i = 0; found == MPI_PROC_NULL; i++) {
        const struct cart *cart = &c->topology->cart;

        if (cart->periods[i] || (coords[i] >= 0 && coords[i] < cart->extents[i]))
            continue;
        peal_advise(mpi->me, PEAL_HINT(cart_outside), i);
        return mpi_error(mpi, c, MPI_ERR_ARG, "coords[%d] is %d, outside of the grid: expected 0 to %d", i, coords[i],
                         cart->extents[i] - 1);
    }
    *rank = found;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Cart_shift, MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest)
{
    struct mpi *mpi = ENTER(Cart_shift);
    FIND_CART(c, comm);
    const struct cart *cart = &c->topology->cart;

    NEED(rank_source, rank_dest);
    if (direction < 0 || direction >= cart->dimensions)
        return mpi_error(mpi, c, MPI_ERR_ARG,
                         "direction %d is out of range: the grid has %d dimension%s, numbered from 0", direction,
                         cart->dimensions, cart->dimensions == 1 ? "" : "s");
    cart_shift(mpi, cart, c->rank, direction, disp, rank_source, rank_dest);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Cart_sub, MPI_Comm comm, const int remain_dims[], MPI_Comm *new_comm)
{
    struct mpi *mpi = ENTER(Cart_sub);
    FIND_CART(c, comm);
    const struct cart *cart = &c->topology->cart;
    int color = 0, key = 0, kept = 0;
    size_t bytes = (size_t)cart->dimensions * sizeof(int);
    int *at = mpi_scratch(mpi, bytes), *extents = mpi_scratch(mpi, bytes), *periods = mpi_scratch(mpi, bytes);

    NEED(new_comm);
    cart_coordinates(cart, c->rank, at, cart->dimensions);
    for (int i = 0; i < cart->dimensions; i++) {
        int *number = remain_dims[i] ? &key : &color;

        *number = *number * cart->extents[i] + at[i];
        if (remain_dims[i]) {
            extents[kept] = cart->extents[i];
            periods[kept++] = cart->periods[i];
        }
    }
    struct comm *made = comm_make(mpi, vclock_split(mpi, c, color, key), c);

    made->topology = cart_make(mpi, kept, extents, periods);
    *new_comm = made->handle;
    mpi_free(mpi, at);
    mpi_free(mpi, extents);
    mpi_free(mpi, periods);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Cart_map, MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank)
{
    struct mpi *mpi = ENTER(Cart_map);
    FIND_INTRA(c, comm);
    long long places;
    int error = check_grid(mpi, c, ndims, dims, periods, &places);

    NEED(newrank);
    if (!error)
        *newrank = c->rank < places ? c->rank : MPI_UNDEFINED;
    return error;
}

/* ------------------------------------------------------------------ extents */

/* The search for extents that are as close to each other as possible: the least difference between the greatest and the
 * least one; among equals the greatest last ones. */
struct cart_search {
    int count;          /* of extents */
    int *best, *chosen; /* not increasing */
    int spread;         /* of the best ones; -1: none was found yet */
};

static bool
power_reaches(int base, int exponent, int n)
{
    long long power = 1;

    for (int i = 0; i < exponent && power < n; i++)
        power *= base;
    return power >= n;
}

/* Whether the chosen extent is greater at the last place that differs. */
static bool
is_greater(const struct cart_search *search)
{
    int i = search->count - 1;

    while (i > 0 && search->chosen[i] == search->best[i])
        i--;
    return search->chosen[i] > search->best[i];
}

/* Choose extent `at` and those after it, whose product is `rest`. */
static void
search_from(struct cart_search *search, int at, int rest)
{
    int left = search->count - at, most = at ? search->chosen[at - 1] : rest;

    if (left == 0) {
        int spread = search->chosen[0] - search->chosen[at - 1];

        if (search->spread < 0 || spread < search->spread || (spread == search->spread && is_greater(search))) {
            search->spread = spread;
            memcpy(search->best, search->chosen, (size_t)at * sizeof *search->best);
        }
        return;
    }
    if (left == 1) {
        search->chosen[at] = rest;
        if (rest <= most)
            search_from(search, at + 1, 1);
        return;
    }
    for (int low = 1; (long long)low * low <= rest; low++) /* divisors in pairs: the lower, and rest / low */
        for (int i = 0; i < 2 && rest % low == 0; i++) {
            int d = i ? rest / low : low;

            if (d > most || !power_reaches(d, left, rest) || (i && d == low))
                continue;
            search->chosen[at] = d;
            search_from(search, at + 1, rest / d);
        }
}

MPI_FUNCTION(int, Dims_create, int nnodes, int ndims, int dims[])
{
    struct mpi *mpi = ENTER(Dims_create);
    int rest = nnodes;
    struct cart_search search = {.spread = -1};

    if (nnodes < 1 || ndims < 0)
        return mpi_error(mpi, NULL, MPI_ERR_DIMS, "nnodes is %d and ndims %d: expected 1 node, 0 dimensions or more",
                         nnodes, ndims);
    if (ndims > 0)
        NEED(dims);
    for (int i = 0; i < ndims; i++) {
        if (dims[i] < 0 || (dims[i] > 0 && rest % dims[i] != 0))
            return mpi_error(mpi, NULL, MPI_ERR_DIMS, "dims[%d] is %d, which does not divide %d nodes", i, dims[i],
                             rest);
        if (dims[i] > 0)
            rest /= dims[i];
        else
            search.count++;
    }
    if (search.count == 0) {
        if (rest != 1 && ndims > 0)
            return mpi_error(mpi, NULL, MPI_ERR_DIMS, "the grid has %d places, expected %d", nnodes / rest, nnodes);
        return MPI_SUCCESS;
    }
    search.best = mpi_scratch(mpi, (size_t)search.count * sizeof(int));
    search.chosen = mpi_scratch(mpi, (size_t)search.count * sizeof(int));
    search_from(&search, 0, rest);
    for (int i = 0, next = 0; i < ndims; i++)
        if (dims[i] == 0)
            dims[i] = search.best[next++];
    mpi_free(mpi, search.best);
    mpi_free(mpi, search.chosen);
    return MPI_SUCCESS;
}
