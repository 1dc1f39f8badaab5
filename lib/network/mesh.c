/* SPDX-License-Identifier: MIT */
/* mesh: a grid of one or more dimensions, open at its sides. */
#include "lib/network/grid.h"
#include <string.h>

/* Cut across the longest dimension; when that is odd, its middle layer is cut in half in the same way.  That no cut is
 * narrower: Azizoğlu and Eğecioğlu, The bisection width and the isoperimetric number of arrays, 2004. */
static uint64_t
bisection(const struct peal_network *network)
{
    int extent[PEAL_MAX_DIMENSIONS];
    uint64_t nodes = (uint64_t)network->nodes, cut = 0;

    memcpy(extent, network->extent, sizeof extent);
    for (;;) {
        int longest = 0;

        for (int i = 1; i < network->dimensions; i++)
            longest = extent[i] > extent[longest] ? i : longest;
        if (extent[longest] == 1)
            return cut;
        nodes /= (uint64_t)extent[longest];
        cut += nodes;
        if (extent[longest] % 2 == 0)
            return cut;
        extent[longest] = 1;
    }
}

static enum peal_status
create(struct peal_network *network, const char *extents, struct peal_error *error)
{
    enum peal_status status = grid_create(network, extents, 0, false, error);

    if (!status)
        network->bisection = bisection(network);
    return status;
}

const struct topology topology_mesh = {
    .name = "mesh",
    .form = "mesh:AxBx..",
    .summary = "nodes at grid points, row by row; xy walks along the row first, yx along it last",
    .routings = grid_routings,
    .create = create,
    GRID_MEMBERS,
    .landscape = &grid_landscape,
};
