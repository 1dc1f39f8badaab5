/* SPDX-License-Identifier: MIT */
/* Programs compiled so that each access to memory is a call.
 *
 * The compilers do this for ThreadSanitizer: -fsanitize=thread puts a call of __tsan_read8 and its like before every
 * load and store.  Here ThreadSanitizer is never linked: these names, and those of the C library's calls that read,
 * write, allocate or free memory, become Peal's own (compile.h), which lib/memory defines and the library exports. */
#pragma once

#include <stdbool.h>

enum instrument { INSTRUMENT_NONE, INSTRUMENT_GCC, INSTRUMENT_CLANG };

/* Accesses: their names give the number of bytes. */
/* clang-format off */
#define INSTRUMENT_SIZES(X) X(1) X(2) X(4) X(8) X(16)
#define INSTRUMENT_UNALIGNED(X) X(2) X(4) X(8) X(16)
/* Atomic accesses: of this many bits. */
#define INSTRUMENT_ATOMICS(X) X(8) X(16) X(32) X(64)
#define INSTRUMENT_FETCHES(X, bits) X(bits, add) X(bits, sub) X(bits, and) X(bits, or) X(bits, xor) X(bits, nand)
/* Calls of the C library, and C++'s new: of 64 bits, m is the size. */
#define INSTRUMENT_CALLS(X)                                                                                            \
    X(malloc) X(calloc) X(realloc) X(reallocarray) X(free) X(aligned_alloc) X(memalign) X(posix_memalign)              \
    X(strdup) X(strndup) X(memcpy) X(mempcpy) X(memmove) X(memset) X(memcmp) X(memchr) X(bzero) X(strlen) X(strcpy)    \
    X(strncpy) X(strcat) X(strncat) X(strcmp) X(strncmp) X(strchr) X(strrchr) X(strstr) X(sprintf) X(snprintf)         \
    X(vsprintf) X(vsnprintf) X(qsort)                                                                                  \
    X(_Znwm) X(_Znam) X(_ZnwmRKSt9nothrow_t) X(_ZnamRKSt9nothrow_t) X(_ZnwmSt11align_val_t) X(_ZnamSt11align_val_t)    \
    X(_ZnwmSt11align_val_tRKSt9nothrow_t) X(_ZnamSt11align_val_tRKSt9nothrow_t)
/* clang-format on */

/* Whether programs that this process compiles from now on are instrumented; whether their branches are, too
 * (lib/memory/branches.h): each basic block and each comparison is a call. */
void instrument_ask(bool wanted, bool branches);

/* The instrumentation that this compiler gives with these further flags (lists of words): INSTRUMENT_NONE when not
 * asked, or impossible. */
enum instrument instrument_choose(char *const *compiler, char *const *flags);

/* The compiler's options, and the names that become Peal's own, each up to NULL. */
const char *const *instrument_compiler_words(enum instrument how);
const char *const *instrument_branch_words(enum instrument how);
const char *const *instrument_names(enum instrument how);
