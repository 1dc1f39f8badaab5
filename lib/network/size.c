/* SPDX-License-Identifier: MIT */
/* The number of nodes that a spec makes by itself. */
#include "lib/network/extents.h"
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

int
peal_topology_nodes(const char *spec)
{
    size_t length = strcspn(spec, ":");
    uint64_t nodes = 0;

    for (const struct topology *const *each = topologies; *each; each++)
        if (strlen((*each)->name) != length || memcmp((*each)->name, spec, length) != 0)
            continue;
        else if ((*each)->fixed_nodes)
            nodes = (uint64_t)(*each)->fixed_nodes;
        else if (spec[length])
            nodes =
                (*each)->size ? (*each)->size(spec + length + 1) : extents_size(spec + length + 1, (*each)->nodes_of);
    return nodes <= INT_MAX ? (int)nodes : INT_MAX;
}
