/* SPDX-License-Identifier: MIT */
/* Maximum flows in undirected networks of capacities. */
#ifndef LIB_COLLECTIVE_FLOW_H
#define LIB_COLLECTIVE_FLOW_H

#include <peal/network.h>

struct flow;

/* Make one for the vertices and links of a network, and an extra source; NULL without memory. */
struct flow *flow_create(const struct peal_network *network);
void flow_destroy(struct flow *flow); /* NULL: nothing */

/* Find the maximum flow to `sink` if every link has `scale` times its capacity and the source a link of capacity
 * weights[v] to every node v; and the vertices on the source's side of a minimum cut.  All sums must fit in 63 bits. */
int64_t flow_run(struct flow *flow, int64_t scale, const int64_t *weights, int sink, bool *source_side);

#endif
