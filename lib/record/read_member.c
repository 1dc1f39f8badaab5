/* SPDX-License-Identifier: MIT */
/* Reads members that read_object has found, each of one type; after a failure all read as empty. */
#include "lib/base/text.h"
#include "lib/record/read.h"
#include <peal/cost.h>

bool
member_enter(struct reader *reader, const struct read_member *member)
{
    if (reader->failed || !member->value)
        return false;
    read_enter(reader, member->key, 0);
    if (reader->depth <= READ_DEPTH)
        reader->path[reader->depth - 1].next = reader->at;
    reader->at = member->value;
    return true;
}

bool
member_null(struct reader *reader)
{
    if (read_kind(reader) != 'n')
        return false;
    read_skip(reader);
    return true;
}

/* Remove characters that control a terminal: they are of no use in a document's texts. */
char *
read_plain(struct reader *reader)
{
    char *text = read_string(reader);

    if (text)
        peal_plain_but(text, "\t\n");
    return text;
}

/* Define a function that reads a member by an expression; `none`: the value of a missing member. */
#define MEMBER(type, name, none, read, ...)                                                                            \
    type name(struct reader *reader, const struct read_member *member __VA_OPT__(, ) __VA_ARGS__)                      \
    {                                                                                                                  \
        type value = none;                                                                                             \
                                                                                                                       \
        if (member_enter(reader, member)) {                                                                            \
            value = read;                                                                                              \
            read_leave(reader);                                                                                        \
        }                                                                                                              \
        return value;                                                                                                  \
    }                                                                                                                  \
    struct reader

static double
member_read_parameter(struct reader *reader, const char *at)
{
    const double value = read_number(reader);

    if (!peal_parameter_allowed(value))
        read_refuse(reader, at, "%g is out of range: a time is 0, or from 1e-100 to 1e100", value);
    return value;
}

static char *
read_copy(struct reader *reader)
{
    const char *begin = reader->at;

    read_skip(reader);
    char *copy = reader->failed ? NULL : strndup(begin, (size_t)(reader->at - begin));

    if (!copy)
        read_no_memory(reader);
    return copy;
}

MEMBER(bool, member_bool, false, read_bool(reader));
MEMBER(char *, member_text, NULL, read_plain(reader));
MEMBER(char *, member_optional_text, NULL, member_null(reader) ? NULL : read_plain(reader));
MEMBER(uint64_t, member_uint, 0, read_uint(reader, least, most), uint64_t least, uint64_t most);
MEMBER(uint64_t, member_optional_uint, 0, (*there = !member_null(reader)) ? read_uint(reader, 0, most) : 0,
       uint64_t most, bool *there);
MEMBER(double, member_parameter, 0, member_read_parameter(reader, member->value));
MEMBER(size_t, member_word, 0, read_word(reader, words), const char *const *words);
MEMBER(char *, member_copy, NULL, member_null(reader) ? NULL : read_copy(reader));

/* A reader of part of a document. */
static struct reader
reader_of(struct peal_json_span text, const char *at, struct peal_error *ignored)
{
    return (struct reader){.name = "", .begin = text.begin, .at = at, .end = text.end, .error = ignored};
}

struct peal_json_span
peal_json_member(struct peal_json_span object, const char *key)
{
    struct peal_error ignored;
    struct reader reader = reader_of(object, object.begin, &ignored);
    struct read_member member = OPTIONAL(key);

    read_object(&reader, &member, 1);
    if (reader.failed || !member.value)
        return (struct peal_json_span){NULL, NULL};
    reader.at = member.value;
    read_skip(&reader);
    return (struct peal_json_span){member.value, reader.at};
}

bool
peal_json_next(struct peal_json_span list, struct peal_json_span *element)
{
    struct peal_error ignored;
    struct reader reader = reader_of(list, element->end ? element->end : list.begin, &ignored);

    if (!element->end)
        read_list(&reader);
    if (!read_element(&reader, element->end ? 1 : 0))
        return false;
    read_kind(&reader); /* passes blanks */
    element->begin = reader.at;
    read_skip(&reader);
    element->end = reader.at;
    return !reader.failed;
}
