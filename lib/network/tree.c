/* SPDX-License-Identifier: MIT */
/* tree: L levels, the root's included, A children below every node but those of the last level.  Ranks are breadth
 * first, so the parent of i is (i - 1) / A and, of two nodes, the higher rank is never nearer the root.  The wire of i
 * to its parent is wire i - 1, its link 0 leads downwards.  The only route between two nodes goes over their lowest
 * common ancestor. */
#include "lib/network/extents.h"
#include "lib/network/shortest.h"

/* The nodes of a tree, INT_MAX + 1 when it has more than INT_MAX. */
static uint64_t
tree_size(int arity, int levels)
{
    uint64_t size = 0, level = 1;

    if (arity == 1)
        return (uint64_t)levels;
    for (; levels > 0 && size <= INT_MAX; levels--) {
        size += level;
        level *= (uint64_t)arity;
    }
    return size <= INT_MAX ? size : (uint64_t)INT_MAX + 1;
}

static enum peal_status
tree_refuse(const struct peal_network *network, uint64_t size, struct peal_error *error)
{
    struct fits fits = {0};

    for (int arity = 2; arity < network->nodes && arity <= 46340; arity++) /* three levels or more */
        for (int levels = 3; tree_size(arity, levels) <= (uint64_t)network->nodes; levels++)
            if (tree_size(arity, levels) == (uint64_t)network->nodes)
                fits_add(&fits, network, (int[]){arity, levels}, 2);
    if (network->nodes > 2)
        fits_add(&fits, network, (int[]){network->nodes - 1, 2}, 2);
    fits_add(&fits, network, (int[]){1, network->nodes}, 2);
    return fits_refuse(&fits, network, size, error);
}

static enum peal_status
tree_create(struct peal_network *network, const char *extents, struct peal_error *error)
{
    int arity, levels;
    uint64_t size;

    if (!extents)
        return tree_refuse(network, 0, error);
    if (extents_read(network, extents, 2, 2, 1, error))
        return PEAL_USAGE;
    arity = network->extent[0];
    levels = network->extent[1];
    size = tree_size(arity, levels);
    if (size != (uint64_t)network->nodes)
        return tree_refuse(network, size, error);
    network->links = 2 * (size - 1);
    network->diameter = arity == 1 ? levels - 1 : 2 * (levels - 1);
    /* With an even arity half of the root's subtrees are half of the nodes; every wire cut moves at most one of them.
     * */
    if (levels > 1 && (arity == 1 || arity % 2 == 0))
        network->bisection = arity == 1 ? 1 : (uint64_t)arity / 2;
    return PEAL_OK;
}

static inline int
parent(const struct peal_network *network, int node)
{
    return (node - 1) / network->extent[0];
}

static int
tree_distance(const struct peal_network *network, int from, int to)
{
    int hops = 0;

    if (network->extent[0] == 1)
        return from > to ? from - to : to - from;
    for (; from != to; hops++) {
        if (from > to)
            from = parent(network, from);
        else
            to = parent(network, to);
    }
    return hops;
}

static int
tree_route(const struct peal_network *network, int from, int to, uint32_t *links)
{
    int hops = tree_distance(network, from, to);

    for (int begin = 0, end = hops; from != to;) {
        if (from > to) {
            links[begin++] = 2 * (uint32_t)(from - 1) + 1;
            from = parent(network, from);
        } else {
            links[--end] = 2 * (uint32_t)(to - 1);
            to = parent(network, to);
        }
    }
    return hops;
}

/* The child of `ancestor` that leads to `node`; 0: it is not an ancestor. */
static int
child_towards(const struct peal_network *network, int ancestor, int node)
{
    if (network->extent[0] == 1)
        return node > ancestor ? ancestor + 1 : 0;
    while (node > 0 && parent(network, node) != ancestor)
        node = parent(network, node);
    return node;
}

static void
tree_end_links(const struct peal_network *network, int from, int to, uint32_t *first, uint32_t *last)
{
    int down_first = child_towards(network, from, to), up_last = child_towards(network, to, from);

    *first = down_first ? 2 * (uint32_t)(down_first - 1) : 2 * (uint32_t)(from - 1) + 1;
    *last = up_last ? 2 * (uint32_t)(up_last - 1) + 1 : 2 * (uint32_t)(to - 1);
}

static void
tree_ends(const struct peal_network *network, uint32_t link, int *from, int *to)
{
    int low = (int)(link / 2) + 1, high = parent(network, low);

    *from = link % 2 ? low : high;
    *to = link % 2 ? high : low;
}

static int
tree_eccentricity(const struct peal_network *network, int source)
{
    int levels = network->extent[1], level = 0;

    if (network->extent[0] == 1)
        return source > levels - 1 - source ? source : levels - 1 - source;
    for (; source > 0; source = parent(network, source))
        level++;
    return level + levels - 1;
}

static uint64_t
tree_node_count(const int *extent, int count)
{
    return count == 2 && extent[0] > 0 ? tree_size(extent[0], extent[1]) : 0;
}

const struct topology topology_tree = {
    .name = "tree",
    .form = "tree:AxL",
    .summary = "L levels with the root's, A children per node; ranks level by level",
    .routings = shortest_routings,
    .create = tree_create,
    .nodes_of = tree_node_count,
    .distance = tree_distance,
    .route = tree_route,
    .end_links = tree_end_links,
    .ends = tree_ends,
    .eccentricity = tree_eccentricity,
};
