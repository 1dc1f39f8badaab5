/* SPDX-License-Identifier: MIT */
/* Calls through which nodes can learn of each other without a message: see peal_contained_shares. */
#pragma once

/* Write the first of the names in `calls`, as of struct elf_facts, that is such a call; NULL: there is none. */
const char *channels_find(const char *calls, char name[200]);

/* The complaint about it, to follow its name. */
const char *channels_how(const char *name);
