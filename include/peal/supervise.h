/* SPDX-License-Identifier: MIT */
/* Running somebody's program in a child process: whatever state the program leaves that process in, the parent reports.
 *
 * A program can corrupt the heap, block all signals, or end the process.  Its own process cannot be relied on to report that, nor
 * to end when its time is up.  So the caller forks: the child runs the machine and reports as usual; when it cannot, the
 * parent takes what the machine knew out of the child's memory, ends the child, and reports in its place. */
#ifndef PEAL_SUPERVISE_H
#define PEAL_SUPERVISE_H

#include <peal/machine.h>

PEAL_BEGIN

struct peal_supervisor;

enum peal_supervised {
    PEAL_SUPERVISED_DONE,        /* the child has reported, and ended */
    PEAL_SUPERVISED_LOST,        /* it cannot report: it crashed, was ended, or its time is up */
    PEAL_SUPERVISED_INTERRUPTED, /* the parent was sent SIGHUP, SIGINT or SIGTERM, which it is to die of */
    PEAL_SUPERVISED_UNBEGUN,     /* so it was while no node ran: there is nothing to recover */
};

/* Make one.  False from peal_supervisor_wanted: a debugger holds this process, and is to find the program in it.
 *
 *   owner    the caller destroys it, in both processes
 *   errors   PEAL_RESOURCES                                                    */
PEAL_API bool peal_supervisor_wanted(void);
PEAL_API struct peal_supervisor *peal_supervisor_create(struct peal_error *error);
/* End the child, and what it has started and left; give back what the supervisor holds. */
PEAL_API void peal_supervisor_destroy(struct peal_supervisor *supervisor);

/* Fork.  Gives true in the parent, which goes on with peal_supervise; false in the child, which runs one machine, says
 * peal_supervised_reports, reports, and says peal_supervised_done.
 *
 *   errors   PEAL_RESOURCES: there is no child, and *error says why
 *   thread   no other may run in the process                                              */
PEAL_API enum peal_status peal_supervisor_fork(struct peal_supervisor *supervisor, bool *parent,
                                               struct peal_error *error);

/* In the child: the run is over, and what follows is the report.  Does not return when the process is not fit to report. */
PEAL_API void peal_supervised_reports(struct peal_supervisor *supervisor);
/* In the child: all is reported, and the process is to end with this exit code. */
PEAL_API void peal_supervised_done(struct peal_supervisor *supervisor, int code);

/* Look after the child.  seconds: of each of loading and running, and some more until the child is given up; 0: no limit.
 * *code: of PEAL_SUPERVISED_DONE the exit code, of the last two the signal.
 *
 *   blocks   until the child has ended, or is stopped and will not go on                  */
PEAL_API enum peal_supervised peal_supervise(struct peal_supervisor *supervisor, double seconds, int *code);

/* Give `machine`, which is made from the same options as the child's and has not run, what that one knew when the child was
 * lost or interrupted: schedule, cost, what each node was doing.  Its failure is why; of one that was interrupted only what
 * the nodes were doing is meant. */
PEAL_API void peal_supervisor_recover(struct peal_supervisor *supervisor, struct peal_machine *machine);

PEAL_END

#endif
