/* SPDX-License-Identifier: MIT */
/* The calls of the program that posted each transfer's messages: the transfers have their numbers. */
#include "lib/machine/callers.h"
#include "lib/base/text.h"
#include "lib/machine/requests.h"

/* A place as requests record it, not looked up: nodes have copies of a program, so one call may have many places. */
struct raw {
    const char *file;
    int line;
    uint32_t number; /* of the call, from 1 */
};

struct callers {
    struct peal_callers public;
    size_t callers_room;
    struct raw *places;
    size_t place_count, places_room;
    struct map by_place;                /* numbers of places */
    bool full;                          /* no memory */
    struct peal_collective_call *calls; /* by number */
    size_t call_count, calls_room;
};

static bool
same(const struct peal_caller *a, const struct peal_caller *b)
{
    return a->call == b->call && a->algorithm == b->algorithm && a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* Look up this place, and give the number of its call; 0 without memory. */
static uint32_t
caller_number(struct peal_machine *machine, struct callers *callers, struct call_site raw)
{
    const struct call_site site = site_of(machine, raw.file, raw.line);
    struct peal_caller *list = (struct peal_caller *)(uintptr_t)callers->public.callers,
                       one = {site_call(raw.line), site_algorithm(machine, raw.line), site.file ? site.file : "?",
                              site.line, NULL};

    for (size_t i = 0; i < callers->public.count; i++)
        if (same(&list[i], &one))
            return (uint32_t)i + 1;
    if (!array_grow(&callers->public.callers, &callers->callers_room, callers->public.count + 1, sizeof *list))
        return 0;
    list = (struct peal_caller *)(uintptr_t)callers->public.callers;
    one.file = strdup(one.file); /* the cache of places is forgotten with the run */
    if (!one.file)
        return 0;
    one.function = site_function(machine, raw.file, raw.line);
    list[callers->public.count++] = one;
    return (uint32_t)callers->public.count;
}

/* The number of the calls at this place; 0 without memory. */
static uint32_t
callers_number(struct peal_machine *machine, struct call_site site)
{
    struct callers *callers = machine->callers;
    const uint64_t key = map_mix((uint64_t)(uintptr_t)site.file, (uint64_t)(int64_t)site.line);
    size_t at = 0;

    if (callers->full)
        return 0;
    for (ptrdiff_t i; (i = map_next(&callers->by_place, key, &at)) != MAP_NONE;)
        if (callers->places[i].file == site.file && callers->places[i].line == site.line)
            return callers->places[i].number;
    uint32_t number = caller_number(machine, callers, site);

    if (number == 0 ||
        !array_grow(&callers->places, &callers->places_room, callers->place_count + 1, sizeof *callers->places) ||
        !map_put(&callers->by_place, key, callers->place_count)) {
        callers->full = true;
        return 0;
    }
    callers->places[callers->place_count++] = (struct raw){site.file, site.line, number};
    return number;
}

void
callers_see(struct peal_machine *machine)
{
    struct callers *callers = machine->callers;
    const struct round *round = &machine->round;

    for (size_t i = 0; i < round->transfer_count && !callers->full; i++) {
        const struct request *send = &round->requests[round->admitted[i]];
        uint32_t *calls = round->transfers[i].calls;

        calls[0] = callers_number(machine, request_site(machine, send));
        if (calls[0] && callers->public.callers[calls[0] - 1].algorithm)
            callers_use(machine, round->transfers[i].from, round->recorder.schedule.round_count,
                        round->recorder.schedule.round_count);
        if (is_access(send->kind))
            calls[1] = calls[0];
        else /* or carried ahead */
            calls[1] = send->flags & REQUEST_MATCHED
                           ? callers_number(machine, request_site(machine, &round->requests[send->partner]))
                           : 0;
    }
}

/* ------------------------------------------------------------------ collectives */

enum { MAX_CALLS = 1 << 20 };

static void
call_fini(struct peal_collective_call *call)
{
    free((char *)(uintptr_t)call->algorithm);
    free((int *)(uintptr_t)call->members);
}

/* Copy what outlives the call and its group. */
static bool
call_fill(struct peal_collective_call *to, const struct peal_node *me, const struct peal_call *call)
{
    const struct group *group = me->group;
    char name[64];
    int *members = group->members ? calloc((size_t)group->size, sizeof *members) : NULL;

    if (call->parameter)
        snprintf(name, sizeof name, "%s:%d", call->algorithm, call->parameter);
    else
        snprintf(name, sizeof name, "%s", call->algorithm);
    *to = (struct peal_collective_call){.collective = call->form->name,
                                        .algorithm = strdup(name),
                                        .words = call->words,
                                        .scale = me->scale,
                                        .root = call->root,
                                        .by = call->by,
                                        .unequal = call->unequal || call->list,
                                        .ordered = call->traits && !(call->traits & 1),
                                        .nodes = group->size,
                                        .members = members,
                                        .first = SIZE_MAX};
    for (int i = 0; members && i < group->size; i++)
        members[i] = group->members[i];
    if (to->algorithm && (members || !group->members))
        return true;
    call_fini(to);
    return false;
}

uint32_t
callers_call(const struct peal_node *me, const struct peal_call *call)
{
    struct callers *callers = me->node->machine->callers;

    if (!callers || !call->algorithm || callers->call_count == MAX_CALLS)
        return 0;
    if (!array_grow(&callers->calls, &callers->calls_room, callers->call_count + 1, sizeof *callers->calls))
        return 0;
    return call_fill(&callers->calls[callers->call_count], me, call) ? (uint32_t)++callers->call_count : 0;
}

void
callers_use(struct peal_machine *machine, int rank, size_t first, size_t last)
{
    uint32_t number = machine->callers ? machine->nodes[rank].call : 0;
    struct peal_collective_call *call = number ? &machine->callers->calls[number - 1] : NULL;

    if (!call)
        return;
    call->first = first < call->first ? first : call->first;
    call->last = last;
}

static int
compare_calls(const void *a, const void *b)
{
    const struct peal_collective_call *x = a, *y = b;
    int one = x->members ? x->members[0] : 0, other = y->members ? y->members[0] : 0;

    return x->first != y->first ? (x->first > y->first) - (x->first < y->first)
           : x->last != y->last ? (x->last > y->last) - (x->last < y->last)
                                : (one > other) - (one < other);
}

struct peal_collective_calls
peal_machine_collectives(struct peal_machine *machine)
{
    struct callers *callers = machine->callers;
    size_t count = callers ? callers->call_count : 0;

    if (!callers || callers->full || count == MAX_CALLS)
        return (struct peal_collective_calls){0, NULL};
    if (count > 0)
        qsort(callers->calls, count, sizeof *callers->calls, compare_calls);
    while (count > 0 && callers->calls[count - 1].first == SIZE_MAX) /* without messages */
        count--;
    return (struct peal_collective_calls){count, callers->calls};
}

void
callers_begin(struct peal_machine *machine)
{
    struct callers *callers = machine->callers;

    if (!callers)
        return;
    for (size_t i = 0; i < callers->call_count; i++)
        call_fini(&callers->calls[i]);
    callers->call_count = 0;
    for (size_t i = 0; i < callers->public.count; i++) {
        free((char *)(uintptr_t)callers->public.callers[i].file);
        free((char *)(uintptr_t)callers->public.callers[i].function);
    }
    if (callers->by_place.places)
        memset(callers->by_place.places, 0, callers->by_place.size * sizeof *callers->by_place.places);
    callers->by_place.count = 0;
    callers->public.count = callers->place_count = 0;
    callers->full = false;
}

enum peal_status
peal_machine_keep_callers(struct peal_machine *machine, struct peal_error *error)
{
    if (machine->callers || machine->remote)
        return PEAL_OK;
    if (!(machine->callers = calloc(1, sizeof *machine->callers)))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory to keep the calls of transfers");
    return PEAL_OK;
}

const struct peal_callers *
peal_machine_callers(const struct peal_machine *machine)
{
    return machine->callers && !machine->callers->full ? &machine->callers->public : NULL;
}

char *
peal_caller_text(const struct peal_caller *caller, char *text, size_t bytes)
{
    struct peal_text out = empty_text(text, bytes);

    peal_append(out, "%s%s%s", caller->call ? caller->call : "", caller->algorithm ? " by " : "",
                caller->algorithm ? caller->algorithm : "");
    if (caller->file && caller->line > 0)
        peal_append(out, "%s%s:%d", caller->call ? " at " : "", file_name(caller->file), caller->line);
    else if (!text[0])
        peal_append(out, "an unknown line");
    return text;
}

void
callers_fini(struct peal_machine *machine)
{
    struct callers *callers = machine->callers;

    if (!callers)
        return;
    callers_begin(machine);
    free((void *)(uintptr_t)callers->public.callers);
    free(callers->places);
    free(callers->by_place.places);
    free(callers->calls);
    free(callers);
    machine->callers = NULL;
}
