/* SPDX-License-Identifier: MIT */
/* The programs that a proof needs: clang and a solver. */
#pragma once

#include <peal/base.h>

enum { VERSION_TEXT = 200 };

/* Find a program, and the line in which it names its version.
 *
 *   errors   PEAL_RESOURCES if it is missing, fails, or is older than the version `least`, as in "4.8.12" */
enum peal_status version_find(const char *program, const char *least, char text[VERSION_TEXT],
                              struct peal_error *error);
