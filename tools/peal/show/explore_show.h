/* SPDX-License-Identifier: MIT */
/* All orders of arrival of an MPI program, for people and for tools. */
#pragma once

#include "run/session.h"

/* Print the options, each after a blank, that were given for a run itself, but for `others`, up to NULL. */
void explore_options(FILE *out, const struct command_request *request, const char *const *others);

/* `pealrun --explore`.  Returns the exit code. */
int explore_run(const struct command_request *request);
