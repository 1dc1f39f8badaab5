/* SPDX-License-Identifier: MIT */
/* Functions of linked programs of which only the first calls run (--sample): those whose calls go through a slot of the
 * object, as pealcc --sample links them. */
#pragma once

#include "lib/base/private.h"
#include <peal/tools.h>
#include <stdint.h>

/* Sample these functions of the programs that are compiled and loaded from now on: their names, separated by commas.
 *
 *   owner    borrows them */
PEAL_PRIVATE void peal_sample_functions(const char *names);

/* Those names; NULL: none. */
const char *sampled_functions(void);

/* The address for the slot of this function, which is at `offset` in its copy; NULL: it is not sampled. */
void *sampled_address(const char *name, uintptr_t offset);

/* Whether every function that is to be sampled has a slot.
 *
 *   errors   PEAL_PROGRAM */
enum peal_status sampled_check(struct peal_error *error);
