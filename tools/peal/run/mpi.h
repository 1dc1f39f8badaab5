/* SPDX-License-Identifier: MIT */
/* MPI programs: how their runs differ, and pealrun's command line. */
#pragma once

#include "run/session.h"
#include <stdbool.h>

/* If the program is one for MPI, change the session's request to the machine of MPI programs: words are bytes, 8 of
 * which cost 1; stacks are those of processes.  Given options stay.
 *
 *   errors   PEAL_USAGE for an option that does not apply to such programs                                     */
enum peal_status mpi_prepare(struct session *session, struct peal_error *error);

/* Refuse the options that are for MPI programs alone: this is a run of something else.  errors: PEAL_USAGE */
enum peal_status mpi_only(const struct command_request *request, struct peal_error *error);

/* The usual options of such a machine. */
void mpi_usual(struct peal_options *machine);

/* Print the one line of summary. */
void mpi_summary(FILE *out, const struct session *session);

/* Print the help of pealrun. */
void mpi_help(void);

/* Whether the command was called by a name that starts MPI programs; if so, the equivalent command line of peal run.
 *
 *   owner    *words is to be freed; NULL without memory
 *   errors   PEAL_USAGE                                                                                */
bool mpi_launches(const char *name);
enum peal_status mpi_command_line(int argc, char **argv, char ***words, int *count, struct peal_error *error);

/* Restart this command with the library that the program at `path` needs to be loaded first, unless it is loaded.
 * *needed: there is one.
 *
 *   errors   PEAL_PROGRAM if the library cannot be loaded first                              */
enum peal_status preload(const char *path, bool *needed, struct peal_error *error);
