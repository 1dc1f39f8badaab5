/* SPDX-License-Identifier: MIT */
/* Records of runs: freeing and copying one; the lists that it has as text. */
#include "lib/record/record.h"
#include "lib/base/text.h"
#include "lib/record/read.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* The texts that a struct owns: where their pointers are in it, and END. */
#define END SIZE_MAX
#define IN(member) offsetof(struct peal_record, member)
static const size_t of_record[] = {IN(collective),      IN(algorithm),      IN(program), IN(options.topology),
                                   IN(options.routing), IN(options.engine), IN(op),      IN(to),
                                   IN(sizes),           IN(data),           IN(failure), IN(findings),
                                   IN(through),         IN(host),           END};
static const size_t of_caller[] = {offsetof(struct peal_caller, call), offsetof(struct peal_caller, algorithm),
                                   offsetof(struct peal_caller, file), END};
static const size_t of_collective[] = {offsetof(struct peal_collective_call, collective),
                                       offsetof(struct peal_collective_call, algorithm), END};
static const size_t of_shown[] = {offsetof(struct peal_shown_value, name), END};

/* Free a list of elements of `bytes` bytes, and their texts. */
static void
record_free_list(const void *list, size_t count, size_t bytes, const size_t *texts)
{
    for (size_t i = 0; list && i < count; i++)
        for (const size_t *at = texts; *at != END; at++) {
            char *text;

            memcpy(&text, (const char *)list + i * bytes + *at, sizeof text);
            free(text);
        }
    free((void *)(uintptr_t)list);
}

void
collectives_fini(struct peal_collective_calls *collectives)
{
    for (size_t i = 0; collectives->calls && i < collectives->count; i++)
        free((int *)(uintptr_t)collectives->calls[i].members);
    record_free_list(collectives->calls, collectives->count, sizeof *collectives->calls, of_collective);
    *collectives = (struct peal_collective_calls){0, NULL};
}

char *
peal_shown_text(long double value, int digits, char text[SHOWN_TEXT])
{
    if (value >= -0x1p63L && value < 0x1p63L && value == (long double)(int64_t)value)
        snprintf(text, SHOWN_TEXT, "%" PRId64, (int64_t)value);
    else
        snprintf(text, SHOWN_TEXT, "%.*g", digits, (double)value);
    return text;
}

void
peal_record_destroy(struct peal_record *record)
{
    if (!record)
        return;
    free(record->schedule.order);
    free(record->schedule.rounds);
    free(record->schedule.transfers);
    record_free_list(record->shown.values, record->shown.count, sizeof *record->shown.values, of_shown);
    record_free_list(record->callers.callers, record->callers.count, sizeof *record->callers.callers, of_caller);
    collectives_fini(&record->collectives);
    record_free_list(record, 1, sizeof *record, of_record);
}

/* Copy `count` elements of `bytes` bytes to *copy; false without memory.  For 0, or from NULL, *copy is NULL. */
static bool
record_copy_array(void *copy, const void *from, size_t count, size_t bytes)
{
    void *to = count && from ? malloc(count * bytes) : NULL;

    if (to)
        memcpy(to, from, count * bytes);
    memcpy(copy, &to, sizeof to);
    return to || !count || !from;
}

/* Put copies in the place of the texts of these elements; false without memory: NULL is in the place of some. */
static bool
record_own_texts(void *list, size_t count, size_t bytes, const size_t *texts)
{
    bool whole = true;

    for (size_t i = 0; i < count; i++)
        for (const size_t *at = texts; *at != END; at++) {
            char *place = (char *)list + i * bytes + *at, *text;

            memcpy(&text, place, sizeof text);
            whole = record_copy_array(place, text, text ? strlen(text) + 1 : 0, 1) && whole;
        }
    return whole;
}

/* Copy a list and its texts to *copy; false without memory: some of them are NULL. */
static bool
record_copy_list(void *copy, const void *from, size_t count, size_t bytes, const size_t *texts)
{
    void *list;
    bool whole = record_copy_array(&list, from, count, bytes);

    memcpy(copy, &list, sizeof list);
    return whole && record_own_texts(list, list ? count : 0, bytes, texts);
}

static bool
copy_callers(struct peal_callers *to, const struct peal_callers *from)
{
    struct peal_caller *list;
    bool whole = record_copy_list(&list, from->callers, from->count, sizeof *list, of_caller);

    to->callers = list;
    for (size_t i = 0; list && i < from->count; i++)
        list[i].function = NULL;
    return whole;
}

static bool
copy_collectives(struct peal_collective_calls *to, const struct peal_collective_calls *from)
{
    struct peal_collective_call *list;
    bool whole = record_copy_list(&list, from->calls, from->count, sizeof *list, of_collective);

    to->calls = list;
    for (size_t i = 0; list && i < from->count; i++)
        whole = record_copy_array(&list[i].members, list[i].members, (size_t)list[i].nodes, sizeof(int)) && whole;
    return whole;
}

bool
schedule_copy(struct peal_schedule *to, const struct peal_schedule *from)
{
    *to = *from;
    to->order = NULL;
    to->rounds = NULL;
    to->transfers = NULL;
    return record_copy_array(&to->order, from->order, from->round_count, sizeof *to->order) &&
           record_copy_array(&to->rounds, from->rounds, from->kept_rounds, sizeof *to->rounds) &&
           record_copy_array(&to->transfers, from->transfers, from->kept_transfers, sizeof *to->transfers);
}

struct peal_record *
record_copy(const struct peal_record *from)
{
    struct peal_record *to = malloc(sizeof *to);
    bool whole;

    if (!to)
        return NULL;
    *to = *from;
    to->known = NULL;
    to->has_closed_form = to->closed_form_equal = to->has_lower_bound = false;
    to->closed_form_text[0] = '\0';
    to->closed_form_source = to->lower_bound_source = NULL;
    to->lower_bound_cut = (struct peal_cut){0};
    whole = record_own_texts(to, 1, sizeof *to, of_record);
    whole = schedule_copy(&to->schedule, &from->schedule) && whole;
    whole = record_copy_list(&to->shown.values, from->shown.values, from->shown.count, sizeof *from->shown.values,
                             of_shown) &&
            whole;
    whole = copy_callers(&to->callers, &from->callers) && whole;
    if (copy_collectives(&to->collectives, &from->collectives) && whole)
        return to;
    peal_record_destroy(to);
    return NULL;
}

enum peal_status
read_numbers(const char *text, size_t **numbers, int *count, struct peal_error *error)
{
    size_t room = 1;

    *numbers = NULL;
    *count = 0;
    if (!text)
        return PEAL_OK;
    for (const char *c = text; *c; c++)
        room += *c == ',';
    *numbers = calloc(room, sizeof **numbers);
    if (!*numbers)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (const char *c = text + strspn(text, " \t\r\n["); *c && *c != ']'; c += strspn(c, " \t\r\n,")) {
        char *end = NULL;

        if (*c < '0' || *c > '9' || (size_t)*count == room)
            return peal_refuse(error, PEAL_USAGE, "%s is not a list of whole numbers", quote(text).text);
        errno = 0;
        unsigned long long number = strtoull(c, &end, 10);

        if (errno || number > SIZE_MAX)
            return peal_refuse(error, PEAL_USAGE, "%s has a number that is out of range: they are at most %zu",
                               quote(text).text, SIZE_MAX);
        (*numbers)[(*count)++] = (size_t)number;
        c = end;
    }
    return PEAL_OK;
}
