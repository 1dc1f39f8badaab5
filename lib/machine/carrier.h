/* SPDX-License-Identifier: MIT */
/* Carriers: each runs the nodes of its list, one after another. */
#pragma once

#include "lib/machine/nodes.h"

struct peal_machine;

/* A carrier's share of the phase: indices next .. end of machine->phase.runnable, as next << 32 | end.  The carrier
 * takes from the front, the monitor from the back; both by compare-and-swap. */
struct carrier {
    _Alignas(128) _Atomic uint64_t span;
    _Atomic bool busy; /* started in this phase, and not yet at the end of its list */
    _Atomic(struct node *) current;
    struct node *first; /* the first of its list in this phase */
    /* of the nodes that parked in this phase */
    uint32_t states;          /* a bit for each enum node_state that one of them is in */
    bool printed;             /* one did */
    int64_t operations;       /* the largest number that one of them declared */
    struct outsider *outside; /* its nodes that wait for their processes, the first to come first; NULL: none */
    struct peal_machine *machine;
    int core; /* the core it is pinned to; -1: none */
    int index;
    uint32_t free_request;          /* a list through `next` */
    uint32_t block_next, block_end; /* request numbers of its own, never used yet */
};

/* The carrier's list is at its end.  Makes the round if it was the last; gives its next node, NULL: it rests. */
struct node *carrier_end(struct carrier *carrier);
/* Run the node's program from entry to end; the engine calls it on the node's own stack. */
void node_main(struct node *node);
/* Run it on the caller's stack, for a node with its own process; open requests are left to the caller. */
enum node_exit node_run_alone(struct node *node);
/* The node's program is over, in this way. */
void node_end(struct node *node, enum node_exit way);
/* Begin the first phase; returns at once. */
void machine_begin(struct peal_machine *machine);

/* Spread the rest of a long phase over more carriers: called now and then by the thread that waits for the end. */
void machine_rebalance(struct peal_machine *machine, int64_t phase_nanoseconds);
/* Free what the node has, except its blocks.  Forget all of it without freeing, since its lists can no longer be
 * followed. */
void node_clear(struct node *node);
void node_forget(struct node *node);
