/* SPDX-License-Identifier: MIT */
/* An assignment on a collective, written to start from. */
#pragma once

#include "new/template.h"
#include <peal/tools.h>

/* What is asked for. */
struct start_asked {
    const char *name; /* of the assignment, at most 60 letters */
    enum peal_collective collective;
    bool mpi;
    const char *topology; /* NULL: any */
};

/* Write one file of the assignment's folder, from a template. */
typedef enum peal_status start_write(const char *file, const char *text, const struct template_word *words,
                                     struct peal_error *error);

/* Whether there is an assignment on this collective.  errors: PEAL_USAGE */
enum peal_status start_assignment_possible(const struct start_asked *asked, struct peal_error *error);

/* Have all files written: specification, handout, starter, solution, a wrong solution, with MPI a driver.
 *
 *   errors   PEAL_RESOURCES; those of `write` */
enum peal_status start_assignment(const struct start_asked *asked, start_write *write, struct peal_error *error);
