/* SPDX-License-Identifier: MIT */
/* Programs that pealcc has not linked, run unchanged: nodes are processes. */
#pragma once

#include "lib/program/compile.h"

/* Whether the file is one: it needs another MPI's library, or is a script or an interpreter. */
bool foreign_is(const char *path);

/* Read the program that is loaded in its place and starts it (mpi/process).
 *
 *   owner    the caller frees program->bytes
 *   errors   PEAL_PROGRAM when it needs an MPI other than Open MPI, may not be executed, or this build lacks the parts;
 *            PEAL_RESOURCES.  foreign_read_instead: whatever file `path` is                          */
enum peal_status foreign_read_instead(const char *path, struct compiled *program, struct peal_error *error);
enum peal_status foreign_read(const char *path, struct compiled *program, struct peal_error *error);
