/* SPDX-License-Identifier: MIT */
/* Declares the function to check before the user's file is read, and refuses a file that does not define it. */
#include "lib/base/nearest.h"
#include "lib/program/compile.h"
#include "lib/program/isolate.h"
#include "lib/program/source.h"
#include <errno.h>
#include <stdlib.h>

bool
isolate_has(const char *lines, const char *name, size_t length)
{
    for (size_t line; lines && *lines; lines += line + (lines[line] != '\0')) {
        line = strcspn(lines, "\n");
        if (line == length && memcmp(lines, name, length) == 0)
            return true;
    }
    return false;
}

enum peal_status
function_declare(const char *path, const char *declaration, struct peal_error *error)
{
    FILE *out = fopen(path, "we");
    bool written = out && fprintf(out,
                                  "#line 1 \"expected declaration\"\n"
                                  "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
                                  "#line 1\n%s%s\n"
                                  "#ifdef __cplusplus\n}\n#endif\n",
                                  declaration, text_has_ending(declaration, "}") ? "" : ";") > 0;

    if (out && fclose(out) == 0 && written)
        return PEAL_OK;
    return peal_refuse(error, PEAL_RESOURCES, "%s cannot be written: %s", path, strerror(errno));
}

/* The function's name in the file, which differs where its main was renamed (main_of_the_file). */
static char *
own_name(char *name)
{
    demangle(name);
    char *renamed = strstr(name, "_of_the_file");

    if (renamed && (strncmp(name, "peal_main_", 10) == 0 || strncmp(name, "main_", 5) == 0))
        *renamed = '\0';
    return name;
}

/* List the functions of the file. */
static enum peal_status
function_refuse(const char *path, const char *function, char *calls, struct peal_error *error)
{
    struct nearest near = {.word = function};
    char *rest = NULL;

    for (char *line = strtok_r(calls, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (line[0] == '=' && strncmp(line, "=_ZNSt", 6) != 0 && strncmp(line, "=_ZNKSt", 7) != 0 &&
            strncmp(line, "=_ZSt", 5) != 0 && strncmp(line, "=_ZT", 4) != 0) { /* not of the C++ library */
            const bool mangled = strncmp(line, "=_Z", 3) == 0;

            const char *name = own_name(line + 1);

            if (mangled && strcmp(name, function) == 0)
                return peal_refuse(error, PEAL_PROGRAM,
                                   "%s: %s has the name that C++ gives it: declare it extern \"C\"", path, function);
            peal_nearest_offer(&near, name);
        }
    return peal_refuse(error, PEAL_PROGRAM, "%s has no function '%s'%s%s", path, function,
                       peal_nearest_words(&near, near.all[0] ? "; it has " : ", and none that is not static"),
                       near.name ? "" : near.all);
}

enum peal_status
function_find(const char *path, const char *function, const char *calls, struct peal_error *error)
{
    char name[300], *copy;
    int length = snprintf(name, sizeof name, "=%s", function);

    if (calls && length < (int)sizeof name && isolate_has(calls, name, (size_t)length))
        return PEAL_OK;
    copy = strdup(calls ? calls : "");
    if (!copy)
        return peal_refuse(error, PEAL_RESOURCES, "%s: no memory to look for %s", path, function);
    enum peal_status status = function_refuse(path, function, copy, error);

    free(copy);
    return status;
}
