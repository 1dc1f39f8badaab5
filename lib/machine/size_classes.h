/* SPDX-License-Identifier: MIT */
/* Memory of the machine's own, apart from the heap, which programs share and may damage: for what ends a run, and what
 * is reported of it.  Blocks are never given back to the system, but used again. */
#pragma once

#include <stddef.h>

/* Allocate, aligned as malloc does; NULL without memory. */
void *own_alloc(size_t bytes);
void own_free(void *memory);
/* Allocate whole pages, all zero; NULL without memory.  Some are kept when they are unmapped; own_forget gives them
 * back to the system. */
void *own_pages(size_t bytes);
void own_unmap(void *memory, size_t bytes);
void own_pages_forget(void);
