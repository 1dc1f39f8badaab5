/* SPDX-License-Identifier: MIT */
/* Untrusted nodes in Python, each a process in a sandbox of its own. */
#pragma once

#include "lib/program/compile.h"
#include <peal/machine.h>
#include <stdbool.h>
#include <stdint.h>

enum { MAX_TEXTS = 2 };

/* A file of the program.  Its name is borrowed; the bytes are from malloc. */
struct enclosed_text {
    const char *name;
    void *bytes;
    size_t size;
};

/* The program, and the module `submission` that it imports, if there are two texts. */
struct enclosed_program {
    struct enclosed_text texts[MAX_TEXTS];
    int count;
    bool (*refuses)(const void *arg, const char *call); /* whether a call of this function of MPI fails a run */
    const void *refuses_for;
};

bool enclosed_read(struct enclosed_text *text, const char *path, struct peal_error *error);

/* Start the processes of the next run, in a process that then enters a sandbox; `seeds`: one per node.  NULL, or what
 * failed, as errno says. */
const char *enclosed_start(const struct enclosed_program *program, const struct peal_options *machine, int argc,
                           char **argv, const uint64_t *seeds);
