/* SPDX-License-Identifier: MIT */
/* Explains a compiler's error about an undeclared function by the names that the file defines. */
#include "lib/check/asked.h"
#include "lib/program/compile.h"
#include "lib/sandbox/unit.h"
#include <string.h>

/* Whether a line of the compiler reports that this name is undeclared, or declared by its call; it has the name in
 * quotes. */
static bool
is_undeclared(const char *messages, const char *name)
{
    for (const char *line = messages; *line; line += strcspn(line, "\n"), line += *line != '\0') {
        const char *end = line + strcspn(line, "\n"), *what = strstr(line, "undeclared"), *first = strstr(line, name);

        if (!what || what >= end)
            what = strstr(line, "implicit declaration");
        if (what && what < end && first && first < end)
            return true;
    }
    return false;
}

bool
missing_function(const struct peal_check *check, const char *messages, struct peal_error *error)
{
    const struct unit_source alone = {.file = check->file,
                                      .before = check->mpi ? NULL
                                                           : "#include <peal/author.h>\n"
                                                             "#define peal_main peal_main_of_the_file\n",
                                      .compiler = check->compiler,
                                      .flags = check->flags,
                                      .untrusted = check->untrusted,
                                      .mpi = check->mpi,
                                      .alone = true};
    struct peal_error why;
    struct unit unit;
    bool missing = false;

    if (!messages || !check->symbol || !is_undeclared(messages, check->symbol))
        return false;
    if (unit_compile(&unit, &alone, &why) == PEAL_OK)
        missing = function_find(check->file, check->symbol, unit.program.calls, error) == PEAL_PROGRAM;
    unit_free(&unit);
    return missing;
}
