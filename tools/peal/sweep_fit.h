/* SPDX-License-Identifier: MIT */
#ifndef PEAL_SWEEP_FIT_H
#define PEAL_SWEEP_FIT_H

#include "options.h"

/* Do `peal sweep --fit FILE`: print α and β that the file's measurements lead to.  Returns the exit code. */
int sweep_fit(const struct request *request);

#endif
