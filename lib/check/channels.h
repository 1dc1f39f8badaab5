/* SPDX-License-Identifier: MIT */
/* Calls that can bring a node information from other nodes without a message. */
#pragma once

#include "lib/base/private.h"
#include <stdbool.h>

/* Whether a call of this name can bring a graded function information from other nodes without a message: from a
 * split's keys, a meeting or the note of a post, or through the process's own state (descriptors, handlers, the
 * environment).  Unknown names are assumed to. */
PEAL_PRIVATE bool peal_contained_shares(const char *name);

/* Write the first name in `calls`, as in struct elf_facts, that is such a call; NULL: there is none. */
const char *channels_find(const char *calls, char name[200]);

/* The complaint about it, to follow its name. */
const char *channels_how(const char *name);
