/* SPDX-License-Identifier: MIT */
/* The problem of a search: chunks with their sources and destinations, the messages that may be sent, and their links.
 *
 * Gather, reduce and reduce-scatter are searched backwards in time: as scatter, broadcast and all-gather on the
 * reversed network, in which a message from u to v uses the links of the route from v to u. */
#pragma once

#include "lib/synthesis/synthesis.h"

struct chunk {
    int source;
    uint64_t wanted; /* the nodes that want it and lack it, a bit each */
};

/* A message that may be sent in a step.  Copies of a pair are parallel messages. */
struct problem_message {
    int from, to, copy;
    int first, last;        /* the link by which it leaves and the one by which it arrives */
    int route, route_count; /* its links are route[route .. route + route_count) of the problem */
};

struct problem_link {
    int from, to; /* vertices */
    int capacity;
    int reverse; /* the link of the other direction; -1 */
};

struct problem {
    struct peal_synthesis asked;
    enum peal_collective primal; /* broadcast, scatter, all-gather or all-to-all */
    bool reversed;
    bool spread; /* a message is spread over the wires of its links: a link is charged ⌈chunks/capacity⌉ */
    bool split;  /* the chunks on a link in a step are as many messages as its capacity allows, as equal as can be */
    int nodes;
    struct chunk *chunks;
    int chunk_count;
    struct problem_message *messages;
    int message_count;
    struct problem_link *links;
    int link_count;
    int *route;
    int route_count;
};

/* Fill it in from `asked`.
 *
 *   errors   as peal_synthesize: a request that is not supported; no memory */
enum peal_status problem_init(struct problem *problem, const struct peal_synthesis *asked, struct peal_error *error);
void problem_fini(struct problem *problem);

/* A move's chunk has the same number in the request and in the problem. */

/* Find the cut that bounds the rounds most; false: there is none. */
bool problem_cut(const struct problem *problem, struct peal_synthesis_cut *cut);

/* The class of each ordered pair of nodes (from·P + to) under the symmetries of the problem: its first pair.
 *
 *   owner    the caller frees it; NULL without memory */
int *problem_pair_classes(const struct problem *problem);
