/* SPDX-License-Identifier: MIT */
/* The number of nodes that a spec makes by itself. */
#include "lib/network/extents.h"
#include "lib/network/placement.h"
#include <stdlib.h>
#include <string.h>

/* The number of nodes that numbers make; 0 when they are not numbers. */
static uint64_t
extents_size(const char *text, uint64_t (*nodes_of)(const int *extent, int count))
{
    struct peal_network network = {.topology = topologies[0]}; /* read into, never created */
    uint64_t product = 1;

    if (extents_read(&network, text, 1, PEAL_MAX_DIMENSIONS, 0, NULL))
        return 0;
    if (nodes_of)
        return nodes_of(network.extent, network.dimensions);
    for (int i = 0; i < network.dimensions && product <= INT_MAX; i++)
        product *= (uint64_t)network.extent[i];
    return product;
}

static uint64_t
hosts_size(const char *spec)
{
    size_t length = strcspn(spec, ":");
    const struct topology *topology = topology_named(spec, length);

    if (!topology || topology->fixed_nodes || !spec[length])
        return topology ? (uint64_t)topology->fixed_nodes : 0;
    return topology->size ? topology->size(spec + length + 1) : extents_size(spec + length + 1, topology->nodes_of);
}

int
peal_topology_nodes(const char *spec)
{
    const char *at = peal_topology_placement(spec);
    char *hosts = at ? strndup(spec, (size_t)(at - spec)) : NULL;
    uint64_t nodes = hosts_size(hosts ? hosts : spec);

    if (at && nodes > 0)
        nodes = placement_nodes(at + 1, nodes);
    free(hosts);
    return nodes <= INT_MAX ? (int)nodes : INT_MAX;
}
