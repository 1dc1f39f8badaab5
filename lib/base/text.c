/* SPDX-License-Identifier: MIT */
/* Appending to a text as printf writes, cut where the room ends. */
#include "lib/base/text.h"
#include <ctype.h>

void
peal_append_list(struct peal_text text, const char *format, va_list list)
{
    static const unsigned char begins[] = {0xC0, 0xE0, 0xF0}; /* the least first byte of characters of 2, 3, 4 bytes */
    size_t used = strlen(text.start), left = text.bytes - used;
    int length = vsnprintf(text.start + used, left, format, list);
    char *end = text.start + text.bytes - 1;

    for (int back = 1; length >= 0 && (size_t)length >= left && back <= 3 && back <= end - text.start; back++)
        if ((unsigned char)end[-back] >= begins[back - 1]) /* it lacks a byte */
            end[-back] = '\0';
}

void
peal_append(struct peal_text text, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    peal_append_list(text, format, list);
    va_end(list);
}

int
peal_fitting(const char *text, int bytes)
{
    int length = (int)strnlen(text, (size_t)bytes);

    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) /* it is not the first of its character */
        length--;
    return length;
}

static bool
is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

const char *
peal_find_word(const char *text, const char *word)
{
    for (const char *at = text; (at = strstr(at, word)); at++)
        if ((at == text || !is_of_word(at[-1])) && !is_of_word(at[strlen(word)]))
            return at;
    return NULL;
}
