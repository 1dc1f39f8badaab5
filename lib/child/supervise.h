/* SPDX-License-Identifier: MIT */
/* Running a program in a child process: whatever the program does to that process, the parent reports.
 *
 * A program can corrupt the heap, block all signals, or end the process.  Its own process may then be unable to report,
 * or to end in time.  So the caller forks: the child runs the machine and reports as usual; when it cannot, the parent
 * reads the machine's state from the child's memory, ends the child, and reports in its place. */
#pragma once

#include "lib/base/private.h"
#include <peal/machine.h>

struct peal_supervisor;

enum peal_supervised {
    PEAL_SUPERVISED_DONE,        /* the child has reported, and ended */
    PEAL_SUPERVISED_LOST,        /* it cannot report: it crashed, was ended, or timed out */
    PEAL_SUPERVISED_INTERRUPTED, /* the parent was sent SIGHUP, SIGINT or SIGTERM, by which it must end */
    PEAL_SUPERVISED_UNBEGUN,     /* likewise, but no node ran: there is nothing to recover */
};

/* False when a debugger holds this process: it must find the program here. */
PEAL_PRIVATE bool peal_supervisor_wanted(void);
/* End the child and every process that it left, and free the supervisor. */
PEAL_PRIVATE void peal_supervisor_destroy(struct peal_supervisor *supervisor);

/* Fork.  *parent is true in the parent, which goes on with peal_supervise; false in the child, which runs one machine,
 * calls peal_supervised_reports, reports, and calls peal_supervised_done.
 *
 *   owner    the caller destroys it, in both processes
 *   errors   gives NULL, in the parent: PEAL_RESOURCES: there is no child, and *error says why
 *   thread   no other may run in the process                                              */
PEAL_PRIVATE struct peal_supervisor *peal_supervisor_fork(bool *parent, struct peal_error *error);

/* In the child: the run is over, and the report begins.  Does not return when the process is unable to report. */
PEAL_PRIVATE void peal_supervised_reports(struct peal_supervisor *supervisor);
/* In the child: what is printed of the run is complete.  In the parent: whether it is, so that only the failure is
 * missing. */
PEAL_PRIVATE void peal_supervised_shown(struct peal_supervisor *supervisor);
PEAL_PRIVATE bool peal_supervised_has_shown(const struct peal_supervisor *supervisor);
/* In the child: the report is complete, and the process ends with this exit code. */
PEAL_PRIVATE void peal_supervised_done(struct peal_supervisor *supervisor, int code);

/* Supervise the child.  seconds: the limit of loading and that of running, after which the child has a little longer to
 * end by itself; 0: no limit.  *code: of PEAL_SUPERVISED_DONE the exit code, of the last two the signal.
 *
 *   blocks   until the child has ended, or is stopped for good                            */
PEAL_PRIVATE enum peal_supervised peal_supervise(struct peal_supervisor *supervisor, double seconds, int *code);

/* Give `machine`, created from the same options as the child's and not run, the state of the child's machine when the
 * child was lost or interrupted: schedule, cost, the state of each node.  Its failure says why; after an interrupt only
 * the failure's nodes are meaningful. */
PEAL_PRIVATE void peal_supervisor_recover(struct peal_supervisor *supervisor, struct peal_machine *machine);
