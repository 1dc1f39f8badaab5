/* SPDX-License-Identifier: MIT */
/* The advice that a node gets for its next fault (peal_advise), and forgets; the probable cause of its next crash. */
#pragma once

#include "lib/machine/nodes.h"
#include <peal/machine.h>
#include <peal/post.h>

enum { ADVICE_BYTES = sizeof((struct peal_failure *)0)->fix };

void node_advice_free(struct node *node);

/* Name the calls of MPI in advice as mpi4py does, if the place is in a program of Python. */
void advice_name_calls(const char *place, char fix[ADVICE_BYTES]);

/* Advise on a number of words that is too large, where it is what a negative number becomes. */
void node_advise_length(struct peal_node *me, size_t words);
void node_set_crash_hint(struct node *node, const struct crash_hint *hint);
