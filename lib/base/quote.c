/* SPDX-License-Identifier: MIT */
/* Quotes a user's text for a message: at most one line, cut between characters of UTF-8. */
#include "lib/base/text.h"

struct quoted
quote(const char *text)
{
    static const char dots[] = "...";
    struct quoted quoted;
    size_t room = sizeof quoted.text - sizeof "''", used = strlen(text);
    bool cut = used > room;

    if (cut) {
        used = room - strlen(dots);
        while (used > 0 && ((unsigned char)text[used] & 0xC0) == 0x80)
            used--;
    }
    snprintf(quoted.text, sizeof quoted.text, "'%.*s%s'", (int)used, text, cut ? dots : "");
    make_plain(quoted.text);
    return quoted;
}
