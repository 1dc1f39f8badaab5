/* SPDX-License-Identifier: MIT */
/* What nodes print. */
#pragma once

#include "lib/machine/nodes.h"
#include <peal/machine.h>

/* Print the whole lines of these nodes, or with `all` everything. */
void output_print(struct peal_machine *machine, const int32_t *ranks, size_t count, bool all);

/* Print all output of the running node, with its unfinished line: it is about to read input. */
void output_show_all(struct node *node);
