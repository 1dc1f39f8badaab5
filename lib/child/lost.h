/* SPDX-License-Identifier: MIT */
/* A child that cannot go on and writes why to its black box (child/box.h), as its parent sees it.  An untrusted
 * program may have written anything there: it is only used for the text of a failure. */
#pragma once

#include "lib/child/box.h"

/* A failure that the parent reports. */
struct lost {
    PEAL_EMBED(peal_fault, fault, PEAL_FAULT); /* PEAL_CRASH, PEAL_TIMED_OUT */
    char file[256];
    int line; /* where there is a file */
};

/* The program that the child runs: where its lines are.  bytes: NULL: it has none */
struct child_program {
    const void *bytes;
    size_t size;
};

/* Describe the contents of the box; the child has ended, or will do no more.  program: to find the line in.
 * False: by the box the child is not lost. */
bool lost_read(const struct black_box *box, const struct child_program *program, double seconds, struct lost *lost);
/* Describe a child that has not ended in time and is about to be ended: ask it where it is. */
void lost_ask(struct black_box *box, pid_t child, const struct child_program *program, double seconds,
              struct lost *lost);
/* Whether constructors of the program have run for longer. */
bool lost_loads(const struct black_box *box, const struct box_clock *clock, double seconds);
