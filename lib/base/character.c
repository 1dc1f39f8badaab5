/* SPDX-License-Identifier: MIT */
/* Characters of UTF-8, and which of them do something to a text instead of being seen in it. */
#include "lib/base/text.h"

int
peal_character(const char *text, uint32_t *code)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[] = {{0x80, 0x00, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};
    const unsigned char *s = (const unsigned char *)text;

    for (int more = 0; more < 4; more++) {
        if ((s[0] & forms[more].mask) != forms[more].lead)
            continue;
        *code = s[0] & (unsigned char)~forms[more].mask;
        for (int i = 1; i <= more; i++) {
            if ((s[i] & 0xC0) != 0x80) /* the final zero byte too */
                return 0;
            *code = *code << 6 | (s[i] & 0x3Fu);
        }
        if (*code < forms[more].least || *code > 0x10FFFF || (*code >= 0xD800 && *code <= 0xDFFF))
            return 0;
        return more + 1;
    }
    return 0;
}

int
peal_control(const char *text)
{
    /* Unicode's classes Cc (control), Cf (format), Zl and Zp (separators of lines and paragraphs), as of version 16;
     * 2065 and the unassigned ones of E0000 to E007F are reserved for them */
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0x00, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},       {0x600, 0x605},     {0x61C, 0x61C},
                  {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},     {0x180E, 0x180E},
                  {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},   {0xFEFF, 0xFEFF},   {0xFFF9, 0xFFFB},
                  {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
                  {0xE0000, 0xE007F}};
    uint32_t code;
    int bytes = peal_character(text, &code);

    for (size_t i = 0; bytes > 0 && i < sizeof ranges / sizeof *ranges && ranges[i].first <= code; i++)
        if (code <= ranges[i].last)
            return bytes;
    return 0;
}

void
peal_plain_but(char *text, const char *kept)
{
    char *to = text;

    for (int bytes; *text; text += bytes) {
        bytes = peal_control(text);
        *to++ = bytes > 1 || (bytes == 1 && !strchr(kept, *text)) ? '?' : *text;
        bytes = bytes > 0 ? bytes : 1;
    }
    *to = '\0';
}
