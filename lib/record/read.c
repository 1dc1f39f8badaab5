/* SPDX-License-Identifier: MIT */
/* Reads JSON in place, with the line, the column and the path of the first mistake.  The bytes need not end in a
 * zero. */
#include "lib/record/read.h"
#include "lib/base/text.h"
#include "lib/record/json.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ mistakes and their places */

/* The line and the column, in characters, of a place in the document. */
static void
reader_locate(const struct reader *reader, const char *where, size_t *line, size_t *column)
{
    *line = *column = 1;
    for (const char *s = reader->begin; s < where; s++)
        if (*s == '\n') {
            ++*line;
            *column = 1;
        } else if (((unsigned char)*s & 0xC0) != 0x80) {
            ++*column;
        }
}

/* Stop: nothing more is read. */
static void
reader_stop(struct reader *reader)
{
    reader->failed = true;
    reader->at = reader->end;
}

/* Refuse what is not JSON: "run.json, line 3, column 14: ...". */
static void
refuse_syntax(struct reader *reader, const char *where, const char *what)
{
    size_t line, column;

    if (reader->failed)
        return;
    reader_locate(reader, where, &line, &column);
    peal_refuse(reader->error, PEAL_USAGE, "%s, line %zu, column %zu: %s", reader->name, line, column,
                where >= reader->end ? "the document ends too early" : what);
    reader_stop(reader);
}

void
read_refuse(struct reader *reader, const char *where, const char *format, ...)
{
    char path[300] = "", what[500];
    size_t line, column;

    if (reader->failed)
        return;
    for (int i = 0; i < reader->depth; i++) {
        const struct read_step *step = &reader->path[i];

        if (step->key)
            peal_append(IN_ARRAY(path), "%s%s", *path ? "." : "", step->key);
        else
            peal_append(IN_ARRAY(path), "[%zu]", step->index);
    }
    WRITE_ARGUMENTS(what, format);
    reader_locate(reader, where, &line, &column);
    peal_refuse(reader->error, PEAL_USAGE, "%s, line %zu, column %zu: %s%s%s", reader->name, line, column, path,
                *path ? ": " : "", what);
    reader_stop(reader);
}

void
read_no_memory(struct reader *reader)
{
    if (!reader->failed)
        peal_refuse(reader->error, PEAL_RESOURCES, "not enough memory to read %s", reader->name);
    reader_stop(reader);
}

void
read_enter(struct reader *reader, const char *key, size_t index)
{
    if (reader->depth < READ_DEPTH)
        reader->path[reader->depth] = (struct read_step){key, index, NULL};
    reader->depth++;
}

void
read_leave(struct reader *reader)
{
    reader->depth--;
    if (reader->depth < READ_DEPTH && reader->path[reader->depth].next && !reader->failed)
        reader->at = reader->path[reader->depth].next;
}

/* ------------------------------------------------------------------ characters and words */

static void
space(struct reader *reader)
{
    while (reader->at < reader->end &&
           (*reader->at == ' ' || *reader->at == '\n' || *reader->at == '\t' || *reader->at == '\r'))
        reader->at++;
}

/* The next character that is not a space; 0 at the end. */
static char
peek(struct reader *reader)
{
    space(reader);
    return reader->at < reader->end ? *reader->at : '\0';
}

/* Take the next character if it is this one. */
static bool
reader_take(struct reader *reader, char character)
{
    if (reader->failed || reader->at >= reader->end || peek(reader) != character)
        return false;
    reader->at++;
    return true;
}

static bool
is_digit(const struct reader *reader, const char *at)
{
    return at < reader->end && *at >= '0' && *at <= '9';
}

/* Pass the digits from `at` on; NULL when there is none. */
static const char *
pass_digits(const struct reader *reader, const char *at)
{
    if (!is_digit(reader, at))
        return NULL;
    while (is_digit(reader, at))
        at++;
    return at;
}

/* Pass a number as JSON has it; *whole says whether it has neither a fraction nor an exponent. */
static void
pass_number(struct reader *reader, bool *whole)
{
    const char *at = reader->at, *next;

    *whole = true;
    at += at < reader->end && *at == '-';
    next = at < reader->end && *at == '0' ? at + 1 : pass_digits(reader, at);
    if (next && next < reader->end && *next == '.') {
        *whole = false;
        at = next + 1;
        next = pass_digits(reader, at);
    }
    if (next && next < reader->end && (*next == 'e' || *next == 'E')) {
        *whole = false;
        at = next + 1;
        at += at < reader->end && (*at == '+' || *at == '-');
        next = pass_digits(reader, at);
    }
    if (!next)
        refuse_syntax(reader, at, "expected a digit");
    else if (is_digit(reader, next))
        refuse_syntax(reader, next, "a number does not begin with 0");
    else
        reader->at = next;
}

/* The value of four hexadecimal digits, -1 without them. */
static int
four_digits(const struct reader *reader, const char *at)
{
    int value = 0;

    for (int i = 0; i < 4; i++, at++) {
        const char *digits = "0123456789abcdefABCDEF", *digit;

        if (at >= reader->end || !*at || !(digit = strchr(digits, *at)))
            return -1;
        value = value * 16 + (int)(digit - digits) - (digit - digits > 15 ? 6 : 0);
    }
    return value;
}

/* The bytes of the character at `at`, 0 when it is not UTF-8. */
static int
character_at(const struct reader *reader, const char *at)
{
    char bytes[5] = {0};
    uint32_t code;
    size_t left = (size_t)(reader->end - at);

    memcpy(bytes, at, left < 4 ? left : 4);
    return bytes[0] ? peal_character(bytes, &code) : 0;
}

/* Pass an escape; *code is its character, -1 for half of a pair of surrogates without its other half. */
static void
pass_escape(struct reader *reader, int *code)
{
    static const char *const letters = "\"\\/bfnrt", *const meanings = "\"\\/\b\f\n\r\t";
    const char *at = reader->at + 1, *letter;

    *code = -1;
    if (at < reader->end && *at == 'u') {
        int low = -1;

        *code = four_digits(reader, at + 1);
        if (*code < 0) {
            refuse_syntax(reader, reader->at, "\\u takes four hexadecimal digits");
            return;
        }
        reader->at += 6;
        if (*code < 0xD800 || *code > 0xDFFF)
            return;
        if (*code < 0xDC00 && reader->end - reader->at >= 6 && reader->at[0] == '\\' && reader->at[1] == 'u')
            low = four_digits(reader, reader->at + 2);
        *code = low < 0xDC00 || low > 0xDFFF ? -1 : 0x10000 + ((*code - 0xD800) << 10) + low - 0xDC00;
        reader->at += *code < 0 ? 0 : 6;
    } else if (at < reader->end && *at && (letter = strchr(letters, *at))) {
        *code = (unsigned char)meanings[letter - letters];
        reader->at += 2;
    } else {
        refuse_syntax(reader, at, "unknown escape in a string");
    }
}

/* Pass a string, and write its text to `text` unless that is NULL: never more bytes than it has in the document. 
 * Gives their number. */
static size_t
pass_string(struct reader *reader, char *text)
{
    size_t used = 0;

    reader->at++;
    while (!reader->failed && reader->at < reader->end && *reader->at != '"') {
        int bytes = 1, code = -1;

        if ((unsigned char)*reader->at < 0x20) {
            refuse_syntax(reader, reader->at, "a string ends with a quote, on its line");
        } else if (*reader->at == '\\') {
            const char *escape = reader->at;

            pass_escape(reader, &code);
            if (text && !reader->failed && code <= 0)
                read_refuse(reader, escape, "invalid character in a string");
            if (text && !reader->failed) {
                unsigned character = (unsigned)code;
                int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
                static const unsigned char leads[] = {0, 0xC0, 0xE0, 0xF0};

                text[used++] = (char)(leads[more] | (character >> (6 * more)));
                while (more-- > 0)
                    text[used++] = (char)(0x80 | (character >> (6 * more) & 0x3F));
            }
        } else if ((bytes = character_at(reader, reader->at)) == 0) {
            refuse_syntax(reader, reader->at, "this is not UTF-8");
        } else {
            if (text)
                memcpy(text + used, reader->at, (size_t)bytes);
            used += (size_t)bytes;
            reader->at += bytes;
        }
    }
    if (!reader->failed && reader->at >= reader->end)
        refuse_syntax(reader, reader->end, NULL);
    else if (!reader->failed)
        reader->at++;
    return used;
}

/* Pass true, false or null. */
static void
pass_name(struct reader *reader)
{
    static const char *const names[] = {"true", "false", "null"};

    for (size_t i = 0; i < 3; i++) {
        size_t length = strlen(names[i]);

        if ((size_t)(reader->end - reader->at) >= length && memcmp(reader->at, names[i], length) == 0) {
            reader->at += length;
            return;
        }
    }
    refuse_syntax(reader, reader->at, "expected a value");
}

/* ------------------------------------------------------------------ whole values */

static void reader_skip(struct reader *reader, int depth);

/* Pass everything between two brackets, beginning with the first. */
static void
skip_inside(struct reader *reader, char close, int depth)
{
    reader->at++;
    if (depth == READ_DEPTH) {
        refuse_syntax(reader, reader->at - 1, "brackets are nested too deeply");
        return;
    }
    if (reader_take(reader, close))
        return;
    do {
        if (close == '}') {
            if (peek(reader) != '"') {
                refuse_syntax(reader, reader->at, "expected a key in quotes");
                return;
            }
            pass_string(reader, NULL);
            if (!reader_take(reader, ':')) {
                refuse_syntax(reader, reader->at, "expected a colon after the key");
                return;
            }
        }
        reader_skip(reader, depth + 1);
    } while (reader_take(reader, ','));
    if (!reader_take(reader, close))
        refuse_syntax(reader, reader->at, close == '}' ? "expected a comma or }" : "expected a comma or ]");
}

static void
reader_skip(struct reader *reader, int depth)
{
    bool whole;

    if (reader->failed)
        return;
    switch (peek(reader)) {
    case '{':
        skip_inside(reader, '}', depth);
        break;
    case '[':
        skip_inside(reader, ']', depth);
        break;
    case '"':
        pass_string(reader, NULL);
        break;
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        pass_number(reader, &whole);
        break;
    default:
        pass_name(reader);
    }
}

void
read_skip(struct reader *reader)
{
    reader_skip(reader, 0);
}

char
read_kind(struct reader *reader)
{
    char next = reader->failed ? '\0' : peek(reader);

    if (next == '-' || (next >= '0' && next <= '9'))
        return '0';
    if (next == 't' || next == 'f')
        return 't';
    return next && strchr("{[\"n", next) ? next : '\0';
}

/* Refuse the next value unless it is of this kind. */
static bool
reader_expect(struct reader *reader, char kind, const char *what)
{
    if (reader->failed)
        return false;
    if (read_kind(reader) == kind)
        return true;
    read_refuse(reader, reader->at, "expected %s", what);
    return false;
}

uint64_t
read_uint(struct reader *reader, uint64_t least, uint64_t most)
{
    uint64_t value = 0;
    bool whole = true, fits = true;

    if (!reader_expect(reader, '0', "a whole number"))
        return 0;
    const char *begin = reader->at;

    pass_number(reader, &whole);
    if (reader->failed)
        return 0;
    for (const char *s = begin; whole && s < reader->at; s++)
        fits = fits && *s != '-' && !__builtin_mul_overflow(value, UINT64_C(10), &value) &&
               !__builtin_add_overflow(value, (uint64_t)(*s - '0'), &value);
    if (whole && fits && value >= least && value <= most)
        return value;
    read_refuse(reader, begin, "%.*s is not a whole number from %" PRIu64 " to %" PRIu64,
                (int)(reader->at - begin < 40 ? reader->at - begin : 40), begin, least, most);
    return 0;
}

double
read_number(struct reader *reader)
{
    char text[400];
    bool whole;

    if (!reader_expect(reader, '0', "a number"))
        return 0;
    const char *begin = reader->at;

    pass_number(reader, &whole);
    size_t length = (size_t)(reader->at - begin);

    if (reader->failed)
        return 0;
    snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), begin);
    double value = strtod(text, NULL);

    if (length >= sizeof text || !isfinite(value) || value < 0) {
        read_refuse(reader, begin, "%.40s is not a finite number of at least 0", text);
        return 0;
    }
    return value;
}

long double
read_value(struct reader *reader)
{
    char text[400] = "", *end;
    long double value = 0;

    if (read_kind(reader) == '"') {
        const char *begin = reader->at;
        char *string = read_string(reader);

        value = string ? strtold(string, &end) : 0;
        if (string && (isfinite(value) || *end))
            read_refuse(reader, begin, "%s is not a number: nan and inf alone are strings", quote(string).text);
        free(string);
    } else if (reader_expect(reader, '0', "a number")) {
        const char *begin = reader->at;
        bool whole;

        pass_number(reader, &whole);
        snprintf(text, sizeof text, "%.*s", (int)(reader->at - begin < 399 ? reader->at - begin : 399), begin);
        value = strtold(text, NULL);
    }
    return reader->failed ? 0 : value;
}

bool
read_bool(struct reader *reader)
{
    if (!reader_expect(reader, 't', "true or false"))
        return false;
    bool value = *reader->at == 't';

    pass_name(reader);
    return value && !reader->failed;
}

char *
read_string(struct reader *reader)
{
    if (!reader_expect(reader, '"', "a string"))
        return NULL;
    const char *begin = reader->at;

    pass_string(reader, NULL);
    if (reader->failed)
        return NULL;
    char *text = malloc((size_t)(reader->at - begin));

    if (!text) {
        read_no_memory(reader);
        return NULL;
    }
    reader->at = begin;
    text[pass_string(reader, text)] = '\0';
    if (!reader->failed)
        return text;
    free(text);
    return NULL;
}

size_t
read_word(struct reader *reader, const char *const *words)
{
    char all[200] = "";
    const char *begin = reader->failed ? NULL : (peek(reader), reader->at);
    char *text = read_string(reader);
    size_t found = 0;

    for (size_t i = 0; text && words[i]; i++) {
        if (strcmp(text, words[i]) == 0)
            found = i + 1;
        peal_append(IN_ARRAY(all), "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
    }
    if (text && !found)
        read_refuse(reader, begin, "%s is not %s", quote(text).text, all);
    free(text);
    return found ? found - 1 : 0;
}

/* ------------------------------------------------------------------ objects and lists */

static struct read_member *
find_member(struct read_member *members, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(members[i].key, key) == 0)
            return &members[i];
    return NULL;
}

/* Read one member: note where its value is. */
static void
read_member(struct reader *reader, struct read_member *members, size_t count)
{
    const char *begin = (peek(reader), reader->at);
    char *key = NULL;
    struct read_member *member = NULL;

    if (peek(reader) != '"')
        refuse_syntax(reader, begin, "expected a key in quotes");
    key = read_string(reader);
    if (key)
        member = find_member(members, count, key);
    if (member && member->value)
        read_refuse(reader, begin, "duplicate key '%s'", member->key);
    free(key);
    if (!reader->failed && !reader_take(reader, ':'))
        refuse_syntax(reader, reader->at, "expected a colon after the key");
    if (!reader->failed && member) {
        peek(reader);
        member->value = reader->at;
    }
    reader_skip(reader, 1);
}

void
read_object(struct reader *reader, struct read_member *members, size_t count)
{
    if (!reader_expect(reader, '{', "an object {...}"))
        return;
    const char *begin = reader->at++;

    if (!reader_take(reader, '}')) {
        do
            read_member(reader, members, count);
        while (reader_take(reader, ','));
        if (!reader->failed && !reader_take(reader, '}'))
            refuse_syntax(reader, reader->at, "expected a comma or }");
    }
    for (size_t i = 0; i < count; i++)
        if (!members[i].value && !members[i].optional)
            read_refuse(reader, begin, "'%s' is missing", members[i].key);
}

void
read_list(struct reader *reader)
{
    if (reader_expect(reader, '[', "a list [...]"))
        reader->at++;
}

bool
read_element(struct reader *reader, size_t index)
{
    if (reader->failed || reader_take(reader, ']'))
        return false;
    if (index > 0 && !reader_take(reader, ',')) {
        refuse_syntax(reader, reader->at, "expected a comma or ]");
        return false;
    }
    return true;
}

size_t
read_count(struct reader *reader)
{
    const char *begin = reader->at;
    size_t count = 0;

    for (read_list(reader); read_element(reader, count); count++)
        read_skip(reader);
    if (!reader->failed)
        reader->at = begin;
    return count;
}
