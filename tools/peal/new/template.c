/* SPDX-License-Identifier: MIT */
/* Writes a template: its words, and those of its lines whose conditions hold. */
#include "new/template.h"
#include <stdbool.h>
#include <string.h>

/* What replaces the word between two @ at `at`; *bytes: its length with both; NULL: there is no such word. */
static const char *
template_word_at(const char *at, const struct template_word *words, size_t *bytes)
{
    size_t length = *at == '@' ? strcspn(at + 1, "@\n") : 0;

    *bytes = length + 2;
    for (; length > 0 && at[length + 1] == '@' && words->name; words++)
        if (strlen(words->name) == length && strncmp(words->name, at + 1, length) == 0)
            return words->text;
    return NULL;
}

/* Whether the conditions at the beginning of the line hold; *at then follows them. */
static bool
line_holds(const char **at, const struct template_word *words)
{
    bool holds = true;
    size_t bytes;

    for (; (*at)[0] == '@' && ((*at)[1] == '?' || (*at)[1] == '!'); *at += bytes + 1) {
        char name[40];

        snprintf(name, sizeof name, "@%.*s", (int)strcspn(*at + 2, "\n"), *at + 2);
        holds &= (*template_word_at(name, words, &bytes) != '\0') == ((*at)[1] == '?');
    }
    return holds;
}

void
template_write(FILE *out, const char *text, const struct template_word *words)
{
    while (*text) {
        bool holds = line_holds(&text, words);

        for (size_t bytes; *text && *text != '\n'; text += bytes) {
            const char *word = template_word_at(text, words, &bytes);

            bytes = word ? bytes : 1;
            if (holds)
                fprintf(out, "%.*s", word ? (int)strlen(word) : 1, word ? word : text);
        }
        if (holds && *text)
            fputc('\n', out);
        text += *text == '\n';
    }
}
