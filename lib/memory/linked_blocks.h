/* SPDX-License-Identifier: MIT */
/* The heap blocks of linked programs in strict and watched runs, from the program's own calls of malloc and its kin, so
 * that peal_block_find (<peal/watch.h>) knows the block in which an address lies.
 *
 * Tables beside the heap say where a block begins, how long it is, and which node's call allocated it.  Blocks that the
 * C library or another library allocates are not known. */
#pragma once

#include <peal/watch.h>
#include <stdint.h>

/* linked_heap.c: malloc and its kin, for the call at `pc`; align: 0 as malloc's.  In other runs they are the C
 * library's. */
void *blocks_malloc(size_t bytes, size_t align, bool zero, const void *pc);
void *blocks_realloc(void *memory, size_t bytes, const void *pc);
void blocks_free(void *memory, const void *pc);

/* linked_heap.c: begin to keep blocks if the run asks for it, and tell whether they are kept.  Then: the function for
 * calls of this name that no longer go to the C library, beside those of library_calls.c; NULL: none. */
bool linked_heap_begins(void);
void *linked_heap_address(const char *name);

/* Begin to keep blocks: in watched runs with more room behind each; where `roomy` the allocator itself leaves some.
 * False without memory.  Then whether they are kept, and the bytes that malloc is asked for beside a block's. */
bool blocks_begin(bool watched, bool roomy);
bool blocks_are_kept(void);
extern size_t blocks_added;

/* Note a block, which `from` has allocated for the call at `pc`; a thread that sees its bit sees its size and call. */
enum { FROM_MALLOC = 1 << 30, FROM_MMAP = 1 << 29 };
void blocks_add(void *memory, size_t bytes, uint32_t from, const void *pc);
/* Forget a block, and its shadow, too; false: it was not known. */
bool blocks_drop(const void *memory);
void blocks_forget(const struct peal_block *block);
/* Forget the blocks that begin there: another library may have freed them. */
void blocks_clear(uintptr_t begin, uintptr_t end);

/* Find the block from malloc that contains an address (or ends right before it); the block that begins there. */
bool blocks_find(const void *of, struct peal_block *block);
bool blocks_find_whole(const void *begin, struct peal_block *block);

/* A block that was freed goes back to the C library: it is no longer known. */
void blocks_return(void *memory);

/* Find the block from malloc in which the address lies, or the nearest one around it; false: none is near. */
bool blocks_near(uintptr_t address, struct peal_block *block);

/* A call of the C library at `pc` accesses memory: report it if that ends beyond the block in which it begins. */
void blocks_look(const void *address, size_t bytes, bool write, const void *pc);
