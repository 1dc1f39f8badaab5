/* SPDX-License-Identifier: MIT */
/* The loads of routes that go along lines of nodes, a stretch at a time.
 *
 * A route in a grid goes along one line of nodes per dimension, maybe hundreds of links on end.  One more transfer on
 * all links of a stretch is noted at its two ends (one more from here, one less from there); sums over the places in
 * order are then the loads of all links.  The maximum over a stretch is looked up in windows and blocks of places, its
 * sum in sums up to each place.  So a transfer takes the same time however long its route is, and a round some time for
 * each link. */
#pragma once

#include "lib/network/network.h"

/* The load that a transfer meets, over the links of its route. */
struct line_load {
    uint32_t transfers_most; /* k */
    uint64_t transfers_sum;
    uint64_t words_most, words_sum; /* PEAL_VOLUME only */
};

enum {
    LINES_BATCH = 16,
    LINES_SHORT = 6,  /* links of a route that are visited as fast as its stretches */
    LINES_PLACES = 8, /* places are summed up as fast as one link of a route is visited */
};

/* Scratch memory, reused from round to round. */
struct places_load;

/* Create one for a network with places; NULL without memory.  The pricing is borrowed. */
struct places_load *lines_create(const struct peal_pricing *pricing);
void lines_destroy(struct places_load *lines); /* NULL: nothing */

/* Whether this way charges a round faster, if `transfers` transfers have routes of `links` links in all: the links
 * beyond LINES_SHORT per transfer must outweigh the time to sum up the places. */
static inline bool
lines_pay(const struct peal_network *network, size_t transfers, size_t links)
{
    return links > transfers * LINES_SHORT && network->places > 0 &&
           links - transfers * LINES_SHORT > network->places / LINES_PLACES;
}

/* Set hops, and add the loads of one round.  false when words do not fit 63 bits: nothing was added. */
bool lines_load(struct places_load *lines, struct peal_transfer *transfers, size_t count);

/* The loads that the next transfers of that round meet, up to LINES_BATCH of them: from the first on, each once. */
void lines_read(struct places_load *lines, const struct peal_transfer *transfers, size_t count,
                struct line_load *loads);
