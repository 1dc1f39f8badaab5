/* SPDX-License-Identifier: MIT */
/* Locals of a watched program that begin without a value: gcc sets them to the pattern of fresh memory. */
#pragma once

#include <stdbool.h>

struct node;

/* Begin a run. */
void fresh_begin(void);

/* Whether the store that follows the call before `code` is gcc's own, of such a local; true where it is unknown. */
bool fresh_local_begins(struct node *node, const void *code);

/* Whether a load lies in a call's lines, from its first on; both are the addresses that follow in the code. */
bool fresh_same_line(struct node *node, const void *load, const void *call);

/* Whether the program that contains `code` may have such a local that is not in memory; true where it is unknown. */
bool fresh_locals(struct node *node, const void *code);
