/* SPDX-License-Identifier: MIT */
/* Trees for whole vectors: a node receives once and then sends to others, one per round.  In reverse it is a reduce. */
#pragma once

#include "../catalog.h"

enum { SPREAD_MAX = 64 }; /* messages of one node: Σ⌈log₂zᵢ⌉ is below it */

/* One node's part of a broadcast that takes this many rounds. */
struct spread {
    int rounds;
    int source, heard; /* the sender, and t of its round t + 1; -1 for the root */
    int count;
    struct message {
        int dest, round;
    } sends[SPREAD_MAX]; /* in the order of the rounds; `round` is t in round t + 1 */
};

/* Broadcast the n words of a. */
void spread_broadcast(struct peal_node *me, void *a, size_t n, const struct spread *spread);

/* Combine them in reverse; the vector of a higher rank is the right operand.  Space: 2n words at an inner node, n at
 * the root. */
void spread_reduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root,
                   const struct spread *spread);

/* Along a ring of z, from position 0 (ring-optimal): the first message goes back, to position z-1; both halves are
 * halved from their outer ends, the smaller part kept.  All rings of a ring network or torus, dimension by
 * dimension. */
void spread_on_rings(struct spread *spread, const struct peal_network *network, int root, int rank);
void spread_on_rings_closed(struct closed *sum);

/* Binomial trees, far-first, along the rows (the fastest dimension) and then along the columns of a grid, or along the
 * columns first: a mesh, torus or hypercube is its own grid; other networks use a grid as square as P allows. */
enum grid_order { ROWS_FIRST, COLUMNS_FIRST };
void spread_on_grid(struct spread *spread, const struct peal_network *network, int nodes, int root, int rank,
                    enum grid_order order);
void spread_on_grid_closed(struct closed *sum, enum grid_order order);

/* The Bine tree of P = 2^q nodes: in step s = q-1 .. 0, every node that has the words sends them over |1 -
 * (-2)^(s+1)|/3 ranks, even numbers one way and odd ones the other. */
void spread_bine(struct spread *spread, int nodes, int root, int rank);
void spread_bine_closed(struct closed *sum);

/* The closed forms as text, of the algorithms that use it. */
extern const struct peal_closed_text ring_optimal_texts[], bine_vector_texts[];

/* Rows for tables: trees along the dimensions of a mesh, torus or hypercube; on a full network those of its matrix. */
extern const struct peal_closed_text grid_texts[];
