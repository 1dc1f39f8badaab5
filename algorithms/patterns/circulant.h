/* SPDX-License-Identifier: MIT */
/* Träff's circulant graph of P nodes: node r has links to r + s_k (mod P), k = 0 .. q-1. */
#pragma once

#include "pieces.h"

enum { CIRCULANT_SKIPS = 32 }; /* s_0 .. s_31 are enough for 2^31 nodes */

/* The skips s_q = P, s_k = ⌈s_{k+1}/2⌉, down to s_0 = 1.  Gives q = ⌈log₂P⌉; skips has room for CIRCULANT_SKIPS. */
int circulant_skips(int nodes, int *skips);

/* The graph, and the table that makes its schedules fast: last[e·(q+1) + k] is the greatest node 1 .. s_k - 1 of base
 * e, -1: none. */
struct circulant {
    int nodes, q;
    int skip[CIRCULANT_SKIPS];
    int *last;
};

/* A node's plan of the pipelined broadcast from `root`; in[k] and out[k] are the receive schedules of the node and
 * of the one it sends to.  Piece B-1 comes to a node several times: only the first counts, in round
 * first_in + 1, or first_out[k] + 1. */
struct circulant_plan {
    int nodes, q, pieces, rank, root, shift;
    int skip[CIRCULANT_SKIPS];
    signed char in[CIRCULANT_SKIPS], out[CIRCULANT_SKIPS];
    int first_in, first_out[CIRCULANT_SKIPS];
};

/* Make the plan of node `me`, and the pipeline of it.  Space: 4q(q+1) bytes while it is made. */
struct pipeline circulant_pipeline(struct circulant_plan *plan, struct peal_node *me, int root, int pieces);

/* Its closed form: full network, and hypercubes under ideal switching.  Unknown if the pieces have different lengths
 * unless P is a power of two or below 257. */
void circulant_closed(struct closed *sum, int pieces);

/* Add an upper bound of it. */
void circulant_at_most(struct closed *sum, int pieces);

/* The best number of pieces, exact for P = 2^q; for other P as if P were one. */
int circulant_pieces(const struct peal_situation *situation);

/* The closed forms as text, of the algorithms that use it. */
extern const struct peal_closed_text circulant_block_texts[], circulant_vector_texts[], circulant_texts[];
