/* SPDX-License-Identifier: MIT */
/* Texts that are put together in a place of fixed size. */
#pragma once

#include "lib/base/private.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Where a text is and how much room it has, its end included.  The text ends at its '\0'. */
struct peal_text {
    char *start;
    size_t bytes;
};

/* The text in an array of characters. */
#define IN_ARRAY(array) ((struct peal_text){array, sizeof(array)})

/* An empty text at `start`, where there is room for at least one byte. */
static inline struct peal_text
empty_text(char *start, size_t bytes)
{
    start[0] = '\0';
    return (struct peal_text){start, bytes};
}

/* Append to the text as much as there is room for: what does not fit is cut between characters of UTF-8. */
PEAL_PRIVATE void peal_append(struct peal_text text, const char *format, ...) PEAL_PRINTF(2, 3);
PEAL_PRIVATE void peal_append_list(struct peal_text text, const char *format, va_list list) PEAL_PRINTF(2, 0);

/* Whether both are the same text, or NULL. */
static inline bool
same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Whether the text is one of these names, NULL after the last. */
static inline bool
names_have(const char *const *names, const char *text)
{
    while (*names && strcmp(*names, text) != 0)
        names++;
    return *names;
}

/* Whether something stands before this ending. */
static inline bool
has_ending(const char *text, const char *ending)
{
    size_t length = strlen(text), end = strlen(ending);

    return length > end && strcmp(text + length - end, ending) == 0;
}

/* The name of a file without its folders; NULL of none. */
static inline const char *
file_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash ? slash + 1 : path;
}

/* Whether a text controls a terminal, or ends a line, here: by a character of ASCII or by two bytes beyond it. */
static inline bool
is_control(const char *text)
{
    return (unsigned char)text[0] < ' ' || text[0] == 0x7F ||
           ((unsigned char)text[0] == 0xC2 && (unsigned char)text[1] >= 0x80 && (unsigned char)text[1] < 0xA0);
}

/* Replace what would control a terminal or forge a line in a text that untrusted code made, but for the characters that
 * are kept. */
static inline void
make_plain_but(char *text, const char *kept)
{
    for (; *text; text++)
        if (is_control(text) && !strchr(kept, *text)) {
            if ((unsigned char)text[0] == 0xC2)
                text[1] = '?';
            text[0] = '?';
        }
}

/* Replace ends of lines, too. */
static inline void
make_plain(char *text)
{
    make_plain_but(text, "");
}

/* Give the ending of a noun after a number of any type: "" for one, else "s". */
#define plural(count) ((count) == 1 ? "" : "s")

struct quoted {
    char text[80];
};

/* Give `text` in quotes, as 'x': control characters become "?", what is too long is cut, between characters, with
 * "...". As an argument, quote(word).text lives until the call it is in returns. */
struct quoted quote(const char *text);
