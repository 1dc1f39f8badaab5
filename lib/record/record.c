/* SPDX-License-Identifier: MIT */
/* Records of runs: freeing and copying one; the lists that it has as text. */
#include "lib/record/record.h"
#include "lib/record/read.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void
collectives_fini(struct peal_collective_calls *collectives)
{
    for (size_t i = 0; i < collectives->count; i++) {
        free((char *)(uintptr_t)collectives->calls[i].collective);
        free((char *)(uintptr_t)collectives->calls[i].algorithm);
        free((int *)(uintptr_t)collectives->calls[i].members);
    }
    free((void *)(uintptr_t)collectives->calls);
    *collectives = (struct peal_collective_calls){0, NULL};
}

static void
shown_list_fini(struct peal_shown *shown)
{
    for (size_t i = 0; i < shown->count; i++)
        free(shown->values[i].name);
    free(shown->values);
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
    free(record->collective);
    free(record->algorithm);
    free(record->program);
    free((char *)record->options.topology);
    free((char *)record->options.routing);
    free((char *)record->options.engine);
    free(record->schedule.order);
    free(record->schedule.rounds);
    free(record->schedule.transfers);
    free(record->op);
    free(record->to);
    free(record->sizes);
    free(record->data);
    free(record->failure);
    free(record->findings);
    shown_list_fini(&record->shown);
    free(record->through);
    free(record->host);
    for (size_t i = 0; i < record->callers.count; i++) {
        free((char *)(uintptr_t)record->callers.callers[i].call);
        free((char *)(uintptr_t)record->callers.callers[i].algorithm);
        free((char *)(uintptr_t)record->callers.callers[i].file);
    }
    free((void *)(uintptr_t)record->callers.callers);
    collectives_fini(&record->collectives);
    free(record);
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

static bool
record_copy_text(void *to, const char *text)
{
    return record_copy_array(to, text, text ? strlen(text) + 1 : 0, 1);
}

static bool
copy_callers(struct peal_callers *to, const struct peal_callers *from)
{
    struct peal_caller *list = from->count ? calloc(from->count, sizeof *list) : NULL;

    if (from->count == 0)
        return true;
    *to = (struct peal_callers){list ? from->count : 0, list};
    for (size_t i = 0; list && i < from->count; i++) {
        list[i].line = from->callers[i].line;
        if (!record_copy_text(&list[i].call, from->callers[i].call) ||
            !record_copy_text(&list[i].algorithm, from->callers[i].algorithm) ||
            !record_copy_text(&list[i].file, from->callers[i].file))
            return false;
    }
    return list;
}

static bool
copy_collectives(struct peal_collective_calls *to, const struct peal_collective_calls *from)
{
    struct peal_collective_call *list = from->count ? calloc(from->count, sizeof *list) : NULL;

    if (from->count == 0)
        return true;
    *to = (struct peal_collective_calls){list ? from->count : 0, list};
    for (size_t i = 0; list && i < from->count; i++) {
        const struct peal_collective_call *call = &from->calls[i];

        list[i] = *call;
        list[i].collective = list[i].algorithm = NULL;
        list[i].members = NULL;
        if (!record_copy_text(&list[i].collective, call->collective) ||
            !record_copy_text(&list[i].algorithm, call->algorithm) ||
            !record_copy_array(&list[i].members, call->members, (size_t)call->nodes, sizeof *call->members))
            return false;
    }
    return list;
}

static bool
copy_shown(struct peal_shown *to, const struct peal_shown *from)
{
    to->values = calloc(from->count + 1, sizeof *to->values);
    to->count = to->values ? from->count : 0;
    for (size_t i = 0; i < to->count; i++) {
        const struct peal_shown_value *value = &from->values[i];

        to->values[i] = (struct peal_shown_value){value->node, value->round, strdup(value->name), value->value};
        if (!to->values[i].name)
            return false;
    }
    return to->values;
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
    struct peal_record *to = calloc(1, sizeof *to);

    if (!to)
        return NULL;
    to->options = from->options;
    to->options.topology = to->options.routing = to->options.engine = NULL;
    to->cost = from->cost;
    to->has_critical_path = from->has_critical_path;
    to->critical_path = from->critical_path;
    to->has_block_words = from->has_block_words;
    to->has_vector_words = from->has_vector_words;
    to->has_root = from->has_root;
    to->block_words = from->block_words;
    to->vector_words = from->vector_words;
    to->root = from->root;
    to->parameter = from->parameter;
    to->by = from->by;
    if (record_copy_text(&to->collective, from->collective) && record_copy_text(&to->algorithm, from->algorithm) &&
        record_copy_text(&to->program, from->program) && record_copy_text(&to->options.engine, from->options.engine) &&
        record_copy_text(&to->options.topology, from->options.topology) &&
        record_copy_text(&to->options.routing, from->options.routing) &&
        record_copy_text(&to->findings, from->findings) && copy_shown(&to->shown, &from->shown) &&
        record_copy_text(&to->through, from->through) && record_copy_text(&to->data, from->data) &&
        record_copy_text(&to->failure, from->failure) && record_copy_text(&to->host, from->host) &&
        record_copy_text(&to->op, from->op) && record_copy_text(&to->to, from->to) &&
        record_copy_text(&to->sizes, from->sizes) && schedule_copy(&to->schedule, &from->schedule) &&
        copy_callers(&to->callers, &from->callers) && copy_collectives(&to->collectives, &from->collectives))
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
            return peal_refuse(error, PEAL_USAGE, "%.40s is not a list of whole numbers", text);
        unsigned long long number = strtoull(c, &end, 10);

        if (number > SIZE_MAX)
            return peal_refuse(error, PEAL_USAGE, "%llu is out of range: numbers are at most %zu", number, SIZE_MAX);
        (*numbers)[(*count)++] = (size_t)number;
        c = end;
    }
    return PEAL_OK;
}
