/* SPDX-License-Identifier: MIT */
/* A recorded run on several networks: a line or a row of values each, the best first. */
#ifndef PEAL_PRICE_SEVERAL_H
#define PEAL_PRICE_SEVERAL_H

#include "options/options.h"
#include <peal/tools.h>

/* Price the run on each of the networks (at least one), and show or write them.  One that does not fit the number of
 * nodes, or has no such routing, is listed as such after the others.
 *
 *   errors   PEAL_USAGE when a network is invalid for any number of nodes (its name, its numbers), or none fits;
 *            PEAL_RESOURCES; errors of writing the file of --csv  */
enum peal_status price_several(const struct command_request *request, const struct peal_record *was,
                               const struct peal_options *on, char *const *specs, size_t spec_count,
                               struct peal_error *error);

#endif
