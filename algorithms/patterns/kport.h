/* SPDX-License-Identifier: MIT */
/* The tree of a scatter, or gather, in which a node sends, or receives, k messages a round: the fewest rounds and
 * words. */
#pragma once

#include "../catalog.h"

enum { KPORT_ROUNDS = 32 };

/* A node's actions in a round: of the relative nodes it represents, from its own on, it keeps those below `kept` and
 * gives the rest, up to `end`, in `bundles` near-equal bundles, each to its first node.  0 bundles: it rests. */
struct kport_round {
    int kept, end, bundles;
};

/* The part of one relative node. */
struct kport {
    int rounds; /* of the whole schedule; round[t] below is round t + 1 */
    int begin;  /* the rounds before its first messages: it got its blocks in the last one; the root has them */
    int parent; /* the relative node it received them from */
    int end;    /* it received those of the relative nodes from itself to this one, exclusive */
    struct kport_round round[KPORT_ROUNDS];
};

void kport_of(struct kport *kport, int nodes, int k, int node);

/* The relative nodes of a round's bundle b, as a span; its first node. */
struct span kport_bundle(const struct kport_round *round, int root, int nodes, int b);

/* Whether some message has more than one block. */
bool kport_combines(int nodes, int k);

/* Add the rounds, k messages of a node at once: k = 1 as the binomial tree; more on a full network. */
void kport_closed(struct closed *sum, int k);
