/* SPDX-License-Identifier: MIT */
/* What a page shows of a run beyond its document. */
#pragma once

#include "lib/base/private.h"
#include <peal/machine.h>
#include <stdio.h>

struct peal_observed;

/* Observe in the next run of `machine` what its document does not contain; then write it to `out` as JSON, the
 * "observed" of peal-report(1): which nodes waited in which round, their operations, the transfers of the critical
 * path, and with `places` the lines that sent them.  Parts that are too long are left out.  An `out` of NULL: nothing
 * is written.
 *
 *   owner    borrows machine until peal_observed_end, which is called before it is destroyed; NULL after an error
 *   errors   PEAL_RESOURCES without memory                                                          */
PEAL_PRIVATE struct peal_observed *peal_observed_begin(struct peal_machine *machine, struct peal_error *error);
PEAL_PRIVATE void peal_observed_end(struct peal_observed *observed, FILE *out, bool places);
