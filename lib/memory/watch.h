/* SPDX-License-Identifier: MIT */
/* The memory kinds of a check: private-memory, out-of-bounds, buffer-reuse, early-read, uninitialised-send, leak.
 *
 * A user's file is compiled so that each access is a call (lib/program/instrument.h, watched_access.c,
 * library_calls.c); the machine reports posts, waits and blocks (struct memory_hooks, lib/machine/hooks.h).  Both look
 * at one shadow (shadow.h).
 *
 *   thread   one carrier; one machine at a time in a process */
#pragma once

#include "lib/labels/vectors.h"
#include "lib/program/instrument.h"
#include <peal/program.h>

/* Allocate the memory to watch a program on at most `nodes` nodes.  Called before it is loaded.  errors:
 * PEAL_RESOURCES */
enum peal_status watch_prepare(int nodes, struct peal_error *error);

/* Watch a program that is loaded and was compiled in this way; nothing if its accesses are not calls.
 *
 *   owner    borrows file until watch_fini */
void watch_loaded(const struct peal_program_file *file, enum instrument how);
void watch_fini(void);

/* In the next runs nobody may write to this row of words; NULL: all rows may be written.  Borrowed. */
void watch_guard(const struct row *row);

/* Which bytes of the word, at a multiple of 8, were written in the run: one bit per byte; 0 where that is not known. */
unsigned watch_written(const void *word);

/* A run begins on this machine; `data` (NULL: none) are the arrays that nodes are given.  Nothing unless a program is
 * loaded. */
void watch_begin(struct peal_machine *machine, const struct vectors *data);

/* The regions in which messages began in variables of unknown limits. */
struct watch_variables {
    bool frames, globals;
};

/* Those of all runs since watch_prepare. */
struct watch_variables watch_variables(void);

/* ------------------------------------------------------------------ for watched_access.c and library_calls.c */

/* Look at an access of the node that runs here, made at `pc`, before it is made. */
void watch_access(const void *address, size_t bytes, bool write, void *pc);
/* watched_linked.c: look at an access of more than a few bytes, of linked programs, too; does nothing outside of
 * watched runs. */
void watch_range(const void *address, size_t bytes, bool write, void *pc);
/* Look at a text in the same way: the bytes end with its zero. */
void watch_text(const void *address, size_t bytes, bool write, void *pc);
/* Words are copied: unwritten ones stay unwritten. */
void watch_copy(void *to, const void *from, size_t bytes, void *pc);

/* The node that runs here, in a watched run; NULL. */
struct node *watch_node(void);

/* ------------------------------------------------------------------ for watched_linked.c */

/* The node on whose stack the address lies; -1: on none. */
int watch_stack(const struct peal_machine *machine, uintptr_t address);

/* Whether the bytes of the word at this multiple of 8, whose shadow is given, were never written: all of them, or, by
 * their mask, its first or last four. */
bool watch_unwritten(uintptr_t address, uint64_t shadow, uint64_t mask);
