/* SPDX-License-Identifier: MIT */
/* Explains a compiler's error by the file alone: its own errors, or the functions that it defines. */
#include "lib/check/validate.h"
#include <string.h>

/* Whether a line of the compiler reports that this name is undeclared, or declared by its call; it has the name in
 * quotes, in C++ without its namespace. */
static bool
is_undeclared(const char *messages, const char *symbol)
{
    static const char *const signs[] = {"undeclared", "implicit declaration", "not declared", "is not a member"};
    const char *name = symbol;

    for (const char *inner = name; (inner = strstr(inner, "::"));)
        name = inner += 2;
    for (const char *line = messages; *line; line += strcspn(line, "\n"), line += *line != '\0') {
        const char *end = line + strcspn(line, "\n");
        bool named = memmem(line, (size_t)(end - line), name, strcspn(name, "<")) != NULL;

        for (size_t i = 0; named && i < sizeof signs / sizeof *signs; i++) {
            const char *what = strstr(line, signs[i]);

            if (what && what < end)
                return true;
        }
    }
    return false;
}

/* Whether there are errors in the code around the file, which takes the function's address, that are not about its
 * type: then it is a variable. */
static bool
is_variable(const struct unit *unit, const char *messages)
{
    size_t length = unit->wrapper ? strlen(unit->wrapper) : 0;

    for (const char *line = messages; *line; line += strcspn(line, "\n"), line += *line != '\0') {
        const char *end = line + strcspn(line, "\n"), *sign = strstr(line, " error: "),
                   *type = strstr(line, "function pointer types"), *other = strstr(line, "invalid conversion");

        if (length > 0 && strncmp(line, unit->wrapper, length) == 0 && sign && sign < end && !(type && type < end) &&
            !(other && other < end)) /* of C++ */
            return true;
    }
    return false;
}

bool
missing_function(const struct peal_check *check, struct unit *unit, struct peal_error *error)
{
    const struct unit_source source = {.file = check->file,
                                       .before = check->mpi ? NULL
                                                            : "#include <peal/author.h>\n"
                                                              "#define peal_main peal_main_of_the_file\n",
                                       .compiler = check->compiler,
                                       .flags = check->flags,
                                       .untrusted = check->untrusted,
                                       .mpi = check->mpi,
                                       .alone = true};
    struct peal_error why;
    struct unit alone;
    bool missing = false;
    enum peal_status status = unit_compile(&alone, &source, &why);

    if (status == PEAL_PROGRAM && alone.messages && alone.messages[0]) {
        struct unit both = *unit;

        *unit = alone;
        alone = both;
    } else if (status == PEAL_OK) {
        bool undeclared = is_undeclared(unit->messages, check->symbol),
             variable = !undeclared && (check->mpi ? strstr(unit->messages, "is not a function") != NULL
                                                   : is_variable(unit, unit->messages));

        missing = (variable || undeclared) &&
                  function_find(check->file, check->symbol, alone.program.calls, error) == PEAL_PROGRAM;
        if (missing && variable)
            peal_refuse(error, PEAL_PROGRAM, "%s: %s is not a function", check->file, check->symbol);
    }
    unit_free(&alone);
    return missing;
}
