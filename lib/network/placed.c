/* SPDX-License-Identifier: MIT */
/* Creates networks from specs, and puts nodes on a part of a network's hosts: a network whose functions ask those of
 * the network of hosts.  Other files learn only from network_host that a node's number is not its host's. */
#include "lib/base/text.h"
#include "lib/network/network.h"
#include "lib/network/placement.h"
#include <stdlib.h>

static int
distance(const struct peal_network *network, int from, int to)
{
    return peal_network_distance(network->inner, network->host[from], network->host[to]);
}

static int
route(const struct peal_network *network, int from, int to, uint32_t *links)
{
    return network_own_route(network->inner, network->host[from], network->host[to], links);
}

static void
ends(const struct peal_network *network, uint32_t link, int *from, int *to)
{
    network->inner->topology->ends(network->inner, link, from, to);
    *from = network->vertex[*from];
    *to = network->vertex[*to];
}

static int
eccentricity(const struct peal_network *network, int source)
{
    int most = 0;

    for (int node = 0; node < network->nodes; node++) {
        int hops = distance(network, source, node);

        most = hops > most ? hops : most;
    }
    return most;
}

static uint32_t
capacity(const struct peal_network *network, int from, int to)
{
    return network->inner->topology->capacity(network->inner, network->inside[from], network->inside[to]);
}

static void
destroy(struct peal_network *network)
{
    free(network->vertex);
    free(network->inside);
    peal_network_destroy(network->inner);
}

static const char *const no_routings[] = {NULL}; /* the network of hosts has them */

/* Not in the table of topologies: no spec names it. */
static const struct topology topology_placed = {
    .name = "placed",
    .routings = no_routings,
    .destroy = destroy,
    .distance = distance,
    .route = route,
    .ends = ends,
    .eccentricity = eccentricity,
    .capacity = capacity,
};

char *
peal_network_vertex(const struct peal_network *network, int vertex, char text[32])
{
    int nodes = network->inner ? network->inner->nodes : network->nodes;

    vertex = network->inner ? network->inside[vertex] : vertex;
    if (vertex >= nodes)
        snprintf(text, 32, "switch %d", vertex - nodes);
    else
        snprintf(text, 32, network->inner ? "host %d" : "%d", vertex);
    return text;
}

/* ------------------------------------------------------------------ creating */

/* The vertices of the placed network are the nodes, of which the lowest of a host stands for it; the hosts without a
 * node; the switches. */
static bool
number_vertices(struct peal_network *network)
{
    int all = network->inner->vertices, nodes = network->nodes, next = nodes;

    network->vertices = nodes + all - network->placement->used;
    network->vertex = malloc((size_t)all * sizeof *network->vertex);
    network->inside = malloc((size_t)network->vertices * sizeof *network->inside);
    if (!network->vertex || !network->inside)
        return false;
    for (int v = 0; v < all; v++)
        network->vertex[v] = -1;
    for (int node = 0; node < nodes; node++) {
        int *vertex = &network->vertex[network->host[node]];

        *vertex = *vertex < 0 ? node : *vertex;
        network->inside[node] = network->host[node];
    }
    for (int v = 0; v < all; v++)
        if (network->vertex[v] < 0) {
            network->inside[next] = v;
            network->vertex[v] = next++;
        }
    return true;
}

/* The diameter if the hosts are few, else that of their network, which is no less. */
static int
diameter_of(const struct peal_network *network)
{
    enum { FEW = 512 };
    int most = 0;

    if (network->nodes > FEW)
        return network->inner->diameter;
    for (int node = 0; node < network->nodes; node++) {
        int hops = eccentricity(network, node);

        most = hops > most ? hops : most;
    }
    return most;
}

/* Whether the nodes are the network's: all hosts in order, or any of the full network, one node each. */
static bool
is_plain(const struct peal_network *inner, const struct peal_placement *placement, int nodes)
{
    bool plain = !placement->shared && (inner->private_links || nodes == placement->hosts);

    for (int node = 0; plain && !inner->private_links && node < nodes; node++)
        plain = placement->host[node] == node;
    return plain;
}

/* Put the nodes on the hosts of `inner`, which the result owns from now on; without a result it is destroyed. */
static struct peal_network *
put_on_hosts(struct peal_network *inner, int nodes, struct peal_placement *placement)
{
    struct peal_network *network = is_plain(inner, placement, nodes) ? inner : calloc(1, sizeof *network);

    if (network && network != inner) {
        *network = (struct peal_network){.topology = &topology_placed,
                                         .nodes = nodes,
                                         .best = inner->best,
                                         .private_links = inner->private_links,
                                         .links = inner->links,
                                         .link_limit = inner->link_limit,
                                         .capacity = inner->capacity,
                                         .inner = inner,
                                         .host = placement->host};
    } else if (!network) {
        peal_network_destroy(inner);
        free(placement);
        return NULL;
    }
    network->placement = placement;
    if (network != inner && !number_vertices(network)) {
        peal_network_destroy(network);
        return NULL;
    }
    if (network != inner)
        network->diameter = diameter_of(network);
    network->nodes = nodes;
    return network;
}

/* The name of the placed network: that of its hosts, and the placement with the order that was given. */
static bool
name_placed(struct peal_network *network, const char *text)
{
    const struct peal_placement *placement = network->placement;
    const char *hosts = network->inner ? network->inner->name : network->name;
    size_t bytes = strlen(hosts) + strlen(text) + 40, digits = strspn(text, "0123456789");
    char *name = network->placed_name = malloc(bytes);

    text += digits + (digits > 0 && text[digits] == ':');
    if (!name)
        return false;
    struct peal_text out = empty_text(name, bytes);

    peal_append(out, "%s", hosts);
    if (network->private_links) /* which has no numbers */
        peal_append(out, ":%d", placement->hosts);
    peal_append(out, "@");
    if (placement->per_host > 1)
        peal_append(out, "%d:", placement->per_host);
    peal_append(out, "%s", *text ? text : "block");
    return true;
}

/* Make the network of hosts, of the numbers in its spec or, where it has none, of as many as the placement takes or the
 * next size that there is; and the placement. */
static struct peal_network *
make_hosts(const struct topology *topology, char *spec, size_t bytes, bool numbered, int nodes, const char *routing,
           const char *text, struct peal_placement **placement, struct peal_error *error)
{
    int hosts = numbered ? peal_topology_nodes(spec) : 0, extent[PEAL_MAX_DIMENSIONS];

    if (numbered && hosts == 0) /* it says why */
        return network_create(spec, nodes, routing, error);
    if (!(*placement = placement_make(text, nodes, hosts, spec, error)))
        return NULL;
    if (!numbered && topology->smallest) {
        int count = topology->smallest((*placement)->hosts, extent);

        for (int i = 0; i < count; i++)
            peal_append((struct peal_text){spec, bytes}, "%c%d", i ? 'x' : ':', extent[i]);
        free(*placement);
        if (!(*placement = placement_make(text, nodes, peal_topology_nodes(spec), spec, error)))
            return NULL;
    }
    if (strcmp(topology->name, "full") == 0) /* no host is on the way of others */
        return network_create("full", (*placement)->shared ? (*placement)->hosts : nodes, routing, error);
    return network_create(spec, (*placement)->hosts, routing, error);
}

static struct peal_network *
create_placed(const struct topology *topology, const char *spec, size_t length, bool numbered, const char *text,
              int nodes, const char *routing, struct peal_error *error)
{
    size_t bytes = length + 100;
    char *hosts = malloc(bytes);
    struct peal_placement *placement = NULL;
    struct peal_network *inner, *network = NULL;

    if (!hosts) {
        peal_refuse(error, PEAL_RESOURCES, "not enough memory for a network");
        return NULL;
    }
    snprintf(hosts, bytes, "%.*s", (int)length, spec);
    inner = make_hosts(topology, hosts, bytes, numbered, nodes, routing, text, &placement, error);
    free(hosts);
    if (!inner) {
        free(placement);
        return NULL;
    }
    network = put_on_hosts(inner, nodes, placement);
    if (network && name_placed(network, text))
        return network;
    peal_network_destroy(network);
    peal_refuse(error, PEAL_RESOURCES, "not enough memory to place %d nodes", nodes);
    return NULL;
}

struct peal_network *
peal_network_create(const char *spec, int nodes, const char *routing, struct peal_error *error)
{
    const char *at = peal_topology_placement(spec), *text = at ? at + 1 : NULL;
    size_t length = at ? (size_t)(at - spec) : strlen(spec), kind = strcspn(spec, ":@");
    const struct topology *topology = topology_named(spec, kind);
    bool numbered = topology && (topology->fixed_nodes || kind < length);
    int extent[PEAL_MAX_DIMENSIONS];

    if (nodes >= 1 && !text && topology && !numbered && topology->spare) {
        int count = topology->smallest(nodes, extent);

        text = topology->nodes_of(extent, count) == (uint64_t)nodes ? NULL : "block";
    }
    if (nodes >= 1 && topology && text)
        return create_placed(topology, spec, length, numbered, text, nodes, routing, error);
    struct peal_network *network = network_create(spec, nodes, routing, error);

    if (!network && error && numbered && !topology->size && nodes >= 1 && peal_topology_nodes(spec) > nodes &&
        peal_topology_nodes(spec) < INT_MAX)
        peal_append(IN_ARRAY(error->text), "; %s@block uses a part of it", spec);
    return network;
}

const struct peal_placement *
peal_network_placement(const struct peal_network *network)
{
    return network->placement;
}
