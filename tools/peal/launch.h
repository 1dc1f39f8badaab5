/* SPDX-License-Identifier: MIT */
/* `--engine mpi`: the command starts itself as the processes of an MPI job, and gives on what came of it. */
#ifndef PEAL_LAUNCH_H
#define PEAL_LAUNCH_H

#include "options.h"

/* Whether the request asks for an MPI job that this process is not in yet. */
bool launch_needed(const struct request *request);

/* Start `argv` as so many processes, wait for them; the exit code is that of the process of node 0. */
int launch(const struct request *request, char **argv);

/* Join the job that this process is in, if the request asks for one: processes but node 0's then say and write nothing of
 * their own.  Takes the number of nodes from the job where the command line has none.
 *
 *   errors   PEAL_USAGE, PEAL_RESOURCES as peal_mpi_begin                                        */
enum peal_status launch_join(struct request *request, struct peal_error *error);

/* Whether this process is one of a job and not node 0's. */
bool launch_is_silent(void);

/* Leave the job; gives the code this process is to exit with.  Without a job that is `code`. */
int launch_leave(int code);

#endif
