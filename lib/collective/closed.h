/* SPDX-License-Identifier: MIT */
/* Adding up closed forms: exact charges, derived round by round from P, sizes and the network's kind and extents. */
#pragma once

#include <peal/author.h>

enum shape_kind { SHAPE_FULL, SHAPE_LINE, SHAPE_RING, SHAPE_MESH, SHAPE_TORUS, SHAPE_HYPERCUBE, SHAPE_OTHER };

/* A network as the closed forms see it: rank = Σ coordinate · stride, the first dimension is the slowest. */
struct shape {
    enum shape_kind kind;
    int nodes;
    int dimensions;
    int extent[PEAL_MAX_DIMENSIONS];
    int stride[PEAL_MAX_DIMENSIONS];
    bool closed[PEAL_MAX_DIMENSIONS]; /* the dimension is a ring */
};

void shape_of(struct shape *shape, const struct peal_network *network, int nodes);

/* The coordinate of a rank; the hops between two coordinates of a dimension. */
int shape_coordinate(const struct shape *shape, int dimension, int rank);
int shape_hops(const struct shape *shape, int dimension, int from, int to);

/* Whether every extent from dimension `first` on is a power of two. */
bool shape_powers_of_two(const struct shape *shape, int first);

/* P nodes as `rows` rows of `columns`: node r is in row r / columns. */
struct matrix {
    int rows, columns;
};

/* The last dimension of a mesh or torus makes the rows, and half of the dimensions of a hypercube; otherwise as square
 * as possible, with no more rows than columns.  network NULL: any. */
struct matrix matrix_of(const struct peal_network *network, int nodes);

/* A sum of rounds. */
struct closed {
    const struct peal_situation *situation;
    struct shape shape; /* of the nodes; SHAPE_OTHER on shared hosts, and full where all are on one */
    struct shape hosts; /* if every host has equally many nodes, per_host; else per_host is 0 */
    int per_host;
    bool cyclic, one_host; /* in cyclic order, else in block order; all nodes on one host, without hops */
    struct peal_cost cost;
    bool known;     /* there is a closed form so far, and it fits in 64 bits */
    bool too_large; /* there is one, but it does not fit */
};

/* Give an empty sum.  Unknown under eager delivery, `--routing best`, ports that change the schedule, and on
 * networks whose routes are not derived here. */
struct closed closed_of(const struct peal_situation *situation, enum peal_posts posts);

/* Add `rounds` rounds in which no two messages share a link: the longest has `words`, the farthest goes `hops`, and the
 * largest product of a message's words and hops is `word_hops`. */
void closed_add(struct closed *sum, int64_t rounds, int64_t words, int64_t hops, int64_t word_hops);

/* Add such rounds in which one message is both the longest and the farthest. */
void closed_add_same(struct closed *sum, int64_t rounds, int64_t words, int64_t hops);

/* Add `rounds` rounds of which only the load is known: the sum over them of the longest message times the number of
 * messages.  All may share a link, and go as far as the diameter.  The sum is then an upper bound. */
void closed_add_at_most(struct closed *sum, int64_t rounds, int64_t load);

/* Give the sum; false if it is unknown, with an uncounted cost if it is only too large (peal_cost_counted). */
bool closed_end(const struct closed *sum, struct peal_cost *cost);

/* Add the cost of another algorithm on `words` words: a phase that begins when the one before has ended on every
 * node. */
void closed_add_phase(struct closed *sum, const struct peal_algorithm *algorithm, size_t words, int root);

/* a · b; the sum becomes unknown if it does not fit. */
int64_t closed_product(struct closed *sum, int64_t a, int64_t b);

/* The number of messages a node can send in a round: its ports, at most one for each other node; with `ports all` every
 * other node's on a full network, else 1. */
int closed_ports(const struct peal_situation *situation);

/* The size of the situation, as a signed number. */
int64_t closed_words(struct closed *sum);

/* P-1 rounds in which every node sends a part of n words in P parts to the next rank, with all parts in transit. */
void closed_add_ring(struct closed *sum, int64_t n);

/* Rounds in which every node sends up to `words` words to the next rank; under store-forward, exactly as many. */
void closed_add_ring_rounds(struct closed *sum, int64_t rounds, int64_t words);

/* A round in which every node sends `words` words `by` ranks on, round the end; by in 1 .. P-1. */
void closed_add_shift(struct closed *sum, int by, int64_t words);

/* A shift without the wrap: rank r sends to r + by if that is a rank.  Unknown in more than one dimension. */
void closed_add_climb(struct closed *sum, int by, int64_t words);

/* A round of equal messages: a link carries up to k of them, and the farthest goes `hops`.  The messages on the links
 * of a route, link by link, add up to `route` at most; 0: not derived, then unknown under store-forward if k > 1. */
void closed_add_shared(struct closed *sum, int64_t words, int64_t k, int64_t hops, int64_t route);

/* That sum where c neighbours in a line send h hops on, and no other node sends. */
int64_t closed_round_load(int64_t c, int64_t h);

/* A round in which every node exchanges `words` words with the node whose rank differs in the bits of `bits`; nodes
 * without such a partner rest.  If an extent is not a power of two, known only on full networks, and for one bit on
 * lines and rings. */
void closed_add_xor(struct closed *sum, int bits, int64_t words);

/* Such a round for one bit, in which only the nodes with that bit set send, or only the others. */
void closed_add_half_xor(struct closed *sum, int bit, int64_t words);

/* A round in which nothing is known to share a link and distances are not derived: known on a full network only. */
void closed_add_full(struct closed *sum, int64_t rounds, int64_t words);

/* The parameter of the algorithm: the situation's, or the one it would choose. */
int closed_parameter(const struct peal_situation *situation, int (*choose)(const struct peal_situation *situation));

/* Declare that the messages of the rounds differ in length; the words given are those of the longest: known where no
 * exchange or shift shares a link, on full networks and (except under store-forward) on hypercubes. */
void closed_uneven(struct closed *sum);

/* Declare that messages bundle blocks: unknown where the noncombining machine refuses that. */
void closed_bundles(struct closed *sum);

/* P-1 messages between the root and each other node, one per round. */
void closed_add_linear(struct closed *sum);

/* The most hops between rank r and rank (r + shift) mod P, over all r. */
int shape_shift_hops(const struct shape *shape, int shift);

/* The most hops of a shift over all even r; P is even, and so is the fastest extent that is not 1. */
int shape_even_shift_hops(const struct shape *shape, int shift);
