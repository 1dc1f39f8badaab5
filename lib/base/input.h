/* SPDX-License-Identifier: MIT */
/* Opening a file that may be a pipe, for tools. */
#pragma once

#include "lib/base/private.h"

/* How long a named pipe that nobody opens for writing is waited for. */
#define PEAL_INPUT_SECONDS 10

/* Open `path` to read it, as open does.  A named pipe is waited for until somebody writes to it, but only
 * PEAL_INPUT_SECONDS if nobody opens it for writing.  `waits` (or NULL) is called once, after two seconds without a
 * byte.
 *
 *   owner    the caller closes it
 *   blocks   until a named pipe has something to read or its writer has closed it
 *   errors   -1, errno and *error (PEAL_USAGE) say why; ETIMEDOUT is a pipe that nobody writes to */
PEAL_PRIVATE int peal_open_input(const char *path, void (*waits)(const char *path), struct peal_error *error);
