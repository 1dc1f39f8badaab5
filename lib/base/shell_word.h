/* SPDX-License-Identifier: MIT */
/* A word as a shell reads it back. */
#pragma once

#include "lib/base/private.h"
#include <stddef.h>

/* Write `word` as a shell reads it, in quotes where it needs them.  Gives its length, as snprintf does. */
PEAL_PRIVATE size_t peal_shell_word(const char *word, char *text, size_t bytes);
