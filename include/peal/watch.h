/* SPDX-License-Identifier: MIT */
/* Watching the memory of linked programs whose accesses are calls (pealcc --watch).
 *
 * The library beneath such a program says which bytes an operation holds.  An access of the program's to a word with
 * such bytes is reported to it: to the bytes themselves, or to others of the same 8 bytes, so it compares exactly. */
#ifndef PEAL_WATCH_H
#define PEAL_WATCH_H

#include <peal/node.h>
#include <stdbool.h>

PEAL_BEGIN

/* Called before the access, by the node that makes it; `pc` is the address that follows it in the code. */
typedef void (*peal_touched)(struct peal_node *me, const void *address, size_t bytes, bool write, const void *pc);

/* Begin to watch a run in which nothing is held yet.  False when no program is loaded whose accesses are calls, or
 * without memory: then the others do nothing.
 *
 *   thread   before the nodes start, and after they have ended                        */
PEAL_API bool peal_watch_begin(peal_touched touched);
PEAL_API void peal_watch_end(void);

/* Count one operation more, or less, that holds the bytes: to write to them, so that the program may not even read
 * them, or to read them.  Without memory they are not watched.
 *
 *   thread   any node                                                                       */
PEAL_API void peal_watch_hold(const void *begin, size_t bytes, bool writes, bool more);

/* Have every access of the program's to the bytes reported, or no longer: once for each time that more are.
 *
 *   thread   any node                                                                       */
PEAL_API void peal_watch_expose(const void *begin, size_t bytes, bool more);

/* ------------------------------------------------------------------ blocks, in strict runs (PEAL_STRICT) */

/* Memory that a linked program has allocated, or a variable of it. */
struct peal_block {
    const char *begin;
    size_t bytes;
    int rank;          /* of the node that allocated it, or has that copy of the variable; -1: none, or all */
    const char *code;  /* the address after its call of malloc: see peal_code_line; NULL for a variable */
    char variable[64]; /* its name, cut if it is longer; "": from malloc */
};

/* Find the block in which the address lies, or behind which it lies, before the next one; false: none that is known. */
PEAL_API bool peal_block_find(struct peal_node *me, const void *address, struct peal_block *block);

/* Write "a block of 64 bytes, which it allocated at rows.c:16, one of 8 alike", or "a, a variable of 16 bytes"; "it" is
 * the node.  Gives the number of blocks of the same size that the same node has from the same line, this one
 * included. */
enum { PEAL_BLOCK_TEXT = 300 };
PEAL_API int peal_block_text(struct peal_node *me, const struct peal_block *block, char text[PEAL_BLOCK_TEXT]);

PEAL_END

#endif
