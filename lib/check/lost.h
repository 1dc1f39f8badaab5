/* SPDX-License-Identifier: MIT */
/* A child that cannot go on and says why in its black box (machine/box.h), as its parent sees it.  An untrusted program may
 * have written anything there: it is only used for the text of a failure. */
#ifndef LIB_CHECK_LOST_H
#define LIB_CHECK_LOST_H

#include "lib/machine/box.h"
#include "lib/sandbox/unit.h"

/* A failure that the parent reports. */
struct lost {
    enum peal_failure_kind kind; /* PEAL_CRASH, PEAL_TIMED_OUT */
    char message[BOX_TEXT], file[256];
    int line; /* where there is a file */
};

/* Make words of what the box says; the child has ended, or will do no more.  unit: what was run, to find the line in; NULL.
 * name: the file's, as the user gave it.  False: the box does not say that it is lost. */
bool lost_read(const struct black_box *box, const struct unit *unit, const char *name, double seconds,
               struct lost *lost);

#endif
