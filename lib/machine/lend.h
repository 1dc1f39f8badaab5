/* SPDX-License-Identifier: MIT */
/* Lending buffers to sends, where nothing can move without. */
#pragma once

#include "lib/machine/nodes.h"
#include <peal/machine.h>

/* Nothing can move.  Copy the words that nodes wait to send, and release them; with `told` those that would wait for
 * ever without buffers are a finding, as soon as one of the messages is taken.  false if that helps no node. */
bool machine_lend(struct peal_machine *machine, void (*release)(struct peal_machine *, struct node *), bool told);
/* A lent message is taken; forget those that never were. */
void loan_repaid(struct peal_machine *machine, uint32_t id);
void loans_forget(struct peal_machine *machine);
/* Whether the node goes on with its sends lent, not counting what a collective sends to a node in the same one. */
bool lend_is_needed(const struct peal_machine *machine, int rank);
