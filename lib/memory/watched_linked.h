/* SPDX-License-Identifier: MIT */
/* Watching linked programs (<peal/watch.h>): the shadow has only words that operations hold.  Any other word costs
 * a load of the table, so that programs may run on several carriers. */
#pragma once

#include <peal/watch.h>

/* Accesses of the C library's calls in library_calls.c to a linked program's memory, at `pc`. */
void linked_range(const void *address, size_t bytes, bool write, const void *pc);
/* Whether programs are loaded whose accesses are calls. */
bool linked_watched(void);

/* Memory from malloc is freed. */
void linked_freed(void *memory, const void *pc);
