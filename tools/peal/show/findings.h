/* SPDX-License-Identifier: MIT */
/* The findings of a run and its failure, for people and for tools. */
#pragma once

#include "run/session.h"

/* Print a finding as compilers do: "prog.c:12: finding: kind: text", or "note:", the other places, the rule that is
 * broken, and how to correct the program. */
void finding_show(FILE *out, const struct peal_run_finding *finding);

/* A peal_finding_listener that prints each finding on standard error as it is found, and remembers in its argument, a
 * struct shown, the findings shown so far: one of the same kind at the same line of another node is only counted. */
void finding_tell(const struct peal_run_finding *finding, void *all);

/* Whether one of so many is more than a note. */
bool findings_have_fault(const struct peal_run_finding *findings, size_t count);

/* Print how many findings there were, if there were several; notes are not counted. */
void findings_sum(FILE *out, const struct shown *shown);
void shown_fini(struct shown *shown);

/* Write the run as a report that test tools read, and as a SARIF log. */
void findings_write_junit(FILE *out, const struct session *session);
void findings_write_sarif(FILE *out, const struct session *session);
