/* SPDX-License-Identifier: MIT */
/* Records of runs: from a machine, and copied. */
#pragma once

#include "lib/base/private.h"
#include <peal/trace.h>

/* Make the record of the machine's last run; `outcome` and `program` as for peal_write_json.
 *
 *   owner    the caller destroys it; NULL after an error
 *   errors   PEAL_RESOURCES without memory */
PEAL_PRIVATE struct peal_record *peal_record_take(const struct peal_machine *machine,
                                                  const struct peal_outcome *outcome, const char *program,
                                                  struct peal_error *error);

/* Copy a schedule, whose arrays the caller frees.  False without memory: some of them may have been copied. */
bool schedule_copy(struct peal_schedule *to, const struct peal_schedule *from);

/* Free the list of collectives, which is empty then. */
void collectives_fini(struct peal_collective_calls *collectives);

/* Write a value that was shown: as a whole number where it is one, else with this many digits. */
enum { SHOWN_TEXT = 60 };
PEAL_PRIVATE char *peal_shown_text(long double value, int digits, char text[SHOWN_TEXT]);

/* Make a record of the same run, without what peal_record_price sets; NULL without memory. */
struct peal_record *record_copy(const struct peal_record *from);
