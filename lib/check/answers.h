/* SPDX-License-Identifier: MIT */
/* Answers to the questions of nodes (struct node_question, lib/machine/hooks.h): what Waitany or Waitsome returns, and
 * whether a test or a probe says yes.
 *
 * A request may be returned once it is complete, in any order: its node may have come late.  So a question waits until
 * nothing else can move, as a receive from any source does, and its answers are choices as the messages of that are:
 * each that is possible now is tried, and, if others could come, a run in which none of these is given.
 *
 * "Not yet" is always possible, and without end.  At each call in its code a node is answered so by choice once in a
 * run.  At other times that call waits as MPI_Wait does, and is only refused when nothing can move otherwise. */
#pragma once

#include "lib/check/explore.h"

/* The answers that a question may have. */
struct answers {
    uint64_t now, ever; /* so many: possible now; possible at all.  UINT64_MAX: not known */
    bool asleep;        /* others, not counted, were possible, and are not to be given in this run */
};

/* Count them, and, with `offers`, add those possible now to the explorer's offers. */
struct answers answers_find(struct explorer *explorer, const struct peal_machine *machine, int node, bool offers);

/* "Not yet", where that may be chosen. */
bool answers_offer_no(struct explorer *explorer, const struct peal_machine *machine, int node);

/* Give the answer of an offer: the node is released. */
void answers_give(struct explorer *explorer, struct peal_machine *machine, const struct offer *offer,
                  node_releaser release);

/* Say which requests a subset of the complete ones has. */
void answers_say_subset(const struct peal_machine *machine, const struct peal_pick *pick, int subset, char *text,
                        size_t bytes);

/* None of the answers possible now is to be given in this run. */
void answers_put_to_sleep(struct peal_machine *machine, int node);

/* Refuse every test that waits.  False: there is none. */
bool answers_refuse(struct peal_machine *machine, node_releaser release);
