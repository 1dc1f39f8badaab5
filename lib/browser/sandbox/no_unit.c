/* SPDX-License-Identifier: MIT */
/* A build without processes compiles no C files: they are refused as in no_program.c. */
#include "lib/sandbox/unit.h"
#include <string.h>

enum peal_status
unit_compile(struct unit *unit, const struct unit_source *source, struct peal_error *error)
{
    memset(unit, 0, sizeof *unit);
    peal_program_load(source->file ? source->file : "a file", 1, NULL, error);
    return error->status;
}
