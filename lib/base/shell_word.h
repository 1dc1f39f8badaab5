/* SPDX-License-Identifier: MIT */
/* A word as a shell reads it back. */
#pragma once

#include "lib/base/private.h"
#include <stddef.h>

/* Write `word` as a shell reads it, in quotes where it needs them.  Gives its length, as snprintf does. */
PEAL_PRIVATE size_t peal_shell_word(const char *word, char *text, size_t bytes);

/* Cut a line into words in place, as a shell does with blanks, quotes and backslashes; NULL after the last.  Gives
 * their number; -1 for a quote that does not end, or more than `most` words. */
PEAL_PRIVATE int peal_shell_cut(char *line, char **words, int most);

struct pasted {
    char text[400];
};

/* Give `word` as a shell reads it, cut if it is long, for a command in a message.  As an argument, pasted(word).text
 * lives until the call it is in returns. */
static inline struct pasted
pasted(const char *word)
{
    struct pasted pasted;

    peal_shell_word(word, pasted.text, sizeof pasted.text);
    return pasted;
}
