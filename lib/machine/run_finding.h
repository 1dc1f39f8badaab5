/* SPDX-License-Identifier: MIT */
/* Findings: faults in a run that did not end it. */
#pragma once

#include <peal/machine.h>

/* Record a copy of a finding whose kind, message, places, cycle, rule and fix are set; `first`, unless NULL,
 * is one more place, before them.  Its places are looked up.  false without memory. */
bool finding_add(struct peal_machine *machine, const struct peal_run_finding *finding, const struct peal_place *first);
void findings_sort(struct peal_machine *machine);
void findings_clear(struct peal_machine *machine);
