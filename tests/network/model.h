/* SPDX-License-Identifier: MIT */
/* Networks once more, as slowly and plainly as the definitions are: coordinates in vectors, wires in a table,
 * distances by breadth-first search, routes one step at a time.  Switches are vertices after the nodes. */
#ifndef TESTS_NETWORK_MODEL_H
#define TESTS_NETWORK_MODEL_H

#include <stdbool.h>

enum { MODEL_MAX = 128, MODEL_DIMENSIONS = 8 };

/* The order in which a route goes; to the lowest next vertex that is on a shortest path. */
enum model_order { MODEL_LAST_FIRST, MODEL_FIRST_FIRST, MODEL_LOWEST };

struct model {
    int kind; /* enum model_kind */
    int nodes, vertices, dimensions;
    int extent[MODEL_DIMENSIONS]; /* the first is the slowest; of a kind that is not a grid, the numbers of its spec */
    bool wire[MODEL_MAX][MODEL_MAX];
    int distance[MODEL_MAX][MODEL_MAX];
};

/* The networks that are tried, each with its kind and the numbers of its specification. */
struct model_case {
    const char *spec;
    int kind; /* enum model_kind */
    int dimensions;
    int extent[MODEL_DIMENSIONS];
};
extern const struct model_case model_cases[];
extern const int model_case_count;

void model_make(struct model *model, const struct model_case *made);

/* The vertices of the route; returns the hops. */
int model_path(const struct model *model, int from, int to, enum model_order order, int *path);

int model_eccentricity(const struct model *model, int source);
int model_wires(const struct model *model);

/* The fewest wires between two halves, over all ways to halve. */
int model_bisection(const struct model *model);

#endif
