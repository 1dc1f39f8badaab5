/* SPDX-License-Identifier: MIT */
/* What nodes wrote to standard error. */
#pragma once

#include "lib/base/private.h"
#include <stddef.h>

/* Discard what is in the pipe, which does not block; -1: no pipe. */
void stderr_tail_clear(int pipe);

/* Take what is in the pipe: the last whole lines that fit, without control characters. */
void stderr_tail_take(int pipe, char *text, size_t bytes);

/* Take the end of a file in the same way. */
PEAL_PRIVATE void peal_stderr_tail_read(int file, char *text, size_t bytes);
