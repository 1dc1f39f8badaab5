/* SPDX-License-Identifier: MIT */
/* Creates networks of hosts from specs, and answers for all topologies by their tables of functions. */
#include "lib/network/network.h"
#include "lib/base/nearest.h"
#include "lib/network/shortest.h"
#include <stdlib.h>

/* ------------------------------------------------------------------ creating */

static enum peal_status
find_topology(const char *spec, size_t length, const struct topology **topology, struct peal_error *error)
{
    char word[sizeof(struct quoted)];
    struct nearest near = {.word = word};

    if ((*topology = topology_named(spec, length)))
        return PEAL_OK;
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), spec);
    if (*spec >= '0' && *spec <= '9' && spec[strspn(spec, "0123456789x")] == '\0')
        return peal_refuse(error, PEAL_USAGE, "unknown topology %s; did you mean mesh:%s or torus:%s?",
                           quote(word).text, word, word);
    for (const struct topology *const *each = topologies; *each; each++)
        peal_nearest_offer(&near, (*each)->name);
    return peal_refuse(error, PEAL_USAGE, "unknown topology %s%s%s", quote(word).text,
                       peal_nearest_words(&near, ": choose from "), near.name ? "" : near.all);
}

/* Every network has this routing besides its topology's. */
static const char best[] = "best";

static enum peal_status
find_routing(const struct topology *topology, const char *name, int *routing, bool *is_best, struct peal_error *error)
{
    struct nearest near = {.word = name};

    *routing = 0;
    *is_best = name && strcmp(name, best) == 0;
    if (!name || *is_best)
        return PEAL_OK;
    for (int i = 0; topology->routings[i]; i++) {
        if (strcmp(topology->routings[i], name) == 0) {
            *routing = i;
            return PEAL_OK;
        }
        peal_nearest_offer(&near, topology->routings[i]);
    }
    peal_nearest_offer(&near, best);
    return peal_refuse(error, PEAL_USAGE, "topology %s has no routing %s%s%s", topology->name, quote(name).text,
                       peal_nearest_words(&near, ": choose from "), near.name ? "" : near.all);
}

struct peal_network *
network_create(const char *spec, int nodes, const char *routing, struct peal_error *error)
{
    size_t length = strcspn(spec, ":@");
    const char *extents = spec[length] ? spec + length + 1 : NULL;
    const struct topology *topology;
    struct peal_network *network;
    bool is_best;
    int chosen;

    if (nodes < 1) {
        peal_refuse(error, PEAL_USAGE, "a network cannot have %d nodes: expected at least 1", nodes);
        return NULL;
    }
    if (find_topology(spec, length, &topology, error) || find_routing(topology, routing, &chosen, &is_best, error))
        return NULL;
    network = calloc(1, sizeof *network);
    if (!network) {
        peal_refuse(error, PEAL_RESOURCES, "not enough memory for a network");
        return NULL;
    }
    network->topology = topology;
    network->nodes = network->vertices = nodes;
    network->routing = chosen;
    network->best = is_best;
    if (topology->create(network, extents, error)) {
        peal_network_destroy(network);
        return NULL;
    }
    if (network->link_limit == 0)
        network->link_limit = network->links;
    if (network->link_limit > UINT32_MAX && !network->private_links) {
        peal_refuse(error, PEAL_USAGE, "%s has %llu links, of which Peal can number %llu: use fewer nodes",
                    network->name, (unsigned long long)network->link_limit, (unsigned long long)UINT32_MAX);
        peal_network_destroy(network);
        return NULL;
    }
    return network;
}

void
peal_network_destroy(struct peal_network *network)
{
    if (!network)
        return;
    if (network->topology->destroy)
        network->topology->destroy(network);
    free(network->placement);
    free(network->placed_name);
    free(network);
}

/* ------------------------------------------------------------------ readers */

int
peal_network_nodes(const struct peal_network *network)
{
    return network->nodes;
}

const char *
peal_network_kind(const struct peal_network *network)
{
    return network->topology->name;
}

const char *
peal_network_name(const struct peal_network *network)
{
    return network->placed_name ? network->placed_name : network->name;
}

const char *
peal_network_routing(const struct peal_network *network)
{
    network = network_hosts(network);
    return network->best ? best : network->topology->routings[network->routing];
}

int
peal_network_switches(const struct peal_network *network)
{
    return network->vertices - network->nodes;
}

int
peal_network_extents(const struct peal_network *network, int extents[PEAL_MAX_DIMENSIONS])
{
    memcpy(extents, network->extent, (size_t)network->dimensions * sizeof *extents);
    return network->dimensions;
}

int
peal_network_distance(const struct peal_network *network, int from, int to)
{
    return from == to ? 0 : network->topology->distance(network, from, to);
}

int
peal_network_path(const struct peal_network *network, int from, int to, int *path)
{
    int hops = 0;

    if (network->private_links) {
        hops = peal_network_distance(network, from, to);
        path[hops] = network_vertex(network, to);
    } else if (from != to) {
        /* The links first, each one place after the vertex it leads from, then each is replaced by the vertex it leads
         * to. */
        hops = network_route(network, from, to, (uint32_t *)path + 1);
        for (int i = 1; i <= hops; i++) {
            int before;

            network->topology->ends(network, (uint32_t)path[i], &before, &path[i]);
        }
    }
    path[0] = network_vertex(network, from);
    return hops;
}

uint64_t
peal_network_wires(const struct peal_network *network)
{
    return network->private_links || network->vertices == 1 ? 0 : network->link_limit / 2;
}

bool
peal_network_wire(const struct peal_network *network, uint64_t i, int *from, int *to)
{
    if (i >= peal_network_wires(network))
        return false;
    network->topology->ends(network, (uint32_t)(2 * i), from, to);
    return *from != *to;
}

uint32_t
peal_network_capacity(const struct peal_network *network, int from, int to)
{
    return network->capacity ? network->topology->capacity(network, from, to) : 1;
}

int
peal_network_eccentricity(const struct peal_network *network, int source)
{
    return network->topology->eccentricity ? network->topology->eccentricity(network, source) : network->diameter;
}

int
peal_network_diameter(const struct peal_network *network)
{
    return network->diameter;
}

uint64_t
peal_network_links(const struct peal_network *network)
{
    return network->links;
}

uint64_t
peal_network_bisection(const struct peal_network *network)
{
    return network->bisection;
}

bool
peal_topology_list(int i, const char **name, const char **form, const char **summary)
{
    for (int before = 0; topologies[before]; before++)
        if (before == i) {
            *name = topologies[i]->name;
            *form = topologies[i]->form;
            *summary = topologies[i]->summary;
            return true;
        }
    return false;
}

const char *
peal_topology_routing(const char *name, int i)
{
    const struct topology *topology = topology_named(name, strlen(name));
    int count = 0;

    while (topology && topology->routings[count])
        count++;
    if (!topology || i > count)
        return NULL;
    return i == count ? best : i >= 0 ? topology->routings[i] : NULL;
}

/* ------------------------------------------------------------------ links */

int
network_route(const struct peal_network *network, int from, int to, uint32_t *links)
{
    from = network_host(network, from);
    to = network_host(network, to);
    network = network_hosts(network);

    const struct route_graph *route_graph = network->topology->route_graph;
    uint32_t first, last;

    if (from == to || !network->best || !route_graph)
        return network_own_route(network, from, to, links);
    return shortest_route(network, route_graph, from, to, links, &first, &last);
}

void
network_end_links(const struct peal_network *network, int from, int to, uint64_t *first, uint64_t *last)
{
    uint32_t ends[2];

    from = network_host(network, from);
    to = network_host(network, to);
    network = network_hosts(network);
    if (network->private_links) {
        *first = *last = (uint64_t)from * (uint64_t)network->nodes + (uint64_t)to;
        return;
    }
    if (network->best && network->topology->route_graph)
        shortest_route(network, network->topology->route_graph, from, to, NULL, &ends[0], &ends[1]);
    else
        network->topology->end_links(network, from, to, &ends[0], &ends[1]);
    *first = ends[0];
    *last = ends[1];
}

uint64_t
network_reverse_link(const struct peal_network *network, uint64_t link)
{
    uint64_t nodes = (uint64_t)network_hosts(network)->nodes;

    return network->private_links ? link % nodes * nodes + link / nodes : link ^ 1;
}
