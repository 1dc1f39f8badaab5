/* SPDX-License-Identifier: MIT */
/* A word in quotes where a shell needs them. */
#include "lib/base/shell_word.h"
#include <stdio.h>
#include <string.h>

static void
put(char *text, size_t bytes, size_t *length, const char *piece)
{
    if (*length < bytes)
        snprintf(text + *length, bytes - *length, "%s", piece);
    *length += strlen(piece);
}

size_t
peal_shell_word(const char *word, char *text, size_t bytes)
{
    const char *quote = !*word || strpbrk(word, " \t\n$&|;<>()[]{}*?~#!`\"'\\") ? "'" : "";
    size_t length = 0;

    put(text, bytes, &length, quote);
    for (; *word; word++)
        put(text, bytes, &length, *word == '\'' ? "'\\''" : (char[]){*word, '\0'});
    put(text, bytes, &length, quote);
    return length;
}
