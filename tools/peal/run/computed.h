/* SPDX-License-Identifier: MIT */
/* A collective whose cost is computed and not run: --execute none of `peal run` and `peal explain`. */
#pragma once

#include "options/options.h"

/* Print the cost by the closed form, or write it as the JSON of a run, and return the exit code: 2 where no closed form
 * is known, or the request asks for what only a run has. */
int computed_run(const struct command_request *request);
