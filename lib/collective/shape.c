/* SPDX-License-Identifier: MIT */
/* Networks as closed forms see them: extents, coordinates, and the hops of a shift. */
#include "lib/collective/closed.h"
#include "lib/network/network.h"
#include <string.h>

void
shape_of(struct shape *shape, const struct peal_network *network, int nodes)
{
    static const struct {
        const char *name;
        enum shape_kind kind;
    } kinds[] = {{"full", SHAPE_FULL}, {"line", SHAPE_LINE},   {"ring", SHAPE_RING},
                 {"mesh", SHAPE_MESH}, {"torus", SHAPE_TORUS}, {"hypercube", SHAPE_HYPERCUBE}};
    const char *name = network == NULL ? "full" : peal_network_kind(network);
    int stride = 1;

    shape->kind = SHAPE_OTHER;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(name, kinds[i].name) == 0)
            shape->kind = kinds[i].kind;
    shape->nodes = nodes;
    shape->dimensions = 0;
    if (shape->kind == SHAPE_FULL || shape->kind == SHAPE_OTHER)
        return;

    shape->dimensions = peal_network_extents(network, shape->extent);
    for (int d = shape->dimensions - 1; d >= 0; d--) {
        shape->stride[d] = stride;
        shape->closed[d] = shape->kind == SHAPE_RING || shape->kind == SHAPE_TORUS;
        stride *= shape->extent[d];
    }
}

int
shape_coordinate(const struct shape *shape, int dimension, int rank)
{
    return rank / shape->stride[dimension] % shape->extent[dimension];
}

int
shape_hops(const struct shape *shape, int dimension, int from, int to)
{
    int hops = from < to ? to - from : from - to;

    if (shape->closed[dimension] && shape->extent[dimension] - hops < hops)
        hops = shape->extent[dimension] - hops;
    return hops;
}

bool
shape_powers_of_two(const struct shape *shape, int first)
{
    for (int d = first; d < shape->dimensions; d++)
        if ((shape->extent[d] & (shape->extent[d] - 1)) != 0)
            return false;
    return true;
}

struct matrix
matrix_of(const struct peal_network *network, int nodes)
{
    struct shape shape;
    struct matrix matrix = {.rows = 1};

    shape_of(&shape, network, nodes);
    if (shape.kind == SHAPE_MESH || shape.kind == SHAPE_TORUS) {
        matrix.rows = nodes / shape.extent[shape.dimensions - 1];
    } else if (shape.kind == SHAPE_HYPERCUBE) {
        matrix.rows = 1 << shape.dimensions / 2;
    } else {
        for (int rows = 1; rows <= nodes / rows; rows++)
            if (nodes % rows == 0)
                matrix.rows = rows;
    }
    matrix.columns = nodes / matrix.rows;
    return matrix;
}

/* Adding `shift` is adding its digits, dimension by dimension from the fastest, with a carry.  In a dimension of extent
 * e, a coordinate moves by move = digit + carry: up by `move` without a carry out (if some coordinate allows it, move <
 * e), or down by e - move with one (move > 0).  Coordinates are free, so the carries with the most hops decide.
 *   Of even ranks alone, where the fastest extent is even, that coordinate is e - 2 at most: it goes round if move > 1.
 */
static int
shift_hops(const struct shape *shape, int shift, int down_above)
{
    int best[2] = {0, -1}; /* by carry; -1: that carry is impossible */

    if (shape->kind == SHAPE_FULL)
        return 1;
    for (int d = shape->dimensions - 1; d >= 0; d--) {
        int extent = shape->extent[d], digit = shift / shape->stride[d] % extent;
        int next[2] = {-1, -1};

        for (int carry = 0; carry < 2; carry++) {
            int move = digit + carry;

            if (best[carry] < 0)
                continue;
            if (move < extent) {
                int hops = best[carry] + shape_hops(shape, d, 0, move);
                next[0] = hops > next[0] ? hops : next[0];
            }
            if (move > down_above) {
                int hops = best[carry] + shape_hops(shape, d, extent, move);
                next[1] = hops > next[1] ? hops : next[1];
            }
        }
        down_above = extent > 1 ? 0 : down_above;
        memcpy(best, next, sizeof best);
    }
    return best[0] > best[1] ? best[0] : best[1];
}

int
shape_shift_hops(const struct shape *shape, int shift)
{
    return shift_hops(shape, shift, 0);
}

int
shape_even_shift_hops(const struct shape *shape, int shift)
{
    return shift_hops(shape, shift, 1);
}
