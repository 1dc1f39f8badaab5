/* SPDX-License-Identifier: MIT */
/* Files in Fortran, and what is said of such programs. */
#pragma once

#include "lib/base/private.h"
#include <stdbool.h>
#include <stddef.h>

/* Whether the file's name says that it is Fortran, and so a program for MPI. */
PEAL_PRIVATE bool peal_is_fortran(const char *path);

/* Replace C's terms by Fortran's in the text of a fault, in `bytes` bytes: ALLOCATE for malloc, mod(a, b) for a % b. */
void fortran_words(char *text, size_t bytes);
