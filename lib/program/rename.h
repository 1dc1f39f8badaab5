/* SPDX-License-Identifier: MIT */
/* Renaming symbols of an object file before it is linked. */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

/* Give the symbol's new name, valid until the next call; NULL: it keeps its name. */
typedef const char *(*rename_choice)(Elf64_Sym *symbol, const char *name, void *arg);

/* Ask `choose` for every symbol of the ELF64 object of *size bytes at *bytes.
 *
 *   owner    *bytes is from malloc, and replaced by another that the caller frees
 *   errors   false without memory, if it is not such an object, or if it has more than one table of symbols, of which
 *            the linker takes one; then nothing is changed */
bool rename_symbols(unsigned char **bytes, size_t *size, rename_choice choose, void *arg);
