/* SPDX-License-Identifier: MIT */
/* The data that every node of a run held after each round, as JSON: see peal_check_holdings. */
#pragma once

#include "lib/labels/holdings_rerun.h"
#include <stdio.h>

/* Write the notes on a run that is over.
 *
 *   errors   PEAL_USAGE if it takes more than `most` bytes, or there were too many events; PEAL_RESOURCES */
enum peal_status holdings_write(FILE *out, struct rerun *of, size_t most, struct peal_error *error);
