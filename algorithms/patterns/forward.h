/* SPDX-License-Identifier: MIT */
/* All-to-all inside rows of nodes: the two steps of a mesh. */
#pragma once

#include "../catalog.h"

/* The nodes as a matrix: matrix_of (closed.h), of all nodes or of a group. */
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
