/* SPDX-License-Identifier: MIT */
/* Reads the lines of an assignment for inih, and keeps the first error with its line. */
#include "grade/ini_lines.h"
#include "lib/base/grow.h"
#include "write/files.h"
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdlib.h>

/* inih's longest line, its line break included. */
enum { MAX_CHARACTERS = 198 };

/* Far more than anybody writes: no more are read from an endless pipe. */
enum { MAX_LINES = 100000 };

/* The byte order mark, which some editors put before the first line. */
#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

void
lines_refuse(struct ini_lines *lines, int line, const char *format, ...)
{
    char text[400];
    va_list list;

    if (lines->failed)
        return;
    lines->failed = true;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    peal_refuse(lines->error, PEAL_USAGE, "%s:%d: %s", lines->path, line, text);
}

void *
lines_hold(struct ini_lines *lines, void *memory)
{
    if (!memory || !grow_by_one(&lines->held, lines->held_count, sizeof memory)) {
        free(memory);
        if (!lines->failed)
            peal_refuse(lines->error, PEAL_RESOURCES, "%s: not enough memory", lines->path);
        lines->failed = true;
        return NULL;
    }
    return lines->held[lines->held_count++] = memory;
}

/* "[test NAME]" or "[assignment]" begins. */
static void
begin_section(struct ini_lines *lines, const char *text)
{
    size_t length = strcspn(text, "]");
    char name[MAX_CHARACTERS + 2];

    snprintf(name, sizeof name, "%.*s", (int)length, text);
    lines->section = -1;
    if (strcmp(name, "assignment") == 0) {
        if (lines->sections[0])
            lines_refuse(lines, lines->line, "duplicate section [assignment]");
        lines->sections[0] = lines_hold(lines, strdup(name));
        lines->section = 0;
        return;
    }
    const char *test = strncmp(name, "test ", 5) == 0 ? name + 5 + strspn(name + 5, " ") : "";

    if (!*test)
        lines_refuse(lines, lines->line, "unknown section [%s]: expected [assignment] or [test NAME]", name);
    else if (!lines->sections[0])
        lines_refuse(lines, lines->line, "[assignment] comes first");
    else if (lines->section_count == MAX_TESTS)
        lines_refuse(lines, lines->line, "an assignment has %d tests at most", MAX_TESTS);
    for (int i = 1; i <= lines->section_count && !lines->failed; i++)
        if (strcmp(lines->sections[i], test) == 0)
            lines_refuse(lines, lines->line, "duplicate test '%s': line %d has it too", test, lines->section_lines[i]);
    if (lines->failed)
        return;
    lines->section = ++lines->section_count;
    lines->sections[lines->section] = lines_hold(lines, strdup(test));
    lines->section_lines[lines->section] = lines->line;
}

/* Read a line for inih. */
static char *
ini_lines_next(char *text, int size, void *stream)
{
    struct ini_lines *lines = stream;

    if (lines->failed || !fgets(text, size, lines->in))
        return NULL;
    if (++lines->line > MAX_LINES)
        lines_refuse(lines, lines->line, "an assignment has %d lines at most", MAX_LINES);
    if (lines->line == 1 && strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0)
        memmove(text, text + strlen(BYTE_ORDER_MARK), strlen(text + strlen(BYTE_ORDER_MARK)) + 1);
    if (!strchr(text, '\n') && !feof(lines->in))
        lines_refuse(lines, lines->line, "a line has more than %d bytes: go on in an indented line", size - 2);
    lines->indented = isspace((unsigned char)*text) != 0;
    if (text[strspn(text, " \t")] == '[' && !lines->failed)
        begin_section(lines, text + strspn(text, " \t") + 1);
    return text;
}

const struct ini_entry *
lines_find(const struct ini_lines *lines, int section, const char *key)
{
    for (size_t i = 0; i < lines->count; i++)
        if (lines->entries[i].section == section && strcmp(lines->entries[i].key, key) == 0)
            return &lines->entries[i];
    return NULL;
}

/* inih has found a key and its value. */
static int
take_entry(void *stream, const char *section, const char *key, const char *value)
{
    struct ini_lines *lines = stream;
    struct ini_entry *last = lines->count > 0 ? &lines->entries[lines->count - 1] : NULL;

    (void)section;
    if (lines->failed)
        return 0;
    if (lines->section < 0)
        return lines_refuse(lines, lines->line, "key '%s' is in no section: begin with [assignment]", key), 0;
    if (last && lines->indented && last->section == lines->section && strcmp(last->key, key) == 0) {
        size_t bytes = strlen(last->value) + strlen(value) + 2;
        char *longer = lines_hold(lines, malloc(bytes));

        if (longer)
            snprintf(longer, bytes, "%s %s", last->value, value);
        last->value = longer;
        return longer != NULL;
    }
    const struct ini_entry *earlier = lines_find(lines, lines->section, key);

    if (earlier)
        return lines_refuse(lines, lines->line, "duplicate key '%s': line %d has it too", key, earlier->line), 0;
    if (!grow_by_one(&lines->entries, lines->count, sizeof *lines->entries))
        return lines_hold(lines, NULL) != NULL;
    lines->entries[lines->count] = (struct ini_entry){lines->section, lines_hold(lines, strdup(key)),
                                                      lines_hold(lines, strdup(value)), lines->line};
    return !lines->failed && lines->entries[lines->count++].key;
}

int
lines_line_of(const struct ini_lines *lines, int section, const char *key)
{
    const struct ini_entry *entry = lines_find(lines, section, key);

    if (!entry)
        entry = lines_find(lines, 0, key);
    return entry ? entry->line : lines->section_lines[section];
}

void
lines_read(struct ini_lines *lines, const char *path, struct peal_error *error)
{
    *lines = (struct ini_lines){.path = path, .error = error, .section = -1, .in = file_open(path, error)};
    if (!lines->in) {
        lines->failed = true;
        return;
    }
    error->status = PEAL_OK;
    int wrong = ini_parse_stream(ini_lines_next, lines, take_entry, lines);

    if (ferror(lines->in) && !lines->failed) {
        peal_refuse(error, PEAL_USAGE, "%s cannot be read: %s", path, strerror(errno));
        lines->failed = true;
    } else if (wrong != 0)
        lines_refuse(lines, wrong > 0 ? wrong : lines->line, "expected a [section] or key = value");
    fclose(lines->in);
    lines->in = NULL;
}

void
lines_fini(struct ini_lines *lines)
{
    for (size_t i = 0; i < lines->held_count; i++)
        free(lines->held[i]);
    free(lines->held);
    free(lines->entries);
}
