/* SPDX-License-Identifier: MIT */
/* A program with AddressSanitizer needs its library loaded before all others. */
#pragma once

#include <peal/base.h>
#include <stdbool.h>

/* Begin this command again with the library that the program at `path` needs first, unless it is loaded.  *needed:
 * there is one.
 *
 *   errors   PEAL_PROGRAM if the library cannot be loaded first                              */
enum peal_status preload(const char *path, bool *needed, struct peal_error *error);
