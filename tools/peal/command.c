/* SPDX-License-Identifier: MIT */
/* The list of commands, which main sets, and the line that all of them print for an error. */
#include "command.h"
#include "lib/base/nearest.h"
#include "lib/base/shell_word.h"
#include <peal/collective.h>

const struct command *const *commands;

bool
command_is(const struct command *command, int of)
{
    int i = 0;

    while (commands[i] != command)
        i++;
    return of >> i & 1;
}

const struct command *
command_find(const char *name, struct peal_error *error)
{
    struct nearest near = {.word = name};

    peal_nearest_offer(&near, "help");
    peal_nearest_offer(&near, "--version");
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
        peal_nearest_offer(&near, commands[i]->name);
    }

    const char *dot = strrchr(name, '.'), *slash = strchr(name, '/');
    char start[40];
    enum peal_collective collective;

    snprintf(start, sizeof start, "%.*s", slash ? (int)(slash - name) : 39, name);
    if ((dot && strcmp(dot, ".c") == 0) || peal_collective_find(start, &collective))
        peal_refuse(error, PEAL_USAGE, "unknown command '%s'; did you mean peal run %s?", name, pasted(name).text);
    else
        peal_refuse(error, PEAL_USAGE, "unknown command '%s'%s", name,
                    peal_nearest_words(&near, " (peal --help lists them)"));
    return NULL;
}

int
complain(const struct peal_error *error)
{
    struct peal_error plain = *error; /* one line, whatever was typed */

    make_plain(plain.text);
    fprintf(stderr, "peal: %s\n", plain.text);
    return (int)error->status;
}

int
complain_of(enum peal_status status, const char *format, ...)
{
    struct peal_error error = {.status = status};
    va_list list;

    va_start(list, format);
    vsnprintf(error.text, sizeof error.text, format, list);
    va_end(list);
    return complain(&error);
}
