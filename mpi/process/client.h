/* SPDX-License-Identifier: MIT */
/* The library in a process that is a node: the place from which MPI is called. */
#pragma once

#include "mpi/process/channel.h"
#include <stdbool.h>

/* Python, where the process has it: note the line that calls, of the innermost frame outside of mpi4py; false: there is
 * none.  What was printed is flushed. */
bool python_place(struct channel *channel);

/* Python: find the array in whose memory the address with[0] lies, among those that the calling frame has names for:
 * with[0], where that begins; with[1], its bytes, 0: there is none; in the room, its name. */
void python_array(struct channel *channel);

/* MPI begins: from now on note the exception that ends the program. */
void python_begin(struct channel *channel);
