/* SPDX-License-Identifier: MIT */
/* peal run --step: the rounds of a run, one at a time, on a terminal. */
#ifndef PEAL_STEP_H
#define PEAL_STEP_H

#include "run/session.h"

/* Refuse --step where there is no terminal to step on, before the work.  errors: PEAL_USAGE */
enum peal_status step_check(const struct command_request *request, struct peal_error *error);

/* Step through the rounds of a run that took place, until the user has enough. */
void step_through(const struct session *session);

#endif
