/* SPDX-License-Identifier: MIT */
/* The output that prices on one network and on several share. */
#pragma once

#include "options/options.h"

/* "scatter/binomial on 8 nodes, m = 4 words a block, root 0", the algorithm by the name that `what` has. */
void price_show_run(const struct peal_record *run, const char *what);

/* "hypercube:3, routing ecube, ideal switching", after the label. */
void price_show_machine(const char *label, const struct peal_options *options);

/* Report on standard error what the price ignores. */
void price_show_notes(const struct peal_record *was);

/* T of the record, in units of its own parameters. */
double price_time(const struct peal_record *run);

/* Price the run on each of the networks (at least one), and show or write them.  One that does not fit the number of
 * nodes, or has no such routing, is listed as such after the others.
 *
 *   errors   PEAL_USAGE when a network is invalid for any number of nodes (its name, its numbers), or none fits;
 *            PEAL_RESOURCES; errors of writing the file of --csv  */
enum peal_status price_several(const struct command_request *request, const struct peal_record *was,
                               const struct peal_options *on, char *const *specs, size_t spec_count,
                               struct peal_error *error);
