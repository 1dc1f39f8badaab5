/* SPDX-License-Identifier: MIT */
/* The library in a process that is a node: what it exports, and the place from which MPI is called. */
#pragma once

#define PEAL_MPI_ITSELF 1
#include "mpi/process/channel.h"
#include <peal/mpi/mpi.h>
#include <stdbool.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))

/* A function of MPI by both of its names. */
#define EXPORT(type, name, parameters)                                                                                 \
    VISIBLE type PMPI_##name parameters;                                                                               \
    extern __typeof__(PMPI_##name) MPI_##name __attribute__((weak, alias("PMPI_" #name))) VISIBLE;                     \
    type PMPI_##name parameters

/* A function that copies an attribute as it is. */
#define COPIES(name, type)                                                                                             \
    VISIBLE int name(type object, int key, void *extra, void *in, void *out, int *flag);                               \
    int name(type object, int key, void *extra, void *in, void *out, int *flag)                                        \
    {                                                                                                                  \
        (void)object, (void)key, (void)extra;                                                                          \
        memcpy(out, &in, sizeof in);                                                                                   \
        *flag = 1;                                                                                                     \
        return MPI_SUCCESS;                                                                                            \
    }

/* Python, where the process has it: note the line that calls, of the innermost frame outside of mpi4py; false: there is
 * none.  What was printed is flushed. */
bool python_place(struct call_place *place);

/* Python: let its other threads run while this one waits, if it keeps them from that; gives what python_enter
 * takes. */
void *python_leave(void);
void python_enter(void *left);

/* Python: find the array in whose memory the address with[0] lies, among those that the calling frame has names for:
 * with[0], where that begins; with[1], its bytes, 0: there is none; in the room, its name. */
void python_array(struct channel *channel);

/* MPI begins: from now on note the exception that ends the program, while it is a node: else *channel is NULL. */
void python_begin(struct channel **channel);
