/* SPDX-License-Identifier: MIT */
/* The failure that ends a run. */
#pragma once

#include "lib/machine/nodes.h"
#include <limits.h>
#include <peal/machine.h>

/* In place of a rank, until the run has ended: a failure of no node; that of any node takes precedence. */
enum { NO_RANK = INT_MAX };

/* Note the place of a node that failed, for the report on the node itself; copies the name. */
void failure_place(struct node *node, const char *file, int line);
/* Copy a file's name until the failure is cleared. */
const char *failure_keep_name(struct peal_machine *machine, const char *file);
/* Record a failure for this node (the lowest rank's wins); the caller then unwinds it or lets it end. */
void failure_set(struct peal_machine *machine, int rank, enum peal_failure_kind kind, const char *file, int line,
                 const char *format, ...) PEAL_PRINTF(6, 7);
/* End the node with a failure of the call that it is in, whose place it has; peal_fail_at has one of its own. */
_Noreturn void node_fail(struct peal_node *me, enum peal_failure_kind kind, const char *format, ...) PEAL_PRINTF(3, 4);
void failure_clear(struct peal_machine *machine);
/* Set the fix of the failure, if it is this node's and has no fix: for callers that may hold the heap's lock. */
void failure_fix(struct peal_machine *machine, int rank, const char *format, ...) PEAL_PRINTF(3, 4);
