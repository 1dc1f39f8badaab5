/* SPDX-License-Identifier: MIT */
/* `--engine mpi`: the command starts itself as the processes of an MPI job, and passes on the result. */
#pragma once

#include "options/options.h"

/* Whether the request asks for an MPI job that this process is not in yet. */
bool launch_needed(const struct command_request *request);

/* Start `argv` as the processes of a job and wait for them; the exit code is that of node 0's process. */
int launch(const struct command_request *request, char **argv);

/* Join the job that this process is in, if the request asks for one: all processes but node 0's then print and write
 * nothing.  Takes the number of nodes from the job where the command line has none.
 *
 *   errors   PEAL_USAGE, PEAL_RESOURCES as peal_mpi_begin                                        */
enum peal_status launch_join(struct command_request *request, struct peal_error *error);

/* Whether this process is one of a job and not node 0's. */
bool launch_is_silent(void);

/* Leave the job; returns this process's exit code, without a job `code`. */
int launch_leave(int code);
