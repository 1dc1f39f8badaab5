/* SPDX-License-Identifier: MIT */
/* Träff's circulant graph of P nodes: node r has links to r + s_k (mod P), k = 0 .. q-1. */
#ifndef ALGORITHMS_CIRCULANT_H
#define ALGORITHMS_CIRCULANT_H

enum { CIRCULANT_SKIPS = 32 }; /* s_0 .. s_31 are enough for 2^31 nodes */

/* The skips s_q = P, s_k = ⌈s_{k+1}/2⌉, down to s_0 = 1.  Gives q = ⌈log₂P⌉. */
int circulant_skips(int nodes, int skips[CIRCULANT_SKIPS]);

#endif
