/* SPDX-License-Identifier: MIT */
/* The heap blocks of linked programs in strict and watched runs, from the program's own calls of malloc and its kin, so
 * that peal_block_find (<peal/watch.h>) knows the block in which an address lies.
 *
 * Tables beside the heap say where a block begins, how long it is, and which node's call allocated it.  Blocks that the
 * C library or another library allocates are not known. */
#pragma once

#include <peal/watch.h>
#include <stdint.h>

/* malloc and its kin, for the call at `pc`; align: 0 as malloc's.  In other runs they are the C library's. */
void *blocks_malloc(size_t bytes, size_t align, bool zero, const void *pc);
void *blocks_realloc(void *memory, size_t bytes, const void *pc);
void blocks_free(void *memory, const void *pc);

/* A block that was freed goes back to the C library: it is no longer known. */
void blocks_return(void *memory);

/* Find the block of malloc's in which the address lies, or the nearest one around it; false: none is near. */
bool blocks_near(uintptr_t address, struct peal_block *block);

/* A call of the C library at `pc` accesses memory: report it if that ends beyond the block in which it begins. */
void blocks_look(const void *address, size_t bytes, bool write, const void *pc);
