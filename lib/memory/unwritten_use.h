/* SPDX-License-Identifier: MIT */
/* Uses of words that nobody has written, in watched runs of linked programs: values that are compared, or printed, and
 * memory that is written to a file.
 *
 * Fresh memory, and with gcc each uninitialised local, has a pattern (heap.h).  A value with this pattern is unwritten
 * if one of the node's last loads was of a word that nobody has written; and, from 4 bytes on, if no load was of such a
 * value and the program has uninitialised locals in registers (fresh_locals.h). */
#pragma once

#include <stdarg.h>
#include <stddef.h>

/* A call at `pc` prints these values. */
void use_print(const char *format, va_list list, const void *pc);

/* The function for a watched program's calls of this name, which print or write to a file; NULL: not one of these. */
void *use_call_address(const char *name);
