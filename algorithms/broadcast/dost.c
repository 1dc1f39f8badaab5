/* SPDX-License-Identifier: MIT */
/* Broadcast, dost: from the root along the first dimension, from there along the second, and so on, always to the next
 * node: the dimension-ordered spanning tree, in which a node serves the child with the longest way to go first.
 *
 *   before       the root has n words
 *   after        every node has them
 *   rounds       H: a child's rounds and its place in the order, the greatest of these sums; with all ports the
 *                farthest distance
 *   cost         H(α + βn) + t_dH, any extents and root, under any switching; from the corner of a mesh Σ(zᵢ-1)
 *   space        none
 *   derivation   an arm of l nodes in dimension d has C + l-1 rounds at its first node, C those of a node with the arms
 *                of the later dimensions only: one more node adds one round, for the next of the arm comes first.  (C
 *                is the same order over the arms of the later dimensions.)  With k ports, k children have one place.
 *                All messages go one hop, and a link has one of them
 *   source       P. Tvrdík's course, one-to-all broadcast in store-and-forward networks; the order and H are derived
 *
 *   P = 6 as 2x3, root 0
 *     round 1    0 -> 3
 *     round 2    0 -> 1     3 -> 4
 *     round 3    1 -> 2     4 -> 5                                                                          */
#include "../catalog.h"

/* A child, or an arm that begins with it: the rounds it needs once it has the words, and its rank. */
struct arm {
    int height, child;
};

enum { ARMS = 2 * PEAL_MAX_DIMENSIONS };

/* Put an arm among others, the highest first. */
static void
insert(struct arm *arms, int *count, int height, int child)
{
    int i = (*count)++;

    for (; i > 0 && arms[i - 1].height < height; i--)
        arms[i] = arms[i - 1];
    arms[i] = (struct arm){.height = height, .child = child};
}

/* The rounds of a node with these arms, k of which are served at once (0: all). */
static int
height_of(const struct arm *arms, int count, int k)
{
    int most = 0;

    for (int i = 0; i < count; i++) {
        int height = arms[i].height + (k == 0 ? 1 : i / k + 1);

        most = height > most ? height : most;
    }
    return most;
}

/* The number of nodes above (way 1) or below (-1) coordinate `from` of dimension d; in a ring, half of the others
 * each. */
static int
arm_length(const struct shape *shape, int d, int from, int way)
{
    int extent = shape->extent[d];

    if (shape->closed[d])
        return way > 0 ? extent / 2 : (extent - 1) / 2;
    return way > 0 ? extent - 1 - from : from;
}

/* Give each dimension's height of a node that has only the arms of the later dimensions: at[d], at[-1] for all of
 * them. */
static int
heights(const struct shape *shape, int root, int k, int at[PEAL_MAX_DIMENSIONS])
{
    struct arm arms[ARMS];
    int count = 0;

    for (int d = shape->dimensions - 1; d >= 0; d--) {
        at[d] = height_of(arms, count, k);
        for (int way = 1; way >= -1; way -= 2) {
            int length = arm_length(shape, d, shape_coordinate(shape, d, root), way);

            if (length > 0)
                insert(arms, &count, at[d] + length - 1, -1);
        }
    }
    return height_of(arms, count, k);
}

/* The node next to `rank` in dimension d. */
static int
neighbour(const struct shape *shape, int d, int rank, int way)
{
    int c = shape_coordinate(shape, d, rank), extent = shape->extent[d];

    return rank + ((c + way + extent) % extent - c) * shape->stride[d];
}

/* The direction and distance of a node from the root in dimension d. */
static int
steps_from(const struct shape *shape, int d, int root, int rank, int *way)
{
    int up = shape_coordinate(shape, d, rank) - shape_coordinate(shape, d, root);

    if (shape->closed[d])
        up = up < 0 ? up + shape->extent[d] : up;
    *way = up > 0 ? 1 : -1;
    if (shape->closed[d] && up > shape->extent[d] / 2) {
        *way = -1;
        up -= shape->extent[d];
    }
    return up < 0 ? -up : up;
}

static int
ports_of(int ports)
{
    return ports == PEAL_PORTS_ALL ? 0 : ports;
}

/* The children of a node, the highest first.  Gives their number; *parent -1 for the root. */
static int
children_of(const struct shape *shape, int root, int rank, int k, struct arm children[ARMS], int *parent)
{
    int at[PEAL_MAX_DIMENSIONS], count = 0, last = -1, way, steps;

    heights(shape, root, k, at);
    for (int d = 0; d < shape->dimensions; d++)
        if (shape_coordinate(shape, d, rank) != shape_coordinate(shape, d, root))
            last = d;
    *parent = -1;
    if (last >= 0) {
        int beyond;

        steps = steps_from(shape, last, root, rank, &way);
        beyond = arm_length(shape, last, shape_coordinate(shape, last, root), way) - steps;
        *parent = neighbour(shape, last, rank, -way);
        if (beyond > 0)
            insert(children, &count, at[last] + beyond - 1, neighbour(shape, last, rank, way));
    }
    for (int d = last + 1; d < shape->dimensions; d++)
        for (way = 1; way >= -1; way -= 2) {
            int length = arm_length(shape, d, shape_coordinate(shape, d, root), way);

            if (length > 0)
                insert(children, &count, at[d] + length - 1, neighbour(shape, d, rank, way));
        }
    return count;
}

static void
broadcast_dost_run(struct peal_node *me, void *a, size_t n, int root)
{
    struct arm children[ARMS];
    struct shape shape;
    int count, parent;

    shape_of(&shape, peal_node_network(me), peal_size(me));
    count = children_of(&shape, root, peal_rank(me), ports_of(peal_node_options(me)->ports), children, &parent);
    if (parent >= 0)
        peal_recv(me, a, n, parent);
    for (int i = 0; i < count; i++)
        peal_send_async(me, a, n, children[i].child);
    peal_wait_all(me);
}

static void
broadcast_dost_cost(struct closed *sum)
{
    int at[PEAL_MAX_DIMENSIONS];

    closed_add_same(sum, heights(&sum->shape, sum->situation->root, ports_of(sum->situation->ports), at),
                    closed_words(sum), 1);
}

/* H is the sum of each dimension's longer arm, and one more if the arms are equal (k = 1); see the derivation above. */
const struct peal_algorithm broadcast_dost = {
    .collective    = PEAL_BROADCAST,
    .name          = "dost",
    .summary       = "always to the next node, dimension by dimension, the farthest way first",
    .run.broadcast = broadcast_dost_run,
    .needs.kinds   = "line ring mesh torus hypercube",
    .asks_network  = true,
    .asks_ports    = true,
    .cost          = broadcast_dost_cost,
    .posts         = PEAL_POSTS_ONE,
    .texts         = TEXTS(
        {.on = "hypercube", .alpha = "α log₂P", .beta = "βn log₂P", .near = true},
        {.on = "ring", .when = "k = 1", .alpha = "α⌈P/2⌉", .beta = "βn⌈P/2⌉", .near = true},
        {.on = "ring", .alpha = "α⌊P/2⌋", .beta = "βn⌊P/2⌋", .near = true},
        {.on = "torus", .when = "k = 1", .alpha = "αΣ⌈zᵢ/2⌉", .beta = "βnΣ⌈zᵢ/2⌉", .near = true},
        {.on = "torus", .alpha = "αΣ⌊zᵢ/2⌋", .beta = "βnΣ⌊zᵢ/2⌋", .near = true},
        {.on = "line", .when = "root at an end", .alpha = "α(P−1)", .beta = "βn(P−1)", .near = true},
        {.on = "mesh", .when = "root at a corner", .alpha = "αΣ(zᵢ−1)", .beta = "βnΣ(zᵢ−1)", .near = true},
        {.on = "line", .when = "k = 1", .alpha = "α(max(r, P−1−r)+[2r = P−1])", .beta = "βn(max(r, P−1−r)+[2r = P−1])",
         .near = true},
        {.on = "line", .alpha = "α max(r, P−1−r)", .beta = "βn max(r, P−1−r)", .near = true},
        {.on = "mesh", .when = "k = 1", .alpha = "αΣ(max(rᵢ, zᵢ−1−rᵢ)+[2rᵢ = zᵢ−1])",
         .beta = "βnΣ(max(rᵢ, zᵢ−1−rᵢ)+[2rᵢ = zᵢ−1])", .near = true},
        {.on = "mesh", .alpha = "αΣ max(rᵢ, zᵢ−1−rᵢ)", .beta = "βnΣ max(rᵢ, zᵢ−1−rᵢ)", .near = true}),
    .closed_on     = "line ring mesh torus hypercube",
    .optimal       = "store-forward with all ports, or from a mesh's corner",
    .source        = "Tvrdík, PDP course, one-to-all broadcast in store-and-forward networks",
};
