/* SPDX-License-Identifier: MIT */
/* MPI programs: what differs when one is run, and pealrun's command line. */
#ifndef PEAL_TOOLS_MPI_H
#define PEAL_TOOLS_MPI_H

#include "session.h"

/* Change the session's request to what the machine of an MPI program is, where the program is one: words are bytes, of
 * which 8 cost 1; stacks are those of processes.  What was said stays.
 *
 *   errors   PEAL_USAGE for an option that is not for such programs                                     */
enum peal_status mpi_prepare(struct session *session, struct peal_error *error);

/* Print the one line of summary. */
void mpi_summary(FILE *out, const struct session *session);

/* Whether the command was called by a name that starts MPI programs; then the command line of peal run that says the same.
 *
 *   owner    *words is to be freed; NULL without memory
 *   errors   PEAL_USAGE                                                                                */
bool mpi_launches(const char *name);
enum peal_status mpi_command_line(int argc, char **argv, char ***words, int *count, struct peal_error *error);

#endif
