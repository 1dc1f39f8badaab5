/* SPDX-License-Identifier: MIT */
/* Reads members that read_object has found, each of one type; after a failure all read as empty. */
#include "lib/record/read.h"
#include <peal/cost.h>
#include <string.h>

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

bool
member_bool(struct reader *reader, const struct read_member *member)
{
    if (!member_enter(reader, member))
        return false;
    bool value = read_bool(reader);

    read_leave(reader);
    return value;
}

char *
member_text(struct reader *reader, const struct read_member *member)
{
    char *text = NULL;

    if (!member_enter(reader, member))
        return NULL;
    text = read_string(reader);
    read_leave(reader);
    return text;
}

char *
member_optional_text(struct reader *reader, const struct read_member *member)
{
    char *text = NULL;

    if (!member_enter(reader, member))
        return NULL;
    if (!member_null(reader))
        text = read_string(reader);
    read_leave(reader);
    return text;
}

uint64_t
member_uint(struct reader *reader, const struct read_member *member, uint64_t least, uint64_t most)
{
    uint64_t value;

    if (!member_enter(reader, member))
        return 0;
    value = read_uint(reader, least, most);
    read_leave(reader);
    return value;
}

uint64_t
member_optional_uint(struct reader *reader, const struct read_member *member, uint64_t most, bool *there)
{
    uint64_t value = 0;

    if (!member_enter(reader, member))
        return 0;
    *there = !member_null(reader);
    if (*there)
        value = read_uint(reader, 0, most);
    read_leave(reader);
    return value;
}

double
member_parameter(struct reader *reader, const struct read_member *member)
{
    double value;

    if (!member_enter(reader, member))
        return 0;
    value = read_number(reader);
    if (!peal_parameter_allowed(value))
        read_refuse(reader, member->value, "%g is out of range: a time is 0, or from 1e-100 to 1e100", value);
    read_leave(reader);
    return value;
}

size_t
member_word(struct reader *reader, const struct read_member *member, const char *const *words)
{
    size_t word;

    if (!member_enter(reader, member))
        return 0;
    word = read_word(reader, words);
    read_leave(reader);
    return word;
}

char *
member_copy(struct reader *reader, const struct read_member *member)
{
    char *copy = NULL;

    if (!member_enter(reader, member))
        return NULL;
    if (!member_null(reader)) {
        read_skip(reader);
        copy = reader->failed ? NULL : strndup(member->value, (size_t)(reader->at - member->value));
        if (!copy)
            read_no_memory(reader);
    }
    read_leave(reader);
    return copy;
}

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
