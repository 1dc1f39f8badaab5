/* SPDX-License-Identifier: MIT */
/* Records of runs: freeing one; the lists that it has as text. */
#include "lib/record/read.h"
#include <peal/trace.h>
#include <stdlib.h>
#include <string.h>

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
    free(record->schedule.rounds);
    free(record->schedule.transfers);
    free(record->op);
    free(record->to);
    free(record->sizes);
    free(record->data);
    free(record->failure);
    free(record->findings);
    free(record->host);
    for (size_t i = 0; i < record->callers.count; i++) {
        free((char *)(uintptr_t)record->callers.callers[i].call);
        free((char *)(uintptr_t)record->callers.callers[i].algorithm);
        free((char *)(uintptr_t)record->callers.callers[i].file);
    }
    free((void *)(uintptr_t)record->callers.callers);
    free((void *)(uintptr_t)record->callers.transfers);
    free(record);
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
        (*numbers)[(*count)++] = strtoull(c, &end, 10);
        c = end;
    }
    return PEAL_OK;
}
