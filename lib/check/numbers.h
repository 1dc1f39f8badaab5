/* SPDX-License-Identifier: MIT */
/* The numbers of nodes of a whole program's check: how its runs and its time are divided among them, how each ended,
 * and the verdict that follows. */
#pragma once

#include <peal/check.h>
#include <peal/machine.h>

/* How a number of nodes ended.  From NUMBER_LATE on: why not every order of arrival was tried. */
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
    NUMBER_TIMES,   /* other timings were not explored */
    NUMBER_ENDS
};

/* How all of them ended. */
struct numbers {
    const struct peal_check *check;
    unsigned char *ends;         /* an enum number_end for each of 0 .. nodes_to */
    uint64_t cut_runs;           /* runs of those that ran out of runs */
    int noes;                    /* of those of NUMBER_NOT_YET: how often each call got it at most; the least */
    struct peal_finding refusal; /* of the first that was refused */
    char said[200];              /* the program's last words then; "" */
    bool refused;
};

/* owner: borrows the check; numbers_fini frees.  errors: PEAL_RESOURCES */
enum peal_status numbers_init(struct numbers *numbers, const struct peal_check *check, struct peal_error *error);
void numbers_fini(struct numbers *numbers);

/* Whether a number is among those that are checked; how many are, from it on. */
bool number_is_wanted(const struct peal_check *check, int nodes);
int numbers_from(const struct peal_check *check, int nodes);

/* What the machine's last run shows about its number of nodes: NUMBER_REFUSED if the program ended it (by an exit code,
 * exit, or an abort) before a word had reached any node, so that P, its arguments or its input decided it;
 * NUMBER_SILENT if it ended well without a word; else NUMBER_FINISHED.  code: the program's exit code */
enum number_end number_end_of(const struct peal_machine *machine, int code);

/* Note that the program refuses a number of nodes, with the finding of its run, and its last words, `said`. */
void numbers_refuse(struct numbers *numbers, const struct peal_finding *finding, const char *said);

/* Write the verdict's bound, finished, reason and limits.  Where the program takes none of the numbers, its refusal
 * becomes a finding. */
void numbers_say(struct numbers *numbers, struct peal_verdict *verdict);
