/* SPDX-License-Identifier: MIT */
/* Pipelines: a vector cut into pieces that follow one another, one per round, through a tree or graph.
 *
 * A pipelined broadcast is described round by round, as one node sees it; in reverse, it is a reduce. */
#pragma once

#include "../catalog.h"

enum { PIECES_MAX = 1 << 28 }; /* so that rounds are an int */

/* Piece j of n words in b pieces, of which the first n mod b have one word more. */
struct peal_piece piece_of(const struct peal_node *me, const void *x, size_t n, int b, int j);

/* The pieces l .. r-1, which are neighbours. */
struct peal_piece pieces_of(const struct peal_node *me, const void *x, size_t n, int b, int l, int r);

/* A node's actions in one round of a broadcast: send piece `out` to dest, and receive piece `in` from source.  A peer
 * of -1 is none.  In a reduce, all messages go the other way; `left`: those from dest are then of lower ranks. */
struct piece_step {
    int dest, out, source, in;
    bool left;
};

/* One node's part of a pipelined broadcast: step(plan, t) is its step in round t + 1 of `rounds`, not empty only for t
 * in first .. end-1. */
struct pipeline {
    int pieces, rounds, first, end;
    struct piece_step (*step)(const void *plan, int t);
    const void *plan; /* the node's */
};

/* Broadcast the n words of a.  Nodes rest if they would run ahead, so the rounds are those of the plan. */
void pipeline_broadcast(struct peal_node *me, void *a, size_t n, const struct pipeline *pipeline);

/* Reduce, a broadcast in reverse: a of the root becomes the combination of all, the others' stay unchanged.  Space: a
 * node that receives needs n words (the root none) and one piece. */
void pipeline_reduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root,
                     const struct pipeline *pipeline);

/* The pieces that cross one edge of a tree: piece, piece + skip, .., count of them, in rounds round + 1,
 * round + 1 + every, .. */
struct stream {
    int peer;
    int round, every, piece, skip, count;
    bool left;
};

/* The plan of a node in one tree or several.  (At most one stream in and one out may have a piece in any round.) */
struct streams {
    int in_count, out_count;
    struct stream in[3], out[3];
};

/* The pipeline of a node's streams. */
struct pipeline streams_pipeline(const struct streams *streams, int pieces, int rounds);

/* The number of pieces b that costs least if b pieces take c + s·b rounds of ⌈n/b⌉ words, or ⌊n/b⌋ when no longer piece
 * is in transit: the least (c + sb)α + (sn + c⌈n/b⌉)β, exactly, and the fewest pieces with that time. */
int pieces_best(const struct peal_situation *situation, int64_t c, int64_t s);

/* The best number of pieces if b pieces of more than one length take a word more. */
int pieces_best_even(const struct peal_situation *situation, int64_t c, int64_t s);

/* Add those rounds: messages that go one hop and share no link. */
void closed_add_pieces(struct closed *sum, int b, int64_t c, int64_t s);
