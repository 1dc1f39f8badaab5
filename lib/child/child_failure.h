/* SPDX-License-Identifier: MIT */
/* A child that cannot go on and writes why to its black box (child/box.h), as its parent sees it.  An untrusted
 * program may have written anything there: it is only used for the text of a failure. */
#pragma once

#include "lib/child/box.h"
#include "lib/child/child.h"

/* Describe, as PEAL_CRASH or PEAL_TIMED_OUT, a child that has ended with this status, of waitpid, before it could
 * report: the call that it was denied, its box, its signal or exit code.  run, author: "the run", "the program": what
 * was ended, and what ended itself. */
void child_failure(const struct child *child, int how, const char *run, const char *author, struct peal_fault *lost);
/* Describe one that has not ended in time and is about to be ended: ask it where it is. */
void child_ask(const struct child *child, struct peal_fault *lost);
