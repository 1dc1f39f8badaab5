/* SPDX-License-Identifier: MIT */
/* All-to-all inside rows of nodes: the two steps of a mesh, and the grid of a machine. */
#ifndef ALGORITHMS_FORWARD_H
#define ALGORITHMS_FORWARD_H

#include "closed.h"

/* P nodes as `rows` rows of `columns`: node r is in row r / columns. */
struct matrix {
    int rows, columns;
};

/* The last dimension of a mesh or torus makes the rows, and half of the dimensions of a hypercube; otherwise as square
 * as possible, with no more rows than columns.  network NULL: any. */
struct matrix matrix_of(const struct peal_network *network, int nodes);
struct matrix matrix_of_node(const struct peal_node *me);

/* The nodes of a row or column as a ring, seen from one of them. */
struct line {
    int length, place, left, right;
};

/* Every node of the line has a unit of `words` words for each, by place, in `in`; `out` gets one from each.  They
 * travel round the ring to the right, all that have not arrived together.  length - 1 rounds. */
void forward_round(struct peal_node *me, const struct line *line, const void *in, size_t words, void *out);

/* Replace the network's shape by that of a row, and save it in *whole.  Unknown if rows are not lines, rings or
 * hypercubes of the network's links. */
void closed_rows(struct closed *sum, struct matrix matrix, struct shape *whole);

#endif
