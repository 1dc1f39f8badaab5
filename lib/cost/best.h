/* SPDX-License-Identifier: MIT */
/* --routing best: minimal routes of a round's transfers, chosen together so that the round's β is as small as possible.
 *
 * Routes are minimal by hops, switches included.  Whatever the pricing, the objective is the round's own β charge: max
 * n·k; under PEAL_VOLUME the most words on a link; under PEAL_STORE_FORWARD the sum over a route's links instead of the
 * most.
 *
 * Exact: with at most BEST_TRANSFERS transfers that take a route, each with at most BEST_ROUTES minimal ones, no choice
 * has a lower objective.  Of the choices that are as good, it is the lexicographically smallest, the transfers in the
 * order of admission, the routes of each in the order of their vertices (nodes by rank, then the switches).
 *
 * Heuristic, for all other rounds: see best.c.  Never above the topology's own routing; the same for the same round.
 *
 * Rounds of more than BEST_HOPS hops in total keep the topology's own routes. */
#pragma once

#include "lib/network/network.h"

enum { BEST_TRANSFERS = 8, BEST_ROUTES = 24, BEST_HOPS = 1 << 21 };

/* Scratch memory, reused from round to round. */
struct best;

/* Create one for a network with more than one minimal route; NULL without memory.  The pricing is borrowed. */
struct best *best_create(const struct peal_pricing *pricing);
void best_destroy(struct best *best); /* NULL: nothing */

/* Set hops and choose the routes; gives the links of all transfers one after the other, in best's memory until the next
 * call, and their number.  *routes is NULL when the topology's own are to be taken.
 *
 *   errors   false without memory */
bool best_choose(struct best *best, struct peal_transfer *transfers, size_t count, const uint32_t **routes,
                 size_t *links);
