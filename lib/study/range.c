/* SPDX-License-Identifier: MIT */
/* Reads the range of a sweep and gives its numbers one after another. */
#include "lib/study/range.h"
#include <stdio.h>
#include <string.h>

/* Give the successor of `number` in the range; false when it is beyond the last. */
static bool
range_next(const struct range *range, size_t *number)
{
    size_t following;

    if (range->geometric ? __builtin_mul_overflow(*number, range->step, &following)
                         : __builtin_add_overflow(*number, range->step, &following))
        return false;
    *number = following;
    return following <= range->last;
}

bool
peal_range_is_wide(const struct range *range)
{
    return peal_range_count(range) > 1;
}

size_t
peal_range_count(const struct range *range)
{
    size_t count = range->step > 0, number = range->first;

    if (range->listed_count > 0)
        return range->listed_count;
    while (count > 0 && count <= MAX_POINTS && range_next(range, &number))
        count++;
    return count;
}

size_t
peal_range_get(const struct range *range, size_t i)
{
    size_t number = range->first;

    if (range->listed_count > 0)
        return range->listed[i];
    while (i-- > 0)
        range_next(range, &number);
    return number;
}

/* Read the part of text up to `end` as a number of the range. */
static enum peal_status
range_read_number(const char *text, const char *end, size_t least, size_t most, size_t *number,
                  struct peal_error *error)
{
    char part[64];

    snprintf(part, sizeof part, "%.*s", (int)(end - text), text);
    enum peal_status status = end - text < (ptrdiff_t)sizeof part
                                  ? peal_parse_size(part, number, error)
                                  : peal_refuse(error, PEAL_USAGE, "%s... is too long for a number", part);

    if (status == PEAL_OK && (*number < least || *number > most))
        return peal_refuse(error, PEAL_USAGE, "%zu is out of range: expected numbers from %zu to %zu", *number, least,
                           most);
    return status;
}

/* Read "xF" or "+S". */
static enum peal_status
read_step(const char *text, struct range *range, struct peal_error *error)
{
    enum peal_status status;

    if (*text != 'x' && *text != '+')
        return peal_refuse(error, PEAL_USAGE, "expected a step, xF (times F) or +S (plus S), as in 1:1K:x2 and 1:9:+2");
    range->geometric = *text == 'x';
    status = peal_parse_size(text + 1, &range->step, error);
    if (status == PEAL_OK && range->step < (range->geometric ? 2 : 1))
        return peal_refuse(error, PEAL_USAGE, "the step %s leads nowhere: expected at least %s", text,
                           range->geometric ? "x2" : "+1");
    return status;
}

/* Read "2,4,8". */
static enum peal_status
range_read_list(const char *text, size_t least, size_t most, struct range *range, struct peal_error *error)
{
    struct range read = {.step = 1};

    for (const char *comma = ","; *comma; text = comma + 1) {
        size_t *number = &read.listed[read.listed_count];

        if (read.listed_count == MAX_LISTED)
            return peal_refuse(error, PEAL_USAGE, "the list has more than %d numbers", MAX_LISTED);
        comma = text + strcspn(text, ",");
        enum peal_status status = range_read_number(text, comma, least, most, number, error);

        if (status != PEAL_OK)
            return status;
        if (read.listed_count > 0 && *number <= number[-1])
            return peal_refuse(error, PEAL_USAGE, "%zu comes after %zu: expected a list that increases", *number,
                               number[-1]);
        read.listed_count++;
    }
    read.first = read.listed[0];
    read.last = read.listed[read.listed_count - 1];
    *range = read;
    return PEAL_OK;
}

enum peal_status
peal_range_parse(const char *text, size_t least, size_t most, struct range *range, struct peal_error *error)
{
    if (strchr(text, ','))
        return range_read_list(text, least, most, range, error);

    const char *colon = text + strcspn(text, ":"), *second = *colon ? colon + strcspn(colon + 1, ":") + 1 : colon;
    struct range read = {.step = 2, .geometric = true};
    enum peal_status status = range_read_number(text, colon, least, most, &read.first, error);

    read.last = read.first;
    if (status == PEAL_OK && *colon)
        status = range_read_number(colon + 1, second, least, most, &read.last, error);
    if (status == PEAL_OK && *second)
        status = read_step(second + 1, &read, error);
    if (status != PEAL_OK)
        return status;
    if (read.first > read.last)
        return peal_refuse(error, PEAL_USAGE, "%zu is more than %zu: expected the smaller number first", read.first,
                           read.last);
    if (read.geometric && read.first == 0 && read.last > 0)
        return peal_refuse(error, PEAL_USAGE, "0 times %zu stays 0: begin at 1, or give the step as +S", read.step);
    if (read.first == read.last)
        read.step = 1, read.geometric = false;
    if (peal_range_count(&read) > MAX_POINTS)
        return peal_refuse(error, PEAL_USAGE, "the range has more than %d numbers: take a larger step", MAX_POINTS);
    *range = read;
    return PEAL_OK;
}
