/* SPDX-License-Identifier: MIT */
/* The output that prices on one network and on several share. */
#ifndef PEAL_PRICE_SHOW_H
#define PEAL_PRICE_SHOW_H

#include <peal/tools.h>

/* "scatter/binomial on 8 nodes, m = 4 words a block, root 0" */
void price_show_run(const struct peal_record *run);

/* "hypercube:3, routing ecube, ideal switching", after the label. */
void price_show_machine(const char *label, const struct peal_options *options);

/* Report on standard error what the price ignores. */
void price_show_notes(const struct peal_record *was);

/* T of the record, in units of its own parameters. */
double price_time(const struct peal_record *run);

#endif
