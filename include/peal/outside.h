/* SPDX-License-Identifier: MIT */
/* Nodes whose program runs in a process of its own, outside of the machine's: how they wait for it, and the places of
 * its calls, whose code this process does not have. */
#ifndef PEAL_OUTSIDE_H
#define PEAL_OUTSIDE_H

#include <peal/machine.h>

PEAL_BEGIN

/* Wait until came(arg) holds, while the carrier runs other nodes; the phase goes on.  When none of its nodes can run,
 * the carrier calls `sleep`, which returns when one of them may, or after some milliseconds.
 *
 *   blocks   until then; does not return when the run is over, or failed a second ago */
PEAL_API void peal_wait_outside(struct peal_node *me, bool (*came)(void *arg), void *arg, void (*sleep)(void));

/* Fail the run for node `rank`, which waits: its process is gone.  Returns. */
PEAL_API void peal_fail_other(struct peal_node *me, int rank, int kind, const char *file, int line, const char *format,
                              ...) PEAL_PRINTF(6, 7);

/* Threads of the nodes' programs that are not nodes.  All nodes are in calls, and nothing moves but some that poll.
 * Before that is a failure: whether such a thread of a node, which polls or waits, wants to call, or may; fail the run
 * for it, by peal_fail_other, as the node waits. */
struct peal_other_threads {
    bool (*may_call)(int rank, bool polls);
    void (*refuse)(int rank);
};

/* Ask these from now on; NULL: nobody is asked.  owner: borrows them.  thread: not while nodes run */
PEAL_API void peal_other_threads(const struct peal_other_threads *threads);

/* Whether the linked program that runs calls functions that start threads. */
PEAL_API bool peal_program_starts_threads(void);

/* Whose library of MPI a file is, by its name and by what lies beside it. */
enum peal_mpi_library { PEAL_MPI_NONE, PEAL_MPI_OWN, PEAL_MPI_OTHER };

PEAL_API enum peal_mpi_library peal_mpi_library_of(const char *path);

/* Let places be made, in this process and those that it forks.  false without memory. */
PEAL_API bool peal_places_begin(void);

/* The place of a line of a text, as an address for PEAL_CODE: the function that has the line, and the one `through`
 * which it makes the call, may be "".  Or, with line 0, of the code at `offset` in a file with debugging information,
 * the end of a call.  NULL: there is no room for more. */
PEAL_API const char *peal_place_of(const char *file, int line, const char *function, const char *through,
                                   uint64_t offset);

PEAL_END

#endif
