/* SPDX-License-Identifier: MIT */
/* The numbers of nodes of a whole program's check: how its runs and its time are shared over them, what became of each,
 * and what that comes to. */
#pragma once

#include "lib/base/private.h"
#include <peal/check.h>
#include <peal/machine.h>

/* What became of a number of nodes.  From NUMBER_LATE on: why not every order of arrival was tried. */
enum number_end {
    NUMBER_NOT_BEGUN,
    NUMBER_FINISHED,
    NUMBER_SILENT,  /* finished, and no node sent or called for anything */
    NUMBER_REFUSED, /* the program ended itself before that */
    NUMBER_WRONG,   /* a finding's run was the last */
    NUMBER_LATE,
    NUMBER_STRAYS,
    NUMBER_OUT_OF_RUNS,
    NUMBER_OUT_OF_TIME,
    NUMBER_NOT_YET, /* not every number of "not yet" was tried */
    NUMBER_TIMES,   /* what it does at other times was not tried */
    NUMBER_ENDS
};

/* What became of all of them. */
struct numbers {
    const struct peal_check *check;
    unsigned char *ends;         /* an enum number_end for each of 0 .. nodes_to */
    uint64_t cut_runs;           /* of those that were out of runs */
    int noes;                    /* of those of NUMBER_NOT_YET: how often each call said it at most; the least */
    struct peal_finding refusal; /* of the first that was refused */
    char said[200];              /* the last that the program said then; "" */
    bool refused;
};

/* owner: borrows the check; numbers_fini frees.  errors: PEAL_RESOURCES */
PEAL_PRIVATE enum peal_status peal_numbers_init(struct numbers *numbers, const struct peal_check *check,
                                                struct peal_error *error);
PEAL_PRIVATE void peal_numbers_fini(struct numbers *numbers);

/* Whether a number is among those that are checked; how many are from it on. */
PEAL_PRIVATE bool peal_number_is_wanted(const struct peal_check *check, int nodes);
PEAL_PRIVATE int peal_numbers_from(const struct peal_check *check, int nodes);

/* What the machine's last run shows of its number of nodes: NUMBER_REFUSED if the program ended it (by an exit code,
 * exit, or an abort) before a word had come to any node, so that P, its arguments or its input decided that;
 * NUMBER_SILENT if it ended well without a word; else NUMBER_FINISHED.  code: the program's exit code */
PEAL_PRIVATE enum number_end peal_number_of(const struct peal_machine *machine, int code);

/* Note that the program refuses a number of nodes, as the finding of its run says, and `said` it last. */
PEAL_PRIVATE void peal_numbers_refuse(struct numbers *numbers, const struct peal_finding *finding, const char *said);

/* Write the verdict's bound, finished, reason and limits.  Where the program takes none of the numbers, its refusal
 * becomes a finding. */
PEAL_PRIVATE void peal_numbers_say(struct numbers *numbers, struct peal_verdict *verdict);
