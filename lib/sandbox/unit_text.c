/* SPDX-License-Identifier: MIT */
/* A unit's names in texts, and the compiler's complaint about it. */
#include "lib/sandbox/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
unit_free(struct unit *unit)
{
    free(unit->program.bytes);
    free(unit->program.calls);
    free(unit->real);
    free(unit->wrapper);
    free(unit->messages);
    *unit = (struct unit){.real = NULL};
}

void
unit_replace(const char *name, const char *given, char *text, size_t bytes)
{
    size_t long_name = strlen(name), short_name = strlen(given);

    for (char *at = text; (at = strstr(at, name)); at += short_name) {
        size_t rest = strlen(at + long_name) + 1;

        if ((size_t)(at - text) + short_name + rest > bytes)
            return;
        memmove(at + short_name, at + long_name, rest);
        memcpy(at, given, short_name);
    }
}

void
unit_shorten(const struct unit *unit, const char *given, char *text, size_t bytes)
{
    if (unit->wrapper)
        unit_replace(unit->wrapper, given, text, bytes);
    if (unit->real)
        unit_replace(unit->real, given, text, bytes);
}

char *
unit_complaint(const struct unit *unit, const char *given, char text[300])
{
    static const char *const signs[] = {"error:", "undefined reference", "undefined symbol"};
    const char *line = unit->messages;

    for (const char *at = line; *at; at += strcspn(at, "\n"), at += *at != '\0')
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
            const char *found = strstr(at, signs[i]);

            if (found && found < at + strcspn(at, "\n")) {
                snprintf(text, 300, "%.*s", (int)strcspn(at, "\n"), at);
                unit_shorten(unit, given, text, 300);
                return text;
            }
        }
    snprintf(text, 300, "%.*s", (int)strcspn(line, "\n"), line);
    return text;
}

void
unit_show(const struct unit *unit, const char *given)
{
    char line[4096];

    for (const char *at = unit->messages, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(end - at), at);
        bool around = unit->real && strcmp(unit->wrapper, given) != 0, linked = strstr(line, "undefined reference");

        if (around && strncmp(line, "In file included from ", 22) == 0 && strstr(line, unit->wrapper) == line + 22)
            continue;
        if (around && !linked)
            unit_replace(unit->wrapper, "<peal>", line, sizeof line);
        unit_shorten(unit, given, line, sizeof line);
        fprintf(stderr, "%s\n", line);
    }
}
