/* SPDX-License-Identifier: MIT */
/* Answers to the questions of nodes (struct node_question, lib/machine/hooks.h): what Waitany or Waitsome returns, and
 * whether a test or a probe succeeds.
 *
 * A request may be returned once it is complete, in any order: its node may have come late.  So a question waits until
 * nothing else can move, as a receive from any source does, and its answers are choices, like that receive's messages.
 * Each answer that is possible now is tried; if others could come, so is a run that gives none of these.
 *
 * "Not yet" is always possible, any number of times.  A choice that gives it to a call in a node's code for the nth
 * time in a run is of level n; other choices are of level 0.  A run's level is the largest of its choices, 1 at least:
 * beyond it a call without another answer waits, as MPI_Wait does, and gets "not yet" if nothing else moves. */
#pragma once

#include "lib/check/explore.h"

/* The answers that a question may have. */
struct answers {
    uint64_t now, ever; /* how many are possible now; possible at all.  UINT64_MAX: unknown */
    bool asleep;        /* others, not counted, were possible, but must not be given in this run */
    int late;           /* the level of a "not yet" that is its only answer, beyond the run's; 0: none */
};

/* Levels are tried up to this one. */
enum { MAX_LEVEL = 16 };

/* Count them, and, with `offers`, add those possible now to the explorer's offers. */
struct answers answers_find(struct explorer *explorer, const struct peal_machine *machine, int node, bool offers);

/* Offer "not yet", where that is allowed. */
void answers_offer_no(struct explorer *explorer, const struct peal_machine *machine, int node);

/* Give the answer of an offer: the node is released. */
void answers_give(struct explorer *explorer, struct peal_machine *machine, const struct offer *offer,
                  node_releaser release);

/* Say which requests a subset of the complete ones has. */
void answers_say_subset(const struct peal_machine *machine, const struct peal_pick *pick, int subset, char *text,
                        size_t bytes);

/* Let none of the answers that are possible now be given in this run. */
void answers_put_to_sleep(struct peal_machine *machine, int node);

/* Nothing can move except by "not yet".  Offer it for all tests, and, from this rank on, for all tests but one, which
 * waits. */
void answers_offer_waits(struct explorer *explorer, const struct peal_machine *machine, int from);

/* Answer every waiting test "not yet"; `chosen`: all but the chosen one.  False: there is none. */
bool answers_refuse(struct explorer *explorer, struct peal_machine *machine, bool chosen, node_releaser release);
