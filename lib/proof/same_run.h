/* SPDX-License-Identifier: MIT */
/* What the run of all cases says of one case, and what a recorded run says. */
#pragma once

#include "lib/proof/every.h"
#include "lib/proof/follow.h"

/* Whether both have the same messages, from each node to each other in the same order.  Where not, text says how.
 *
 *   errors   of the recorded run; PEAL_RESOURCES */
enum peal_status compare_run(struct following *run, const struct every_request *request, const struct every_case *of,
                             bool *equal, char text[400], struct peal_error *error);
