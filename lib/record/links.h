/* SPDX-License-Identifier: MIT */
/* The links that a run used, each known by its ends. */
#pragma once

#include "lib/base/map.h"
#include "lib/base/private.h"
#include <peal/network.h>

/* A link that was used: what a caller adds up. */
struct link {
    int from, to;
    uint32_t capacity;
    uint64_t words;
    uint64_t transfers, last_transfers; /* in the current and in the last round */
    uint64_t hottest;                   /* rounds in which it was the hottest */
};

struct links {
    struct link *links; /* in the order of their first use */
    size_t count, room;
    struct map by_ends;
};

/* Find the link between two vertices of the network, or add it; NULL without memory.  It stays at its address until the
 * next one is added. */
PEAL_PRIVATE struct link *peal_links_use(struct links *links, const struct peal_network *network, int from, int to);
PEAL_PRIVATE void peal_links_fini(struct links *links);
