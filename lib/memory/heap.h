/* SPDX-License-Identifier: MIT */
/* The memory that the nodes of a watched run allocate and free, by peal_alloc and malloc, and the nodes that do not
 * free it.
 *
 *   thread   one carrier: one node runs at a time */
#pragma once

#include "lib/labels/labels.h"
#include "lib/machine/nodes.h"
#include <peal/check.h>

/* A run begins, without blocks. */
void heap_begin(void);

/* The machine's allocations and frees (struct memory_hooks, lib/machine/hooks.h), and the end of a node. */
void *heap_get(struct node *node, size_t header, size_t bytes, bool zero, bool ours, const char *file, int line);
void heap_put(struct node *node, void *memory);
void heap_frees(struct node *node, void *memory, size_t header, void *pc);
void heap_ended(struct node *node);

/* malloc, C++'s new, and free for the node; a wrong free fails the run. */
void *heap_malloc(struct node *node, size_t bytes, size_t align, bool zero, void *pc);
void *heap_new(struct node *node, size_t bytes, size_t align, void *pc);
void heap_free(struct node *node, void *memory, void *pc);
/* The bytes of a block from malloc; false if it is not ours. */
bool heap_bytes(const void *memory, size_t *bytes);

/* After the run (mpi: of a function for MPI): whether a node did not free memory; then *finding reports it. */
bool heap_leaked(bool mpi, struct peal_finding *finding);
