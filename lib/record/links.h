/* SPDX-License-Identifier: MIT */
/* The links that a run used, each known by its ends. */
#ifndef LIB_TRACE_LINKS_H
#define LIB_TRACE_LINKS_H

#include <peal/network.h>
#include <stddef.h>
#include <stdint.h>

/* A link that was used, with its words in the current and in the last round. */
struct link {
    int from, to;
    uint32_t capacity;
    uint64_t words;
    uint64_t transfers, last_transfers;
};

struct links {
    struct link *links; /* in the order of their first use */
    size_t count, room;
    uint32_t *table; /* a hash of numbers of links + 1 by their ends, at most half full */
    size_t table_size;
};

/* Find the link between two vertices of the network, or add it; NULL without memory.  It stays at its address until the
 * next one is added. */
struct link *links_use(struct links *links, const struct peal_network *network, int from, int to);
void links_fini(struct links *links);

#endif
