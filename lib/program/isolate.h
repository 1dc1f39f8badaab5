/* SPDX-License-Identifier: MIT */
/* Object files that are linked together and share only the given names: the judge and the judged part.
 *
 * In one object file a static function may have the assembler name of any library function, and two files that are
 * linked as usual bind each other's globals.  So each is compiled separately.  Before they are linked, every name that
 * one of them defines and need not share is replaced by a random one: the linker knows it, but the sources, compiled
 * before, cannot contain it.  Local names (statics) cannot be bound from another object file anyway. */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

/* The rules of binding.  Names are separated by newlines; NULL: none. */
struct isolation {
    const char *shared;   /* names it keeps for the other object file, which are not exported any further */
    const char *exported; /* names it keeps for all */
    const char *foreign;  /* names it may not take from elsewhere: the linker then lacks "NAME of the driver" */
};

/* Rename the names that the object file defines for others.
 *
 *   owner     *bytes is from malloc, and replaced by another that the caller frees
 *   errors    false as rename_symbols, or without random numbers; then nothing is changed */
bool isolate_object(unsigned char **bytes, size_t *size, const struct isolation *isolation);

/* List the names in `calls` (a line each, `=` before those that are defined) that no library here defines: the
 * functions that a driver takes from a submission.
 *
 *   owner    the caller frees it; NULL without memory */
char *isolate_missing(const char *calls);

/* Whether the name of `length` bytes is one of the lines. */
bool isolate_has(const char *lines, const char *name, size_t length);

/* Renaming symbols of an object file before it is linked. */

/* Give the symbol's new name, valid until the next call; NULL: it keeps its name. */
typedef const char *(*rename_choice)(Elf64_Sym *symbol, const char *name, void *arg);

/* Ask `choose` for every symbol of the ELF64 object of *size bytes at *bytes.
 *
 *   owner    *bytes is from malloc, and replaced by another that the caller frees
 *   errors   false without memory, if it is not such an object, or if it has more than one table of symbols, of which
 *            the linker takes one; then nothing is changed */
bool rename_symbols(unsigned char **bytes, size_t *size, rename_choice choose, void *arg);
