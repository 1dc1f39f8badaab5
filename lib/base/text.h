/* SPDX-License-Identifier: MIT */
/* Texts that are put together in a place of fixed size. */
#pragma once

#include "lib/base/private.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

/* How many bytes of the text are its first characters of UTF-8 that fit into so many. */
PEAL_PRIVATE int peal_fitting(const char *text, int bytes);

/* For "%.*s": as much of a text of the user's as fits. */
#define FITTING(bytes, text) peal_fitting(text, bytes), text

/* Write the arguments of a function, after its format, into an array of characters. */
#define WRITE_ARGUMENTS(array, format)                                                                                 \
    do {                                                                                                               \
        va_list list;                                                                                                  \
                                                                                                                       \
        va_start(list, format);                                                                                        \
        vsnprintf(array, sizeof(array), format, list);                                                                 \
        va_end(list);                                                                                                  \
    } while (0)

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

/* Whether the text has this ending, and something before it. */
static inline bool
text_has_ending(const char *text, const char *ending)
{
    size_t length = strlen(text), end = strlen(ending);

    return length > end && strcmp(text + length - end, ending) == 0;
}

/* Where the text has this word of C, which is not a part of a longer one; NULL. */
PEAL_PRIVATE const char *peal_find_word(const char *text, const char *word);

/* Put one character in the place of another, everywhere. */
static inline void
text_replace(char *text, char old, char now)
{
    for (; *text; text++)
        *text = *text == old ? now : *text;
}

/* The name of a file without its folders; NULL of none. */
static inline const char *
file_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash ? slash + 1 : path;
}

/* The bytes of the character of UTF-8 that the text begins with, and its number; 0 when it begins with none (overlong
 * and surrogates included). */
PEAL_PRIVATE int peal_character(const char *text, uint32_t *code);

/* The bytes of the character here if it controls a terminal, ends a line, or hides or reorders what is around it, the
 * end of the text included; 0 of any other. */
PEAL_PRIVATE int peal_control(const char *text);

/* Replace each such character, but for those of one byte that are kept, by "?" in a text that untrusted code made. */
PEAL_PRIVATE void peal_plain_but(char *text, const char *kept);

/* Replace ends of lines, too. */
static inline void
make_plain(char *text)
{
    peal_plain_but(text, "");
}

/* FNV-1a: a number for these bytes, after `seed`, that of what came before; DIGEST_NOTHING is that of nothing. */
#define DIGEST_NOTHING UINT64_C(0xcbf29ce484222325)

static inline uint64_t
digest_bytes(const void *bytes, size_t count, uint64_t seed)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < count; i++)
        seed = (seed ^ at[i]) * UINT64_C(0x100000001b3);
    return seed;
}

/* Give the ending of a noun after a number of any type: "" for one, else "s". */
#define plural(count) ((count) == 1 ? "" : "s")

struct quoted {
    char text[80];
};

/* Give `text` in quotes, as 'x': controlling characters become "?", what is too long is cut, between characters, with
 * "...". As an argument, quote(word).text lives until the call it is in returns. */
struct quoted quote(const char *text);
