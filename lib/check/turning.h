/* SPDX-License-Identifier: MIT */
/* Sizes on both sides of what a user's function compares a size with. */
#pragma once

#include "lib/check/rerun.h"

/* Run them, after all cases of a number of nodes. */
void turning_run(struct prover *prover, const struct cases *cases);
