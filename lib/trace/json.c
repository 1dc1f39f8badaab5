/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <peal/json.h>
#include <peal/trace.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ layout */

/* Put what is due before the next key, value or bracket. */
static void
begin(struct peal_json *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->follows)
        fputc(',', json->out);
    if (json->new_line) {
        fputc('\n', json->out);
        for (int i = 0; i < json->depth; i++)
            fputs("  ", json->out);
    } else if (json->follows) {
        fputc(' ', json->out);
    }
    json->new_line = false;
}

void
peal_json_break(struct peal_json *json)
{
    json->new_line = true;
}

void
peal_json_open(struct peal_json *json, char bracket)
{
    begin(json);
    fputc(bracket, json->out);
    json->depth++;
    json->follows = false;
}

void
peal_json_close(struct peal_json *json, char bracket)
{
    json->depth--;
    json->follows = false;
    begin(json);
    fputc(bracket, json->out);
    json->follows = true;
}

void
peal_json_key(struct peal_json *json, const char *key)
{
    begin(json);
    peal_write_json_string(json->out, key);
    fputs(": ", json->out);
    json->after_key = true;
    json->follows = true;
}

/* ------------------------------------------------------------------ values */

void
peal_json_string(struct peal_json *json, const char *text)
{
    begin(json);
    peal_write_json_string(json->out, text);
    json->follows = true;
}

void
peal_json_int(struct peal_json *json, int64_t value)
{
    begin(json);
    fprintf(json->out, "%" PRId64, value);
    json->follows = true;
}

void
peal_json_uint(struct peal_json *json, uint64_t value)
{
    begin(json);
    fprintf(json->out, "%" PRIu64, value);
    json->follows = true;
}

void
peal_json_bool(struct peal_json *json, bool value)
{
    begin(json);
    fputs(value ? "true" : "false", json->out);
    json->follows = true;
}

void
peal_json_null(struct peal_json *json)
{
    begin(json);
    fputs("null", json->out);
    json->follows = true;
}

void
peal_json_number(struct peal_json *json, double value)
{
    char text[32];

    if (!isfinite(value)) {
        peal_json_null(json);
        return;
    }
    if (value == floor(value) && fabs(value) < 0x1p63) {
        peal_json_int(json, (int64_t)value);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    begin(json);
    fputs(text, json->out);
    json->follows = true;
}

void
peal_json_ratio(struct peal_json *json, double value)
{
    if (value != floor(value) || fabs(value) >= 1e15) {
        peal_json_number(json, value);
        return;
    }
    begin(json);
    fprintf(json->out, "%.1f", value);
    json->follows = true;
}

void
peal_json_text(struct peal_json *json, const char *text)
{
    begin(json);
    fputs(text ? text : "null", json->out);
    json->follows = true;
}

/* ------------------------------------------------------------------ strings */

int
peal_json_character(const unsigned char *s)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[] = {{0x80, 0x00, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};

    for (int more = 0; more < 4; more++) {
        if ((s[0] & forms[more].mask) != forms[more].lead)
            continue;
        uint32_t code = s[0] & (unsigned char)~forms[more].mask;

        for (int i = 1; i <= more; i++) {
            if ((s[i] & 0xC0) != 0x80) /* the final zero byte too */
                return 0;
            code = code << 6 | (s[i] & 0x3Fu);
        }
        if (code < forms[more].least || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
            return 0;
        return more + 1;
    }
    return 0;
}

void
peal_write_json_string(FILE *out, const char *text)
{
    if (!text) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int bytes = peal_json_character(s);

        if (bytes == 0) {
            fputs("\\ufffd", out);
            bytes = 1;
        } else if (*s == '"' || *s == '\\') {
            fprintf(out, "\\%c", *s);
        } else if (*s == '\n') {
            fputs("\\n", out);
        } else if (*s == '\t') {
            fputs("\\t", out);
        } else if (*s < 0x20 || *s == 0x7F) {
            fprintf(out, "\\u%04x", *s);
        } else {
            fwrite(s, 1, (size_t)bytes, out);
        }
        s += bytes;
    }
    fputc('"', out);
}
