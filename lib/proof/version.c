/* SPDX-License-Identifier: MIT */
/* Asks programs for their versions. */
#include "lib/proof/version.h"
#include "lib/base/process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first line that the program writes; false: it is missing. */
static bool
first_line(const char *program, char text[VERSION_TEXT], int *ended)
{
    char *const words[] = {(char *)(uintptr_t)program, "--version", NULL};
    char rest[200];
    pid_t process;
    int from;
    FILE *in;

    text[0] = '\0';
    if (peal_spawn(words, (const int[]){PEAL_SPAWN_NOTHING, PEAL_SPAWN_PIPE, PEAL_SPAWN_NOTHING}, &process, &from) != 0)
        return false;
    if ((in = fdopen(from, "r"))) {
        if (!fgets(text, VERSION_TEXT, in))
            text[0] = '\0';
        while (fgets(rest, sizeof rest, in)) /* or it fails to write */
            ;
        fclose(in);
    } else {
        close(from);
    }
    *ended = peal_spawn_wait(process, -1);
    text[strcspn(text, "\n")] = '\0';
    return true;
}

/* Whether version `a` is older: numbers between dots. */
static bool
is_older(const char *a, const char *b)
{
    for (;;) {
        char *end_a, *end_b;
        long x = strtol(a, &end_a, 10), y = strtol(b, &end_b, 10);

        if (x != y || *end_b != '.')
            return x < y;
        a = end_a + (*end_a == '.');
        b = end_b + 1;
    }
}

enum peal_status
version_find(const char *program, const char *least, char text[VERSION_TEXT], struct peal_error *error)
{
    static const char cannot[] = "cannot prove for every P here";
    const char *version;
    int ended;

    if (!first_line(program, text, &ended))
        return peal_refuse(error, PEAL_RESOURCES, "%s: %s is missing: install the package %s", cannot, program,
                           program);
    version = strstr(text, "version ");
    if (ended != 0 || !version)
        return peal_refuse(error, PEAL_RESOURCES, "%s: %s --version fails", cannot, program);
    version += strlen("version ");
    if (is_older(version, least))
        return peal_refuse(error, PEAL_RESOURCES, "%s: expected %s %s or newer, got %.*s", cannot, program, least,
                           (int)strcspn(version, " "), version);
    return PEAL_OK;
}
