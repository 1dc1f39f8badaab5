/* SPDX-License-Identifier: MIT */
/* Sizes on both sides of what a user's function compares a size with. */
#ifndef LIB_CHECK_TURNING_H
#define LIB_CHECK_TURNING_H

#include "lib/check/rerun.h"

/* Run them, after all cases of a number of nodes. */
void turning_run(struct prover *prover, const struct cases *cases);

#endif
