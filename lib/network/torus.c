/* SPDX-License-Identifier: MIT */
/* torus: a grid of one or more dimensions, each closed to a ring.  A dimension of two nodes has one wire. */
#include "lib/network/grid.h"

/* Cut across the longest ring, which takes two wires a ring; when it is odd, its middle layer is cut in half in the
 * same way.  That no cut is narrower: Arjona Aroca and Fernández Anta, Bisection (band)width of product networks,
 * 2012, for rings.  A pair of dimensions of two nodes is a ring of four, so such a dimension counts as 4 long and
 * takes one wire.  When the longest is even this is the counting bound of Leighton: ⌊P/2⌋⌈P/2⌉ pairs lie across a
 * cut, no link serves more than P·longest/8 of all pairs.  That bound, rounded up, also proves 2 x odd.  The rest,
 * an odd ring the longest of three or more dimensions with an odd number of twos, is reported as unknown. */
static uint64_t
bisection(const struct peal_network *network)
{
    int length[PEAL_MAX_DIMENSIONS], twos = 0, others = 0;
    uint64_t nodes = (uint64_t)network->nodes, cut = 0;

    for (int i = 0; i < network->dimensions; i++) {
        length[i] = network->extent[i] == 2 ? 4 : network->extent[i];
        twos += network->extent[i] == 2;
        others += network->extent[i] > 2;
    }
    for (;;) {
        int longest = 0;

        for (int i = 1; i < network->dimensions; i++)
            longest = length[i] > length[longest] ? i : longest;
        if (length[longest] == 1)
            return cut;
        if (length[longest] % 2 && twos % 2 && twos + others > 2)
            return 0;
        nodes /= (uint64_t)network->extent[longest];
        cut += network->extent[longest] == 2 ? nodes : 2 * nodes;
        if (length[longest] % 2 == 0)
            return cut;
        length[longest] = 1;
    }
}

static enum peal_status
create(struct peal_network *network, const char *extents, struct peal_error *error)
{
    enum peal_status status = grid_create(network, extents, 0, true, error);

    if (!status)
        network->bisection = bisection(network);
    return status;
}

const struct topology topology_torus = {
    .name = "torus",
    .form = "torus:AxBx..",
    .summary =
        "a mesh closed in every dimension, the shorter way round; xy walks along the row first, yx along it last",
    .routings = grid_routings,
    .create = create,
    GRID_MEMBERS,
    .landscape = &grid_landscape,
};
