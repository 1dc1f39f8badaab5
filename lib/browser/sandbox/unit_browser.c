/* SPDX-License-Identifier: MIT */
/* In the browser the page compiles a user's file, in a worker of its own (lib/program/program_browser.c). */
#include "lib/program/unit_browser.h"
#include "lib/sandbox/unit.h"
#include <stdlib.h>
#include <string.h>

enum peal_status
unit_compile(struct unit *unit, const struct unit_source *source, struct peal_error *error)
{
    const struct browser_unit asked = {.file = source->file,
                                       .before = source->before,
                                       .after = source->after,
                                       .judge = source->judge_text,
                                       .flags = source->flags,
                                       .mpi = source->mpi || source->calls_mpi,
                                       .watched = source->watched && !source->mpi};

    *unit = (struct unit){.real = source->file ? strdup(source->file) : NULL,
                          .wrapper = strdup(source->file ? source->file : "")};
    if (!unit->wrapper || (source->file && !unit->real))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    enum peal_status status = unit_find(&asked, &unit->program, &unit->messages, error);

    if (!unit->messages)
        unit->messages = calloc(1, 1);
    return unit->messages ? status : peal_refuse(error, PEAL_RESOURCES, "not enough memory");
}
