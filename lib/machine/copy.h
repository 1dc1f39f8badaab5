/* SPDX-License-Identifier: MIT */
/* Copies of a round, on several cores where that is faster. */
#pragma once

#include "lib/round/round.h"

/* Perform a round's copies, on several cores where that is faster.  Gives NULL, or an address that could not be
 * read or written. */
void *copies_perform(struct peal_machine *machine, const struct copy *copies, size_t count);
void *copy_bytes(void *to, const void *from, size_t bytes); /* one copy, outside of a round */
/* Carry out the round's one-sided messages at their peers; gives as copies_perform does. */
void *accesses_perform(struct peal_machine *machine);
void copiers_destroy(struct peal_machine *machine);
