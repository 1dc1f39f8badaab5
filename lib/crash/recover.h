/* SPDX-License-Identifier: MIT */
/* The state of a machine in another process, read out of that process's memory. */
#ifndef LIB_CRASH_RECOVER_H
#define LIB_CRASH_RECOVER_H

#include "lib/crash/box.h"

/* Fill the machine, which has not run, from the last one of the process that the box is of: the schedule, the cost,
 * what its nodes are doing.  The process is a child of this one, was forked by it, and is stopped; where its memory
 * cannot be read, or it is gone (0), nothing is known of the nodes. */
void recover_machine(struct peal_machine *machine, pid_t process, const struct black_box *box);

/* Make `words` the machine's failure, unless an earlier one is set; find the line. */
void recover_failure(struct peal_machine *machine, const struct black_box *box, const struct last_words *words);

#endif
