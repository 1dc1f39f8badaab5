/* SPDX-License-Identifier: MIT */
/* Answers to the questions of nodes (struct node_question, lib/machine/hooks.h): what Waitany or Waitsome returns, and
 * whether a test or a probe says yes.
 *
 * A request may be returned once it is complete, in any order: its node may have come late.  So a question waits until
 * nothing else can move, as a receive from any source does, and its answers are choices as the messages of that are:
 * each that is possible now is tried, and, if others could come, a run in which none of these is given.
 *
 * "Not yet" is always possible, and without end.  A choice by which a call in a node's code says so for the nth time in
 * a run is of level n; other choices are of level 0.  A run's level is the largest of its choices, 1 at least: beyond
 * it a call waits as MPI_Wait does where it has no other answer, and is only refused when nothing moves otherwise. */
#pragma once

#include "lib/check/explore.h"

/* The answers that a question may have. */
struct answers {
    uint64_t now, ever; /* so many: possible now; possible at all.  UINT64_MAX: not known */
    bool asleep;        /* others, not counted, were possible, and are not to be given in this run */
    int late;           /* the level of a "not yet" that is its only answer, beyond the run's; 0 */
};

/* Levels are tried up to this one. */
enum { MAX_LEVEL = 16 };

/* Count them, and, with `offers`, add those possible now to the explorer's offers. */
struct answers answers_find(struct explorer *explorer, const struct peal_machine *machine, int node, bool offers);

/* "Not yet", where that may be said. */
void answers_offer_no(struct explorer *explorer, const struct peal_machine *machine, int node);

/* Give the answer of an offer: the node is released. */
void answers_give(struct explorer *explorer, struct peal_machine *machine, const struct offer *offer,
                  node_releaser release);

/* Say which requests a subset of the complete ones has. */
void answers_say_subset(const struct peal_machine *machine, const struct peal_pick *pick, int subset, char *text,
                        size_t bytes);

/* None of the answers possible now is to be given in this run. */
void answers_put_to_sleep(struct peal_machine *machine, int node);

/* Nothing can move but by "not yet".  Offer that all tests say so, and, from this rank on, for each that it waits while
 * the others do. */
void answers_offer_waits(struct explorer *explorer, const struct peal_machine *machine, int from);

/* Refuse every test that waits; `chosen`: while another one does not.  False: there is none. */
bool answers_refuse(struct explorer *explorer, struct peal_machine *machine, bool chosen, node_releaser release);
