/* SPDX-License-Identifier: MIT */
/* Uses of words that nobody has written, in watched runs of linked programs: values that are compared, or printed, and
 * memory that is written to a file.
 *
 * Fresh memory, and with gcc each uninitialised local, has a pattern (heap.h).  A value that looks like it is taken as
 * unwritten if one of the node's last loads was of a word of a block that has no written byte; or, from 4 bytes on, if
 * it came from elsewhere, a variable perhaps, and the program has not filled memory with the pattern itself. */
#pragma once

#include <stdarg.h>
#include <stddef.h>

/* The program fills memory with this byte. */
void use_filled(int byte);

/* A call at `pc` prints these values. */
void use_print(const char *format, va_list list, const void *pc);

/* Where a watched program's calls of this name go, which print or write to a file; NULL: none of these. */
void *use_call_address(const char *name);
