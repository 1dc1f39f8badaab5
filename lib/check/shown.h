/* SPDX-License-Identifier: MIT */
/* The run of a finding, written for its page while it is made: its document, an observer's data, and the data that its
 * nodes held after each round.
 *
 *   thread   one run at a time in a process */
#pragma once

#include "lib/labels/holdings_rerun.h"
#include "lib/record/observed.h"
#include "lib/sandbox/unit.h"

/* Where it is written: shared with the parent, which maps it.  Zeroed it is empty. */
struct shown_page {
    size_t bytes;
    char text[(size_t)32 << 20];
};

struct shown_case {
    struct shown_page *page; /* NULL: nothing is written */
    bool wrong;              /* the text is of a wrong run: it stays */
    struct peal_observed *observed;
    struct rerun held;
    bool holds;               /* the nodes' data are followed */
    struct peal_error absent; /* why it is not */
};

/* The run to be written: the collective's situation (of a program none) and what is wrong with it. */
struct shown_run {
    const struct peal_check *check;
    const struct unit *unit; /* NULL: of the catalogue */
    struct peal_situation situation;
    const struct peal_check_case *where;
    bool well;
    const char *message; /* if not well */
};

/* Before a run on the machine, with its data laid out: follow it, unless a wrong one was already written. */
void shown_begin(struct shown_case *shown, const struct peal_check *check, const struct peal_check_case *where,
                 struct peal_machine *machine, struct vectors *data);

/* After it: write it. */
void shown_end(struct shown_case *shown, const struct shown_run *run, struct peal_machine *machine);
