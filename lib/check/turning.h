/* SPDX-License-Identifier: MIT */
/* Sizes on both sides of what a user's function compares a size with. */
#pragma once

#include "lib/check/rerun.h"

/* Run a case of more words than labels have room for, on lengths alone, after everything else. */
void turning_far(struct prover *prover);

/* Run them, after all cases of a number of nodes. */
void turning_run(struct prover *prover, const struct cases *cases);
