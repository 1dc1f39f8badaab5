/* SPDX-License-Identifier: MIT */
/* Watching linked programs (<peal/watch.h>): the shadow has only what operations hold, and a word of which nothing is held costs
 * a load of the table, so that programs may run on several carriers. */
#ifndef LIB_WATCH_LINKED_H
#define LIB_WATCH_LINKED_H

#include <peal/watch.h>

/* What the calls of the C library in calls.c do to a linked program's memory, at `pc`. */
void linked_range(const void *address, size_t bytes, bool write, const void *pc);
/* Memory from malloc is given back. */
void linked_freed(void *memory, const void *pc);

#endif
