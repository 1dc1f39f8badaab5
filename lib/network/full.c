/* SPDX-License-Identifier: MIT */
/* full: every node has a wire to every other. */
#include "lib/network/extents.h"
#include "lib/network/shortest.h"
#include <stdio.h>

static enum peal_status
full_create(struct peal_network *network, const char *extents, struct peal_error *error)
{
    uint64_t nodes = (uint64_t)network->nodes;
    enum peal_status status = extents_of_grid(network, extents, 1, error);

    network->private_links = true;
    network->links = nodes * (nodes - 1);
    network->diameter = nodes > 1;
    network->bisection = (nodes / 2) * (nodes - nodes / 2);
    snprintf(network->name, sizeof network->name, "full");
    return status;
}

static int
full_distance(const struct peal_network *network, int from, int to)
{
    (void)network, (void)from, (void)to;
    return 1;
}

const struct topology topology_full = {
    .name = "full",
    .form = "full",
    .summary = "a wire between every two nodes",
    .routings = shortest_routings,
    .create = full_create,
    .distance = full_distance,
};
