/* SPDX-License-Identifier: MIT */
/* What the child of a check reports to its parent: the first finding of each kind. */
#pragma once

#include "lib/check/prover.h"

struct vectors;

struct check_reporter {
    const struct peal_check *check;
    const struct unit *unit; /* the user's file, compiled; NULL */
    struct proof_progress *progress;
    const struct child *child;
    bool seen[PEAL_SEVERITY_NOTE + 1][PEAL_FAILURE_KINDS]; /* the kinds that were reported, by severity */
    bool wrong;                                            /* something is wrong */
};

/* Report an error that ends the check, and end the process. */
void check_report_error(const struct check_reporter *reporter, const struct peal_error *error);
_Noreturn void check_report_last_error(const struct check_reporter *reporter, const struct peal_error *error);

/* Report the finding of a run that the program ended by itself, where several numbers of nodes are checked; `output`: a
 * file with its output. */
void check_report_refusal(const struct check_reporter *reporter, const struct peal_check_case *where,
                          struct peal_finding finding, int output);

/* Add how the function was called in this case: `earlier` and `data` are the vectors of its calls, of one of them. */
void finding_say_call(struct peal_finding *finding, const struct peal_check *check, const struct peal_check_case *c,
                      const struct vectors *earlier, const struct vectors *data);

/* Add " --choices 2,1" to the rerun of a finding, unless there were more choices than it holds. */
void tell_choices(struct peal_finding *finding);

/* Report a finding in a case, if it is the first of its kind, with the command that runs it again.  Ends the process if
 * only the first finding was requested. */
void check_report_finding(struct check_reporter *reporter, const struct peal_check_case *where,
                          struct peal_finding finding);
