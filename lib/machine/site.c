/* SPDX-License-Identifier: MIT */
/* Places of calls: a file and a line, or an address in code, which is looked up when it is reported.
 *
 * Results are remembered until the next run: every node of a program may be reported at the same few calls. */
#include "lib/machine/site.h"
#include "lib/base/text.h"
#include "lib/machine/image.h"
#include "lib/machine/lookup.h"
#include "lib/machine/machine.h"
#include "lib/machine/outsiders.h"
#include <peal/author.h>
#include <stdlib.h>

/* Of the code of a call. */
struct code_address {
    uintptr_t base;   /* of the module; 0: the program's file, of which nodes may have copies */
    uintptr_t offset; /* of the call's return address */
};

struct known_site {
    struct known_site *next;
    struct code_address at;
    int line;      /* 0: unknown */
    char *through; /* functions that pass the call on, as in struct passed; NULL: none */
    char file[];   /* or the module's name */
};

/* Find an address: its offset in the file *path, which may be the name in `own`, of the module *name.  NULL:
 * unknown. */
static struct code_address
site_locate(const struct peal_machine *machine, const void *code, const char **path, const char **name, char own[40])
{
    const struct image_copy *copy = image_copy_at(machine->image, (uintptr_t)code);
    Dl_info module;

    const struct outside_place *outside = outside_place_at(code);

    *path = *name = NULL;
    if (outside) {
        *path = *name = outside->line > 0 ? NULL : outside->file;
        return outside->line > 0 ? (struct code_address){UINTPTR_MAX, (uintptr_t)code}
                                 : (struct code_address){(uintptr_t)outside, (uintptr_t)outside->offset};
    }
    if (!PEAL_THREADS) { /* the browser: line_finder knows the program's lines; its addresses are not of code */
        *path = "";
        return (struct code_address){.offset = (uintptr_t)code + 1};
    }
    if (copy && machine->symbols) {
        *path = machine->symbols;
        return (struct code_address){.offset = (uintptr_t)code - copy->base};
    }
    if (!dladdr(code, &module) || !module.dli_fname)
        return (struct code_address){.offset = (uintptr_t)code};
    *path = lookup_module_file(&module, own);
    *name = module.dli_fname;
    return (struct code_address){(uintptr_t)module.dli_fbase, (uintptr_t)code - (uintptr_t)module.dli_fbase};
}

static struct known_site *
site_create(struct peal_machine *machine, struct code_address at, const char *file, int line)
{
    size_t bytes = strlen(file) + 1;
    struct known_site *site = malloc(sizeof *site + bytes);

    if (!site)
        return NULL;
    site->at = at;
    site->line = line;
    site->through = NULL;
    memcpy(site->file, file, bytes);
    site->next = machine->reports.known_sites;
    machine->reports.known_sites = site;
    return site;
}

/* The caller has the lock.  NULL without memory. */
static const struct known_site *
site_find(struct peal_machine *machine, const void *code)
{
    const char *path, *name;
    char file[1024], own[40];
    int line = 0;
    const struct outside_place *outside = outside_place_at(code);
    struct code_address at = site_locate(machine, code, &path, &name, own);

    for (const struct known_site *site = machine->reports.known_sites; site; site = site->next)
        if (site->at.base == at.base && site->at.offset == at.offset)
            return site;
    if (outside && outside->line > 0) {
        struct known_site *site = site_create(machine, at, outside->file, outside->line);

        if (site && outside->through[0])
            site->through = strdup(outside->through);
        return site;
    }
    if (path && lookup_site(path, at.offset - 1, file, sizeof file, &line)) /* the call lies before it */
        return site_create(machine, at, file, line);
    return site_create(machine, at, name ? name : "?", 0);
}

void
site_remember(struct peal_machine *machine, const void *code, const struct passed *passed, const char *through)
{
    pthread_mutex_lock(&machine->reports.sites_lock);
    const struct image_copy *copy = image_copy_at(machine->image, (uintptr_t)code);
    const struct code_address at = {.offset = copy ? (uintptr_t)code - copy->base : 0};
    struct known_site *site = machine->reports.known_sites;

    while (site && (site->at.base != 0 || site->at.offset != at.offset))
        site = site->next;
    if (copy && (!site || !site->through)) {
        site = passed ? site_create(machine, at, passed->file, passed->line)
                      : (struct known_site *)(uintptr_t)site_find(machine, code);
        if (site)
            site->through = strdup(through);
    }
    pthread_mutex_unlock(&machine->reports.sites_lock);
}

struct call_site
site_of(const struct peal_machine *machine, const char *file, int line)
{
    struct peal_machine *writable = (struct peal_machine *)(uintptr_t)machine; /* the cache is not part of its state */

    if (line > PEAL_CODE || !file)
        return (struct call_site){file, line};
    pthread_mutex_lock(&writable->reports.sites_lock);
    const struct known_site *site = site_find(writable, file);

    pthread_mutex_unlock(&writable->reports.sites_lock);
    return site ? (struct call_site){site->file, site->line} : (struct call_site){NULL, 0};
}

const char *
site_through_next(const char *through, struct passing_step *step)
{
    const size_t name = strcspn(through, "\t"), bytes = strcspn(through, "\n");
    const char *file = through + name + (name < bytes), *number = through + bytes;

    if (*through == '\0')
        return NULL;
    while (number > file && number[-1] != '\t')
        number--;
    snprintf(step->function, sizeof step->function, "%.*s", (int)name, through);
    snprintf(step->file, sizeof step->file, "%.*s", number > file ? (int)(number - file - 1) : 0, file);
    step->line = atoi(number);
    return through + bytes + (through[bytes] == '\n');
}

/* Write "send_row at rows.c:12 and checked_send at checks.h:5", and of many the first; "": nobody passes it on. */
enum { THROUGH_WORDS = 240, MORE_WORDS = 20 };
static void
through_words(const struct peal_machine *machine, const char *file, int line, char text[THROUGH_WORDS])
{
    struct peal_machine *writable = (struct peal_machine *)(uintptr_t)machine;
    struct peal_text out = empty_text(text, THROUGH_WORDS);
    const struct known_site *site = NULL;
    struct passing_step step;
    char one[THROUGH_WORDS];
    int more = 0;

    if (line <= PEAL_CODE && file) {
        pthread_mutex_lock(&writable->reports.sites_lock);
        site = site_find(writable, file);
        pthread_mutex_unlock(&writable->reports.sites_lock);
    }
    for (const char *left = site ? site->through : NULL; left && (left = site_through_next(left, &step));) {
        snprintf(one, sizeof one, *step.file ? "%s%s at %.*s:%d" : "%s%s", *text ? " and " : "", step.function,
                 FITTING(80, file_name(step.file)), step.line);
        if (more == 0 && strlen(text) + strlen(one) < THROUGH_WORDS - MORE_WORDS)
            peal_append(out, "%s", one);
        else
            more++;
    }
    if (more > 0)
        peal_append(out, " and %d more", more);
}

void
site_tell_through(const struct peal_machine *machine, const char *file, int line, struct peal_text message)
{
    char through[THROUGH_WORDS], where[SITE_WORDS];

    through_words(machine, file, line, through);
    if (*through && !strstr(message.start, through))
        peal_append(message, " (through %s)", through);
    if (line > PEAL_CODE || !file || !outside_place_at(file) || site_is_known(machine, file, line))
        return;
    site_words(machine, (struct call_site){file, line}, where);
    if (!strstr(message.start, where))
        peal_append(message, " (%s)", where);
}

const char *
site_passed(const struct peal_machine *machine, const void **place, struct call_site *site)
{
    const struct known_site *known = *place ? ((const struct known_site *)*place)->next : machine->reports.known_sites;

    while (known && !known->through)
        known = known->next;
    *place = known;
    if (!known)
        return NULL;
    *site = (struct call_site){known->file, known->line};
    return known->through;
}

char *
site_function(const struct peal_machine *machine, const char *file, int line)
{
    const char *path, *name;
    char own[40], function[64];

    if (line > PEAL_CODE || !file)
        return NULL;
    const struct outside_place *outside = outside_place_at(file);
    struct code_address at = site_locate(machine, file, &path, &name, own);

    if (outside && outside->function[0])
        return strdup(outside->function);
    return path && lookup_function(path, at.offset - 1, function, sizeof function) ? strdup(function) : NULL;
}

/* ------------------------------------------------------------------ names of calls */

/* Set before machines run, then constant. */
static const char *const *call_names;
static int call_count;

void
peal_call_names(const char *const *names, int count)
{
    call_names = names;
    call_count = names && count <= CALL_NAMES ? count : 0;
}

const char *const **
site_call_names(int **count)
{
    *count = &call_count;
    return (const char *const **)&call_names;
}

const char *
site_call(int line)
{
    int number = line <= PEAL_CODE ? (PEAL_CODE - line) % CALL_NAMES : 0;

    return number > 0 && number < call_count ? call_names[number] : NULL;
}

const char *
site_algorithm(const struct peal_machine *machine, int line)
{
    int number = line <= PEAL_CODE ? (PEAL_CODE - line) / CALL_NAMES : 0;

    return number > 0 && number <= machine->reports.taken_count ? machine->reports.taken[number - 1] : NULL;
}

int
site_take(struct peal_machine *machine, const char *algorithm, int parameter)
{
    char name[60];

    if (!call_names || !algorithm)
        return 0;
    if (parameter > 0)
        snprintf(name, sizeof name, "%.40s:%d", algorithm, parameter);
    else
        snprintf(name, sizeof name, "%.40s", algorithm);
    for (int i = 0; i < machine->reports.taken_count; i++)
        if (strcmp(machine->reports.taken[i], name) == 0)
            return (i + 1) * CALL_NAMES;
    if (machine->reports.taken_count == MAX_TAKEN)
        return 0;
    if (!grow_by_one(&machine->reports.taken, (size_t)machine->reports.taken_count, sizeof *machine->reports.taken) ||
        !(machine->reports.taken[machine->reports.taken_count] = strdup(name)))
        return 0;
    machine->reports.taken_count++;
    return machine->reports.taken_count * CALL_NAMES;
}

char *
site_words(const struct peal_machine *machine, struct call_site place, char text[SITE_WORDS])
{
    char through[THROUGH_WORDS];

    through_words(machine, place.file, place.line, through);
    place = site_of(machine, place.file, place.line);
    const char *file = place.file ? file_name(place.file) : "?";

    if (place.line > 0)
        snprintf(text, SITE_WORDS, "%.*s:%d%s%s", FITTING(120, file), place.line, *through ? ", through " : "",
                 through);
    else if (place.file && strcmp(place.file, "?") != 0)
        snprintf(text, SITE_WORDS, "an unknown line of %.*s", FITTING(120, file));
    else
        snprintf(text, SITE_WORDS, "an unknown line");
    return text;
}

bool
site_is_known(const struct peal_machine *machine, const char *file, int line)
{
    return file && site_of(machine, file, line).line > 0;
}

bool
site_is_of_system(const struct peal_machine *machine, const char *file, int line)
{
    const struct call_site site = site_of(machine, file, line);

    return site.line > 0 && lookup_is_system(site.file);
}

char *
site_call_words(const struct peal_machine *machine, struct call_site place, char text[SITE_WORDS])
{
    const char *call = site_call(place.line);
    char where[SITE_WORDS];

    snprintf(text, SITE_WORDS, "%s%s%.*s", call ? call : "", call ? " at " : "", SITE_WORDS - 60,
             site_words(machine, place, where));
    return text;
}

bool
peal_code_line(struct peal_node *me, const void *code, const char **file, int *line)
{
    me->node->inside = true;
    struct call_site place = site_of(me->node->machine, code, PEAL_CODE);

    me->node->inside = false;
    *file = place.file ? place.file : "?";
    *line = place.line;
    return *line > 0;
}

void
sites_forget(struct peal_machine *machine)
{
    for (struct known_site *site; (site = machine->reports.known_sites); free(site)) {
        machine->reports.known_sites = site->next;
        free(site->through);
    }
}

void
sites_fini(struct peal_machine *machine)
{
    sites_forget(machine);
    for (int i = 0; i < machine->reports.taken_count; i++)
        free(machine->reports.taken[i]);
    free(machine->reports.taken);
}
