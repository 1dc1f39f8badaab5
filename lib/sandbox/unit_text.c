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
