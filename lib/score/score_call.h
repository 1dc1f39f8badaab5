/* SPDX-License-Identifier: MIT */
/* Collectives that are played (score.h), for the functions that make the calls. */
#pragma once

#include <peal/author.h>
#include <peal/form.h>

/* The node `me` has entered a call.  True: it was carried out, and the node leaves.  Else the node runs it, with the
 * operator that this has put into x, and calls score_left. */
bool score_call(const struct peal_node *me, const struct peal_node *entered, const struct peal_call *call,
                struct peal_arguments *x);
void score_left(const struct peal_node *me);
