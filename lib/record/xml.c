/* SPDX-License-Identifier: MIT */
/* Text in XML. */
#include "lib/record/xml.h"
#include "lib/base/text.h"

/* The length of the character at `text`, and its number; 0 when it is invalid in UTF-8 or XML. */
static int
character_bytes(const char *text, uint32_t *code)
{
    int bytes = peal_character(text, code);

    return *code < ' ' || *code == 0xFFFE || *code == 0xFFFF ? 0 : bytes;
}

void
peal_write_xml(FILE *out, const char *text, bool lines)
{
    uint32_t code = 0;

    for (int bytes; *text; text += bytes > 0 ? bytes : 1) {
        bytes = character_bytes(text, &code);
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
            if (bytes > 0 && peal_control(text) > 0)
                fprintf(out, "&#%u;", code);
            else
                fwrite(bytes > 0 ? text : "?", 1, bytes > 0 ? (size_t)bytes : 1, out);
        }
    }
}
