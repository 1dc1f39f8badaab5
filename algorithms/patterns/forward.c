/* SPDX-License-Identifier: MIT */
/* All-to-all in a row of nodes as on a ring: a round passes on all that has not arrived, so messages grow shorter. */
#include "forward.h"
#include <string.h>

struct matrix
matrix_of_node(const struct peal_node *me)
{
    return matrix_of(peal_is_world(me) ? peal_node_network(me) : NULL, peal_size(me));
}

/* Units l .. l+count-1 by place. */
static struct peal_piece
units(const struct peal_node *me, const void *x, size_t words, int l, int count)
{
    size_t word_bytes = peal_word_bytes(me);

    return (struct peal_piece){.data = x == NULL ? NULL : (char *)x + (size_t)l * words * word_bytes,
                               .words = (size_t)count * words};
}

/* After i rounds a node has the z-1-i units that the node i places to its left had for nodes beyond those they have
 * passed, in the order of their places from the right neighbour's on. */
void
forward_round(struct peal_node *me, const struct line *line, const void *in, size_t words, void *out)
{
    int z = line->length, p = line->place;
    void *held = z > 2 ? peal_scratch(me, (size_t)(z - 2) * words) : NULL;
    void *next = z > 2 ? peal_scratch(me, (size_t)(z - 2) * words) : NULL;

    block_copy(me, units(me, out, words, p, 1).data, units(me, in, words, p, 1).data, words);
    for (int i = 0; i < z - 1; i++) {
        struct peal_piece first[2] = {units(me, in, words, p + 1, z - 1 - p), units(me, in, words, 0, p)};
        struct peal_piece later[2] = {units(me, held, words, 0, z - 1 - i), {0}};
        struct peal_piece got[2] = {units(me, out, words, (p - 1 - i + z) % z, 1),
                                    units(me, next, words, 0, z - 2 - i)};
        void *sent = held;

        exchange_pieces(me, i == 0 ? first : later, 2, line->right, got, 2, line->left);
        held = next;
        next = sent;
    }
}

/* A row is an interval of ranks.  On a line it is a line; on a ring too, since ways over the end are shorter only if it
 * is the whole ring; on grids it is the last dimension, on a hypercube a hypercube of its low bits. */
void
closed_rows(struct closed *sum, struct matrix matrix, struct shape *whole)
{
    struct shape *shape = &sum->shape;
    int d = shape->dimensions;

    *whole = *shape;
    if (shape->kind == SHAPE_FULL || matrix.rows == 1)
        return;
    shape->nodes = matrix.columns;
    switch (shape->kind) {
    case SHAPE_LINE:
    case SHAPE_RING:
        shape->kind = SHAPE_LINE;
        shape->extent[0] = matrix.columns;
        shape->closed[0] = false;
        return;
    case SHAPE_MESH:
    case SHAPE_TORUS:
        shape->dimensions = 1;
        shape->extent[0] = matrix.columns;
        shape->closed[0] = shape->closed[d - 1];
        shape->stride[0] = 1;
        shape->kind = shape->closed[0] ? SHAPE_RING : SHAPE_LINE;
        return;
    case SHAPE_HYPERCUBE:
        shape->dimensions = d - d / 2;
        memmove(shape->stride, shape->stride + d / 2, (size_t)shape->dimensions * sizeof shape->stride[0]);
        return;
    case SHAPE_FULL:
    case SHAPE_OTHER:
        sum->known = false;
    }
}
