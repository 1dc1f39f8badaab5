/* SPDX-License-Identifier: MIT */
/* Text in XML. */
#include "lib/record/xml.h"
#include "lib/record/json.h"
#include <string.h>

/* The length of the character at `text`; 0 when it is invalid in UTF-8 or XML. */
static int
character_bytes(const char *text)
{
    bool none =
        (unsigned char)*text < ' ' || strncmp(text, "\xEF\xBF\xBE", 3) == 0 || strncmp(text, "\xEF\xBF\xBF", 3) == 0;

    return none ? 0 : peal_json_character((const unsigned char *)text);
}

void
peal_write_xml(FILE *out, const char *text, bool lines)
{
    for (int bytes; *text; text += bytes > 0 ? bytes : 1) {
        bytes = character_bytes(text);
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\n':
            putc(lines ? '\n' : '?', out);
            break;
        default:
            fwrite(bytes > 0 ? text : "?", 1, bytes > 0 ? (size_t)bytes : 1, out);
        }
    }
}
