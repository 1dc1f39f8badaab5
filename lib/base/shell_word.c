/* SPDX-License-Identifier: MIT */
/* A word in quotes where a shell needs them; one with controlling characters in $'...', as bash reads it. */
#include "lib/base/shell_word.h"
#include "lib/base/text.h"

static void
shell_word_put(char *text, size_t bytes, size_t *length, const char *piece)
{
    if (*length < bytes)
        snprintf(text + *length, bytes - *length, "%s", piece);
    *length += strlen(piece);
}

size_t
peal_shell_word(const char *word, char *text, size_t bytes)
{
    bool controls = false;

    for (const char *at = word; *at && !controls; at++)
        controls = peal_control(at) > 0;
    const char *quote = controls || !*word || strpbrk(word, " $&|;<>()[]{}*?~#!`\"'\\") ? "'" : "";
    size_t length = 0;

    shell_word_put(text, bytes, &length, controls ? "$" : "");
    shell_word_put(text, bytes, &length, quote);
    for (; *word; word++) {
        char piece[8] = {*word};

        if (controls && ((unsigned char)*word < ' ' || (unsigned char)*word >= 0x7F || strchr("'\\", *word)))
            snprintf(piece, sizeof piece, "\\%03o", (unsigned char)*word);
        shell_word_put(text, bytes, &length, !controls && *word == '\'' ? "'\\''" : piece);
    }
    shell_word_put(text, bytes, &length, quote);
    return length;
}

int
peal_shell_cut(char *line, char **words, int most)
{
    char *to = line, quote = '\0';
    int count = 0;

    for (char *s = line + strspn(line, " \t"); *s; s += strspn(s, " \t")) {
        if (count == most)
            return -1;
        words[count++] = to;
        for (; *s && (quote || !strchr(" \t", *s)); s++)
            if (quote ? *s == quote : *s == '\'' || *s == '"')
                quote = quote ? '\0' : *s;
            else
                *to++ = *s == '\\' && !quote && s[1] ? *++s : *s;
        s += *s != '\0';
        *to++ = '\0';
    }
    words[count] = NULL;
    return quote ? -1 : count;
}
