/* SPDX-License-Identifier: MIT */
/* Multicast, u-mesh: halve the list of nodes, sorted in the order in which messages are routed, so that no two messages
 * share a link.
 *
 *   before       the root has n words
 *   after        the D other nodes of the list have them
 *   rounds       ⌈log₂(D+1)⌉, the least of any multicast
 *   cost         ⌈log₂(D+1)⌉(α + βn) on lines, meshes, hypercubes and full networks, any list and root, either routing
 *   space        8 bytes for each node of the list
 *   derivation   sorted by the coordinate that is routed first, a message from a part of the list to its other half is
 *                routed inside the part's own range of the order, and parts are disjoint.  (With the order of the other
 *                routing two messages may meet.)
 *   source       McKinley, Xu, Esfahanian, Ni, IEEE TPDS 5(12), 1994, U-mesh
 *
 *   P = 3x3 mesh routed xy (along the row first), root 0, to 1 2 4 6 8: sorted by columns 0 6 1 4 2 8
 *     round 1    0 -> 4
 *     round 2    0 -> 1     4 -> 8
 *     round 3    0 -> 6     4 -> 2                                                                          */
#include "../catalog.h"
#include <string.h>

/* A node and its place in the order, the place in the upper half. */
typedef uint64_t (*order)(const struct shape *shape, int rank);

static uint64_t
by_rank(const struct shape *shape, int rank)
{
    (void)shape;
    return (uint64_t)rank << 32 | (unsigned)rank;
}

/* The last coordinate, which is routed first, is the most significant. */
static uint64_t
by_last_coordinate(const struct shape *shape, int rank)
{
    uint64_t place = 0;

    for (int d = shape->dimensions - 1; d >= 0; d--)
        place = place * (uint64_t)shape->extent[d] + (uint64_t)shape_coordinate(shape, d, rank);
    return place << 32 | (unsigned)rank;
}

/* Let the number at `at` sink below greater ones of the first count. */
static void
sink(uint64_t *x, int at, int count)
{
    for (int child; (child = 2 * at + 1) < count; at = child) {
        uint64_t swapped = x[at];

        if (child + 1 < count && x[child + 1] > x[child])
            child++;
        if (x[at] >= x[child])
            return;
        x[at] = x[child];
        x[child] = swapped;
    }
}

/* Sort by a heap, in place: a node has little stack. */
static void
sort(uint64_t *x, int count)
{
    for (int i = count / 2 - 1; i >= 0; i--)
        sink(x, i, count);
    for (int end = count - 1; end > 0; end--) {
        uint64_t greatest = x[0];

        x[0] = x[end];
        x[end] = greatest;
        sink(x, 0, end);
    }
}

/* The root and the list, in order; return their number. */
static int
sorted(uint64_t *nodes, const struct shape *shape, order place, int root, const int *to, int count)
{
    int all = 1;

    nodes[0] = place(shape, root);
    for (int i = 0; i < count; i++)
        if ((to == NULL ? i : to[i]) != root)
            nodes[all++] = place(shape, to == NULL ? i : to[i]);
    sort(nodes, all);
    return all;
}

static int
place_of(const uint64_t *nodes, int count, int rank)
{
    for (int i = 0; i < count; i++)
        if ((int)(nodes[i] & UINT32_MAX) == rank)
            return i;
    return -1;
}

static void
multicast_u_mesh_run(struct peal_node *me, void *a, size_t n, int root, const int *to, int count)
{
    const struct peal_network *network = peal_is_world(me) ? peal_node_network(me) : NULL;
    size_t word_bytes = peal_word_bytes(me), bytes = ((size_t)count + 1) * sizeof(uint64_t);
    uint64_t *nodes = peal_scratch(me, (bytes + word_bytes - 1) / word_bytes);
    struct shape shape;
    order place = by_rank;
    int l = 0, r, mine, holder, round = 0;

    shape_of(&shape, network, peal_size(me));
    if (shape.dimensions > 1 && strcmp(peal_network_routing(network), "yx") != 0)
        place = by_last_coordinate;
    r = sorted(nodes, &shape, place, root, to, count);
    mine = place_of(nodes, r, peal_rank(me));
    holder = place_of(nodes, r, root);
    for (int t = 0; mine >= 0 && r - l > 1; t++) {       /* the holder has the words, for the places l .. r-1 */
        int mid = l + (r - l + 1) / 2, other = holder < mid ? mid : mid - 1;

        if (mine == holder) {
            rest(me, t - round);
            peal_send(me, a, n, (int)(nodes[other] & UINT32_MAX));
            round = t + 1;
        } else if (mine == other) {
            peal_recv(me, a, n, (int)(nodes[holder] & UINT32_MAX));
            round = t + 1;
        }
        if ((mine < mid) != (holder < mid))
            holder = other;
        l = mine < mid ? l : mid;
        r = mine < mid ? mid : r;
    }
}

static void
multicast_u_mesh_cost(struct closed *sum)
{
    int all = 1, root = sum->situation->root;
    int64_t hops = 0;                                    /* to all of the list */

    for (int i = 0; i < sum->situation->to_count; i++) {
        int to = sum->situation->to == NULL ? i : sum->situation->to[i];

        all += to != root;
        for (int d = 0; d < sum->shape.dimensions; d++)
            hops += shape_hops(&sum->shape, d, shape_coordinate(&sum->shape, d, root),
                               shape_coordinate(&sum->shape, d, to));
    }
    if (sum->shape.kind == SHAPE_RING || sum->shape.kind == SHAPE_TORUS)
        sum->known = false;
    if (sum->shape.kind != SHAPE_FULL && sum->situation->switching != PEAL_IDEAL && all > 2)
        sum->known = false;                          /* hops are not derived; one message goes straight */
    for (int left = all; left > 1; left -= left / 2)
        closed_add_same(sum, 1, closed_words(sum), all > 2 || sum->shape.kind == SHAPE_FULL ? 1 : hops);
}

const struct peal_algorithm multicast_u_mesh = {
    .collective    = PEAL_MULTICAST,
    .name          = "u-mesh",
    .summary       = "halve the list of nodes, sorted as messages are routed",
    .run.multicast = multicast_u_mesh_run,
    .asks_network  = true,
    .cost          = multicast_u_mesh_cost,
    .posts         = PEAL_POSTS_ONE,
    .closed_on     = "full line mesh hypercube",
    .texts         = TEXTS(
        {.on = "full", .alpha = "α⌈log₂(D+1)⌉", .beta = "βn⌈log₂(D+1)⌉", .near = true, .names = "D = receivers"},
        {.alpha = "α⌈log₂(D+1)⌉", .beta = "βn⌈log₂(D+1)⌉", .names = "D = receivers"}),
    .optimal       = "α",
    .source        = "McKinley, Xu, Esfahanian, Ni 1994",
};
