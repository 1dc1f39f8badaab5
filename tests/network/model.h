/* SPDX-License-Identifier: MIT */
/* Networks once more, as slowly and plainly as the definitions are: coordinates in vectors, wires in a table,
 * distances by breadth-first search, routes one step at a time.  Switches are vertices after the nodes. */
#ifndef TESTS_NETWORK_MODEL_H
#define TESTS_NETWORK_MODEL_H

#include <stdbool.h>

enum { MODEL_MAX = 128, MODEL_DIMENSIONS = 8 };

enum model_kind {
    MODEL_FULL,
    MODEL_OPEN,
    MODEL_CLOSED,
    MODEL_CUBE, /* as many extents of two as it has dimensions */
    MODEL_STAR,
    MODEL_TREE,
    MODEL_FATTREE,
    MODEL_DRAGONFLY,
    MODEL_DEBRUIJN,
    MODEL_BUTTERFLY
};

/* The order in which a route goes; to the lowest next vertex that is on a shortest path. */
enum model_order { MODEL_LAST_FIRST, MODEL_FIRST_FIRST, MODEL_LOWEST };

struct model {
    enum model_kind kind;
    int nodes, vertices, dimensions;
    int extent[MODEL_DIMENSIONS]; /* the first is the slowest; of a kind that is not a grid, the numbers of its spec */
    bool wire[MODEL_MAX][MODEL_MAX];
    int distance[MODEL_MAX][MODEL_MAX];
};

/* Make it from its kind and extents. */
void model_make(struct model *model, enum model_kind kind, int dimensions, const int *extent);

/* The vertices of the route; returns the hops. */
int model_path(const struct model *model, int from, int to, enum model_order order, int *path);

int model_eccentricity(const struct model *model, int source);
int model_wires(const struct model *model);

/* The fewest wires between two halves, over all ways to halve. */
int model_bisection(const struct model *model);

#endif
