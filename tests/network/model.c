/* SPDX-License-Identifier: MIT */
/* The model of networks, computed from the definitions without any of Peal's own formulas. */
#include "tests/network/model.h"
#include <string.h>

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

const struct model_case model_cases[] = {
    {"full", MODEL_FULL, 1, {1}},
    {"full", MODEL_FULL, 1, {2}},
    {"full", MODEL_FULL, 1, {9}},
    {"line:1", MODEL_OPEN, 1, {1}},
    {"line:2", MODEL_OPEN, 1, {2}},
    {"line:3", MODEL_OPEN, 1, {3}},
    {"line:12", MODEL_OPEN, 1, {12}},
    {"line:13", MODEL_OPEN, 1, {13}},
    {"ring:1", MODEL_CLOSED, 1, {1}},
    {"ring:2", MODEL_CLOSED, 1, {2}},
    {"ring:3", MODEL_CLOSED, 1, {3}},
    {"ring:4", MODEL_CLOSED, 1, {4}},
    {"ring:11", MODEL_CLOSED, 1, {11}},
    {"ring:12", MODEL_CLOSED, 1, {12}},
    {"mesh:1x1", MODEL_OPEN, 2, {1, 1}},
    {"mesh:1x5", MODEL_OPEN, 2, {1, 5}},
    {"mesh:5x1", MODEL_OPEN, 2, {5, 1}},
    {"mesh:2x2", MODEL_OPEN, 2, {2, 2}},
    {"mesh:3x3", MODEL_OPEN, 2, {3, 3}},
    {"mesh:3x4", MODEL_OPEN, 2, {3, 4}},
    {"mesh:4x3", MODEL_OPEN, 2, {4, 3}},
    {"mesh:3x5", MODEL_OPEN, 2, {3, 5}},
    {"mesh:2x3x3", MODEL_OPEN, 3, {2, 3, 3}},
    {"mesh:4x2x2", MODEL_OPEN, 3, {4, 2, 2}},
    {"mesh:3x1x4", MODEL_OPEN, 3, {3, 1, 4}},
    {"mesh:3x2x4x2", MODEL_OPEN, 4, {3, 2, 4, 2}},
    {"mesh:6", MODEL_OPEN, 1, {6}},
    {"torus:1x1", MODEL_CLOSED, 2, {1, 1}},
    {"torus:1x6", MODEL_CLOSED, 2, {1, 6}},
    {"torus:2x2", MODEL_CLOSED, 2, {2, 2}},
    {"torus:2x3", MODEL_CLOSED, 2, {2, 3}},
    {"torus:5x2", MODEL_CLOSED, 2, {5, 2}},
    {"torus:7x2", MODEL_CLOSED, 2, {7, 2}},
    {"torus:3x3", MODEL_CLOSED, 2, {3, 3}},
    {"torus:3x4", MODEL_CLOSED, 2, {3, 4}},
    {"torus:3x5", MODEL_CLOSED, 2, {3, 5}},
    {"torus:4x4", MODEL_CLOSED, 2, {4, 4}},
    {"torus:2x3x3", MODEL_CLOSED, 3, {2, 3, 3}},
    {"torus:2x4x2", MODEL_CLOSED, 3, {2, 4, 2}},
    {"torus:5x1x3", MODEL_CLOSED, 3, {5, 1, 3}},
    {"torus:4x4x2", MODEL_CLOSED, 3, {4, 4, 2}},
    {"torus:3x2x4x5", MODEL_CLOSED, 4, {3, 2, 4, 5}},
    {"hypercube:0", MODEL_CUBE, 0, {0}},
    {"hypercube:1", MODEL_CUBE, 1, {2}},
    {"hypercube:2", MODEL_CUBE, 2, {2, 2}},
    {"hypercube:3", MODEL_CUBE, 3, {2, 2, 2}},
    {"hypercube:4", MODEL_CUBE, 4, {2, 2, 2, 2}},
    {"hypercube:6", MODEL_CUBE, 6, {2, 2, 2, 2, 2, 2}},
    {"star:1", MODEL_STAR, 1, {1}},
    {"star:2", MODEL_STAR, 1, {2}},
    {"star:3", MODEL_STAR, 1, {3}},
    {"star:10", MODEL_STAR, 1, {10}},
    {"tree:7x1", MODEL_TREE, 2, {7, 1}},
    {"tree:1x5", MODEL_TREE, 2, {1, 5}},
    {"tree:2x2", MODEL_TREE, 2, {2, 2}},
    {"tree:2x4", MODEL_TREE, 2, {2, 4}},
    {"tree:2x6", MODEL_TREE, 2, {2, 6}},
    {"tree:3x3", MODEL_TREE, 2, {3, 3}},
    {"tree:4x2", MODEL_TREE, 2, {4, 2}},
    {"tree:4x3", MODEL_TREE, 2, {4, 3}},
    {"fattree:2", MODEL_FATTREE, 1, {2}},
    {"fattree:4", MODEL_FATTREE, 1, {4}},
    {"fattree:6", MODEL_FATTREE, 1, {6}},
    {"dragonfly:1x1x1", MODEL_DRAGONFLY, 3, {1, 1, 1}},
    {"dragonfly:1x3x4", MODEL_DRAGONFLY, 3, {1, 3, 4}},
    {"dragonfly:2x1x1", MODEL_DRAGONFLY, 3, {2, 1, 1}},
    {"dragonfly:2x1x5", MODEL_DRAGONFLY, 3, {2, 1, 5}},
    {"dragonfly:2x2x3", MODEL_DRAGONFLY, 3, {2, 2, 3}},
    {"dragonfly:3x1x2", MODEL_DRAGONFLY, 3, {3, 1, 2}},
    {"dragonfly:4x2x2", MODEL_DRAGONFLY, 3, {4, 2, 2}},
    {"dragonfly:5x1x1", MODEL_DRAGONFLY, 3, {5, 1, 1}},
    {"debruijn:1x3", MODEL_DEBRUIJN, 2, {1, 3}},
    {"debruijn:2x1", MODEL_DEBRUIJN, 2, {2, 1}},
    {"debruijn:2x2", MODEL_DEBRUIJN, 2, {2, 2}},
    {"debruijn:2x3", MODEL_DEBRUIJN, 2, {2, 3}},
    {"debruijn:2x7", MODEL_DEBRUIJN, 2, {2, 7}},
    {"debruijn:3x4", MODEL_DEBRUIJN, 2, {3, 4}},
    {"debruijn:4x3", MODEL_DEBRUIJN, 2, {4, 3}},
    {"debruijn:9x2", MODEL_DEBRUIJN, 2, {9, 2}},
    {"debruijn:7x1", MODEL_DEBRUIJN, 2, {7, 1}},
    {"butterfly:0", MODEL_BUTTERFLY, 1, {0}},
    {"butterfly:1", MODEL_BUTTERFLY, 1, {1}},
    {"butterfly:2", MODEL_BUTTERFLY, 1, {2}},
    {"butterfly:4", MODEL_BUTTERFLY, 1, {4}},
};
const int model_case_count = sizeof model_cases / sizeof *model_cases;

/* ------------------------------------------------------------------ coordinates */

static void
unrank(const struct model *model, int rank, int *at)
{
    for (int i = model->dimensions - 1; i >= 0; i--) {
        at[i] = rank % model->extent[i];
        rank /= model->extent[i];
    }
}

static int
rank_of(const struct model *model, const int *at)
{
    int rank = 0;

    for (int i = 0; i < model->dimensions; i++)
        rank = rank * model->extent[i] + at[i];
    return rank;
}

/* ------------------------------------------------------------------ wires of grids */

static bool
grid_wire(const struct model *model, int a, int b)
{
    int at[MODEL_DIMENSIONS], other[MODEL_DIMENSIONS], differing = 0, steps = 0, extent = 0;

    if (model->kind == MODEL_FULL)
        return a != b;
    unrank(model, a, at);
    unrank(model, b, other);
    for (int i = 0; i < model->dimensions; i++)
        if (at[i] != other[i]) {
            differing++;
            steps = at[i] > other[i] ? at[i] - other[i] : other[i] - at[i];
            extent = model->extent[i];
        }
    return differing == 1 && (steps == 1 || (model->kind == MODEL_CLOSED && steps == extent - 1));
}

static void
wire_grid(struct model *model)
{
    model->nodes = 1;
    for (int i = 0; i < model->dimensions; i++)
        model->nodes *= model->extent[i];
    model->vertices = model->nodes;
    for (int a = 0; a < model->nodes; a++)
        for (int b = 0; b < model->nodes; b++)
            model->wire[a][b] = grid_wire(model, a, b);
}

/* ------------------------------------------------------------------ wires of the others */

static void
join(struct model *model, int a, int b)
{
    if (a != b)
        model->wire[a][b] = model->wire[b][a] = true;
}

static void
wire_tree(struct model *model)
{
    int level_begin = 0, level_end = 1;

    model->nodes = 1;
    for (int level = 1; level < model->extent[1]; level++) {
        for (int above = level_begin; above < level_end; above++)
            for (int child = 0; child < model->extent[0]; child++)
                join(model, above, model->nodes++);
        level_begin = level_end;
        level_end = model->nodes;
    }
    model->vertices = model->nodes;
}

static void
wire_fattree(struct model *model)
{
    int k = model->extent[0], half = k / 2, host = 0;
    int edges = k * half * half, aggregations = edges + k * half, core = aggregations + k * half;

    for (int pod = 0; pod < k; pod++)
        for (int edge = 0; edge < half; edge++) {
            for (int port = 0; port < half; port++)
                join(model, host++, edges + pod * half + edge);
            for (int port = 0; port < half; port++)
                join(model, edges + pod * half + edge, aggregations + pod * half + port);
        }
    for (int pod = 0; pod < k; pod++)
        for (int aggregation = 0; aggregation < half; aggregation++)
            for (int port = 0; port < half; port++)
                join(model, aggregations + pod * half + aggregation, core + aggregation * half + port);
    model->nodes = host;
    model->vertices = core + half * half;
}

static void
wire_dragonfly(struct model *model)
{
    int a = model->extent[0], p = model->extent[1], h = model->extent[2], groups = a * h + 1;
    int end[MODEL_MAX][MODEL_MAX]; /* the router of the first group that has a wire to the second */

    model->nodes = groups * a * p;
    model->vertices = model->nodes + groups * a;
    for (int node = 0; node < model->nodes; node++)
        join(model, node, model->nodes + node / p);
    for (int group = 0; group < groups; group++) {
        int used = 0; /* global ports of this group */

        for (int other = 0; other < groups; other++)
            if (other != group)
                end[group][other] = model->nodes + group * a + used++ / h;
        for (int i = 0; i < a; i++)
            for (int j = 0; j < a; j++)
                join(model, model->nodes + group * a + i, model->nodes + group * a + j);
    }
    for (int group = 0; group < groups; group++)
        for (int other = 0; other < group; other++)
            join(model, end[group][other], end[other][group]);
}

static void
wire_debruijn(struct model *model)
{
    int digits = model->extent[0];

    model->nodes = 1;
    for (int i = 0; i < model->extent[1]; i++)
        model->nodes *= digits;
    model->vertices = model->nodes;
    for (int word = 0; word < model->nodes; word++)
        for (int digit = 0; digit < digits; digit++)
            join(model, word, (word * digits + digit) % model->nodes);
}

static void
wire_butterfly(struct model *model)
{
    int d = model->extent[0], rows = 1 << d;

    model->nodes = model->vertices = (d + 1) * rows;
    for (int level = 0; level < d; level++)
        for (int row = 0; row < rows; row++) {
            join(model, level * rows + row, (level + 1) * rows + row);
            join(model, level * rows + row, (level + 1) * rows + (row ^ 1 << (d - 1 - level)));
        }
}

/* ------------------------------------------------------------------ distances */

static void
measure(struct model *model, int source)
{
    int queue[MODEL_MAX], head = 0, tail = 0;

    for (int i = 0; i < model->vertices; i++)
        model->distance[source][i] = -1;
    model->distance[source][source] = 0;
    queue[tail++] = source;
    while (head < tail) {
        int node = queue[head++];

        for (int next = 0; next < model->vertices; next++)
            if (model->wire[node][next] && model->distance[source][next] < 0) {
                model->distance[source][next] = model->distance[source][node] + 1;
                queue[tail++] = next;
            }
    }
}

void
model_make(struct model *model, const struct model_case *made)
{
    memset(model, 0, sizeof *model);
    model->kind = made->kind;
    model->dimensions = made->dimensions;
    memcpy(model->extent, made->extent, sizeof model->extent);
    switch ((enum model_kind)made->kind) {
    case MODEL_FULL:
    case MODEL_OPEN:
    case MODEL_CLOSED:
    case MODEL_CUBE:
        wire_grid(model);
        break;
    case MODEL_STAR:
        model->nodes = model->vertices = made->extent[0];
        for (int node = 1; node < model->nodes; node++)
            join(model, 0, node);
        break;
    case MODEL_TREE:
        wire_tree(model);
        break;
    case MODEL_FATTREE:
        wire_fattree(model);
        break;
    case MODEL_DRAGONFLY:
        wire_dragonfly(model);
        break;
    case MODEL_DEBRUIJN:
        wire_debruijn(model);
        break;
    case MODEL_BUTTERFLY:
        wire_butterfly(model);
        break;
    }
    for (int source = 0; source < model->vertices; source++)
        measure(model, source);
}

int
model_eccentricity(const struct model *model, int source)
{
    int most = 0;

    for (int i = 0; i < model->nodes; i++) /* nodes only: no message ends in a switch */
        most = model->distance[source][i] > most ? model->distance[source][i] : most;
    return most;
}

int
model_wires(const struct model *model)
{
    int wires = 0;

    for (int a = 0; a < model->vertices; a++)
        for (int b = 0; b < a; b++)
            wires += model->wire[a][b];
    return wires;
}

/* ------------------------------------------------------------------ routes */

static int
lowest_path(const struct model *model, int from, int to, int *path)
{
    int hops = 0;

    while (from != to) {
        int next = 0;

        while (!model->wire[from][next] || model->distance[next][to] != model->distance[from][to] - 1)
            next++;
        path[++hops] = from = next;
    }
    return hops;
}

int
model_path(const struct model *model, int from, int to, enum model_order order, int *path)
{
    int at[MODEL_DIMENSIONS], end[MODEL_DIMENSIONS], hops = 0;

    path[0] = from;
    if (order == MODEL_LOWEST)
        return lowest_path(model, from, to, path);
    unrank(model, from, at);
    unrank(model, to, end);
    for (int i = 0; i < model->dimensions; i++) {
        int d = order == MODEL_LAST_FIRST ? model->dimensions - 1 - i : i;
        int extent = model->extent[d], up = 0, down = 0;

        while ((at[d] + up) % extent != end[d])
            up++;
        while ((at[d] - down + extent) % extent != end[d])
            down++;
        bool upwards = model->kind == MODEL_CLOSED ? up <= down : at[d] < end[d];

        while (at[d] != end[d]) {
            at[d] = (at[d] + (upwards ? 1 : extent - 1)) % extent;
            path[++hops] = rank_of(model, at);
        }
    }
    return hops;
}

/* ------------------------------------------------------------------ bisection */

/* Nodes below `node` are dealt out, `dealt` of them to the first half, with `cut` wires between the halves. */
static void
deal(const struct model *model, int node, int dealt, int cut, int *half, int *best)
{
    int to[2] = {0, 0}, sizes[2] = {model->nodes / 2, model->nodes - model->nodes / 2};

    if (cut >= *best)
        return;
    if (node == model->nodes) {
        *best = cut;
        return;
    }
    for (int i = 0; i < node; i++)
        to[half[i]] += model->wire[node][i];
    if (dealt < sizes[0]) {
        half[node] = 0;
        deal(model, node + 1, dealt + 1, cut + to[1], half, best);
    }
    if (node - dealt < sizes[1]) {
        half[node] = 1;
        deal(model, node + 1, dealt, cut + to[0], half, best);
    }
}

int
model_bisection(const struct model *model)
{
    int half[MODEL_MAX], best = MODEL_MAX * MODEL_MAX;

    deal(model, 0, 0, 0, half, &best);
    return best;
}
