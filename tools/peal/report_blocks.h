/* SPDX-License-Identifier: MIT */
/* What the nodes of a run hold after each round, for its page. */
#ifndef PEAL_REPORT_BLOCKS_H
#define PEAL_REPORT_BLOCKS_H

#include <peal/trace.h>

/* Give the "blocks" of a page as JSON, by making the run once more on labels; NULL, and in `why` a sentence, where it cannot be
 * told.  owner: the caller frees it */
char *report_blocks(const struct peal_record *run, char why[200]);

#endif
