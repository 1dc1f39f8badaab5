/* SPDX-License-Identifier: MIT */
/* The library in a process that is a node: the place from which MPI is called. */
#pragma once

#include "mpi/process/channel.h"
#include <stdbool.h>

/* Python, where the process has it: note the line that calls, of the innermost frame outside of mpi4py; false: there is
 * none.  What was printed is flushed. */
bool python_place(struct channel *channel);

/* MPI begins: from now on note the exception that ends the program. */
void python_begin(struct channel *channel);
