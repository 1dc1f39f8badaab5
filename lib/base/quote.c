/* SPDX-License-Identifier: MIT */
/* Quotes a user's text for a message: at most one line, cut between characters of UTF-8. */
#include "lib/base/text.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct quoted
quote(const char *text)
{
    static const char dots[] = "...";
    struct quoted quoted = {"'"};
    size_t room = sizeof quoted.text - sizeof "''", used = strlen(text), end = 1;
    bool cut = used > room;

    if (cut) {
        used = room - strlen(dots);
        while (used > 0 && ((unsigned char)text[used] & 0xC0) == 0x80)
            used--;
    }
    for (size_t i = 0; i < used; i++)
        quoted.text[end++] = (unsigned char)text[i] < ' ' || text[i] == 0x7F ? '?' : text[i];
    memcpy(quoted.text + end, cut ? dots : "", cut ? sizeof dots : 1);
    strcat(quoted.text, "'");
    return quoted;
}
