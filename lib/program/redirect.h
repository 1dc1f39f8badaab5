/* SPDX-License-Identifier: MIT */
/* Calls of a node program that go to Peal: printf to peal_wrap_printf, __tsan_read8 to peal_wrap___tsan_read8.
 *
 * The names are changed in the object file, before it is linked.  ld --wrap would do the same with names that begin
 * with __wrap_, and the library would have to export them: a program that wraps the same call would get Peal's
 * function, and Peal the program's.  */
#ifndef LIB_PROGRAM_REDIRECT_H
#define LIB_PROGRAM_REDIRECT_H

#include <stdbool.h>
#include <stddef.h>

/* In the ELF64 object of *size bytes at *bytes, put peal_wrap_ before each name of a list (up to NULL) that the object
 * takes from elsewhere.  A name that it defines itself stays.
 *
 *   owner    *bytes is from malloc, and replaced by another that the caller frees
 *   errors   false without memory, or if it is not such an object; then nothing is changed           */
bool redirect_calls(unsigned char **bytes, size_t *size, const char *const *const lists[], int count);

#endif
