/* SPDX-License-Identifier: MIT */
/* The part of a spec after the colon: numbers separated by x, and whether their product is the machine's nodes. */
#pragma once

#include "lib/network/network.h"

/* Read "3x4x2" into network->extent and dimensions; write the name.
 *
 *   shape    at least `fewest` numbers, at most `most`, each at least `smallest`
 *   errors   PEAL_USAGE for anything else, with the form the topology has         */
enum peal_status extents_read(struct peal_network *network, const char *text, int fewest, int most, int smallest,
                              struct peal_error *error);

/* Fill network->extent, dimensions and name of a grid from text, or, when that is NULL, as square as possible.
 *
 *   shape    exactly `dimensions` numbers; 0: any number of them, two when chosen here
 *   errors   as extents_read; PEAL_USAGE when the product is not network->nodes, with what would be */
enum peal_status extents_of_grid(struct peal_network *network, const char *text, int dimensions,
                                 struct peal_error *error);

/* Write the name, "mesh:3x4", from the extents. */
void extents_name(struct peal_network *network);

/* Specs that would make the machine's nodes, for the message; zeroed is empty.  Only the first three are kept. */
struct fits {
    char text[300];
    int count;
};
void fits_add(struct fits *fits, const struct peal_network *network, const int *extents, int dimensions);

/* Refuse the network's extents, which make `size` nodes (0: none were typed; above INT_MAX: very many), and name those
 * that fit.
 *
 *   errors   PEAL_USAGE always */
enum peal_status fits_refuse(const struct fits *fits, const struct peal_network *network, uint64_t size,
                             struct peal_error *error);
