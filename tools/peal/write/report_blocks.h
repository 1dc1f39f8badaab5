/* SPDX-License-Identifier: MIT */
/* The data that the nodes of a run hold after each round, for its page. */
#ifndef PEAL_REPORT_BLOCKS_H
#define PEAL_REPORT_BLOCKS_H

#include <peal/trace.h>

/* Give the "blocks" of a page as JSON, by repeating the run on labels; NULL, and a sentence in `why`, where they are
 * unknown.  owner: the caller frees it */
char *report_blocks(const struct peal_record *run, char why[200]);

#endif
