/* SPDX-License-Identifier: MIT */
/* The advice that a node gets for its next fault. */
#pragma once

#include "lib/machine/nodes.h"
#include <peal/machine.h>

enum { ADVICE_BYTES = sizeof((struct peal_failure *)0)->fix };

/* The fix of the next failure or finding that is reported for the node: see peal_advise. */
void node_advise(struct node *node, const char *format, ...) PEAL_PRINTF(2, 3);
void node_advice_free(struct node *node);
void node_set_crash_hint(struct node *node, const struct crash_hint *hint);
