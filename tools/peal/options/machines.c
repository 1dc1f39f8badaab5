/* SPDX-License-Identifier: MIT */
/* Reads machines, from the list and from files, and takes options from them. */
#include "options/machines.h"
#include "lib/base/nearest.h"
#include "new/template.h"
#include "options/options_read.h"
#include "show/show.h"
#include <stdlib.h>
#include <unistd.h>

enum { MAX_MACHINES = 32 };

/* ------------------------------------------------------------------ reading */

static char *
machines_trim(char *text)
{
    text += strspn(text, " \t");
    for (size_t length = strlen(text); length > 0 && strchr(" \t\r", text[length - 1]); length--)
        text[length - 1] = '\0';
    return text;
}

static enum peal_status
refuse_key(const char *file, int line, const char *key, struct peal_error *error)
{
    static const char *const keys[] = {"about",     "topology",   "place", "per-host", "routing", "ports",
                                       "switching", "congestion", "alpha", "beta",     "hop",     "tau",
                                       "gamma",     "overlap",    "copy",  NULL};

    struct nearest near = {.word = key};

    if (names_have(keys, key))
        return PEAL_OK;
    for (int i = 0; keys[i]; i++)
        peal_nearest_offer(&near, keys[i]);
    return peal_refuse(error, PEAL_USAGE, "%s:%d: unknown key %s%s", file, line, key,
                       peal_nearest_words(&near, " (peal list machines shows which there are)"));
}

/* Read one line of a machine: "key = value; source". */
static enum peal_status
read_entry(const char *file, int line, char *text, struct machine *machine, struct peal_error *error)
{
    char *value = strchr(text, '='), *source;

    if (!value)
        return peal_refuse(error, PEAL_USAGE, "%s:%d: expected key = value, as in alpha = 1000", file, line);
    *value++ = '\0';
    source = strchr(value, ';');
    if (source)
        *source++ = '\0';
    text = machines_trim(text);
    value = machines_trim(value);
    if (refuse_key(file, line, text, error) != PEAL_OK)
        return error->status;
    if (!*value)
        return peal_refuse(error, PEAL_USAGE, "%s:%d: %s has no value", file, line, text);
    if (machine_value(machine, text) || machine->count == MAX_MACHINE_KEYS)
        return peal_refuse(error, PEAL_USAGE, "%s:%d: %s is there twice", file, line, text);
    if (strcmp(text, "about") == 0)
        machine->about = value;
    machine->entries[machine->count++] =
        (struct machine_entry){text, value, source ? machines_trim(source) : NULL, line};
    return PEAL_OK;
}

/* Read the machine of a section, or, with NULL, all lines of a file that has at most one section. */
static enum peal_status
machines_read(const char *file, const char *section, struct machine *machine, struct peal_error *error)
{
    bool inside = !section;
    int line = 0;

    for (char *at = machine->text, *end; at; at = end) {
        end = strchr(at, '\n');
        if (end)
            *end++ = '\0';
        line++;
        at = machines_trim(at);
        if (!*at || *at == '#')
            continue;
        if (*at == '[') {
            at[strcspn(at, "]")] = '\0';
            inside = !section || strcmp(at + 1, section) == 0;
            if (!section && machine->count > 0)
                return peal_refuse(error, PEAL_USAGE, "%s:%d: a second machine begins; a file has one", file, line);
            if (inside)
                machine->name = at + 1;
        } else if (inside && read_entry(file, line, at, machine, error) != PEAL_OK) {
            return error->status;
        }
    }
    return PEAL_OK;
}

/* The name of section i of the list, in `name`. */
static bool
section_name(int i, char name[40])
{
    const char *at = new_machines;

    for (; (at = strstr(at, "\n[")); at += 2)
        if (i-- == 0) {
            snprintf(name, 40, "%.*s", (int)strcspn(at + 2, "]"), at + 2);
            return true;
        }
    return false;
}

bool
machine_get(int i, struct machine *machine)
{
    char name[40];

    *machine = (struct machine){.text = NULL};
    if (!section_name(i, name) || !(machine->text = strdup(new_machines)))
        return false;
    return machines_read("machines.ini", name, machine, NULL) == PEAL_OK && machine->count > 0;
}

static enum peal_status
find_listed(const char *text, struct machine *machine, struct peal_error *error)
{
    char names[MAX_MACHINES][40];
    struct nearest near = {.word = text};

    for (int i = 0; i < MAX_MACHINES && section_name(i, names[i]); i++) {
        peal_nearest_offer(&near, names[i]);
        if (strcmp(text, names[i]) == 0)
            return machine_get(i, machine) ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    }
    if (access(text, F_OK) == 0)
        return peal_refuse(error, PEAL_USAGE, "unknown machine; for the file write ./%s", text);
    return peal_refuse(error, PEAL_USAGE, "unknown machine%s%s",
                       peal_nearest_words(&near, " (peal list machines shows them); for a file write ./"),
                       near.name ? "" : text);
}

enum peal_status
machine_find(const char *text, struct machine *machine, struct peal_error *error)
{
    void *bytes = NULL;
    size_t size = 0;
    enum peal_status status;

    *machine = (struct machine){.name = text};
    if (!strpbrk(text, "/.")) /* not a path */
        return find_listed(text, machine, error);
    status = file_read(text, &bytes, &size, error);
    if (status == PEAL_OK && !(machine->text = strndup(bytes, size)))
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    free(bytes);
    if (status == PEAL_OK)
        status = machines_read(text, NULL, machine, error);
    if (status == PEAL_OK && machine->count == 0)
        status = peal_refuse(error, PEAL_USAGE, "it describes no machine: expected lines such as alpha = 1000");
    return status;
}

const char *
machine_value(const struct machine *machine, const char *key)
{
    for (int i = 0; i < machine->count; i++)
        if (strcmp(machine->entries[i].key, key) == 0)
            return machine->entries[i].value;
    return NULL;
}

/* ------------------------------------------------------------------ applying */

/* Whether the command line asks for exactly the topology's nodes, for at most those of its hosts where nodes are
 * placed, or gives no number. */
static bool
fits_nodes(const struct command_request *request, const char *topology)
{
    size_t has = (size_t)peal_topology_nodes(topology), asked = (size_t)request->machine.nodes;
    const struct range *range = request->sweep ? &request->sweep->nodes : NULL;
    bool several = range ? !range->step || peal_range_count(range) != 1 : request->check != NULL;

    if (has == 0 || (!request->named.nodes && !range && !request->check && !option_given(request, "nodes")))
        return true;
    if (several && !request->named.nodes)
        return false;
    if (request->named.nodes)
        asked = (size_t)request->named.nodes;
    else if (range)
        asked = peal_range_get(range, 0);
    if (request->placing.per_host)
        has *= (size_t)request->placing.per_host;
    return placing_given(&request->placing) || peal_topology_placement(topology) ? asked <= has : asked == has;
}

/* The first of the machine's topologies that has the requested nodes; *other: it is not the first. */
static char *
choose_topology(const struct command_request *request, char *list, bool *other)
{
    char *next;

    *other = false;
    for (char *at = list; at; at = next) {
        next = strchr(at, ',');
        if (next)
            *next++ = '\0';
        at = machines_trim(at);
        if (fits_nodes(request, at) || !next)
            return at;
        *other = true;
    }
    return list;
}

/* Read a value as the option of this name would, unless that option was given. */
static enum peal_status
stand_for(struct command_request *request, const char *name, const char *value, struct peal_error *error)
{
    for (const struct option *o = options_table; o->name; o++)
        if (strcmp(o->name, name) == 0 && option_taken(request->command, o) && !option_given(request, name))
            return request->named.stood[request->named.stood_count++] = o->name, option_read(o, request, value, error);
    return PEAL_OK;
}

bool
machine_stands(const struct command_request *request, const char *name)
{
    for (int i = 0; i < request->named.stood_count; i++)
        if (strcmp(request->named.stood[i], name) == 0)
            return true;
    return false;
}

/* A price of a machine that has no option, or not in this unit. */
static bool
read_price(const char *value, double *price)
{
    char *end;

    *price = strtod(value, &end);
    return end != value && *end == '\0' && peal_parameter_allowed(*price);
}

/* Whether the entry places nodes.  Such entries are applied first: the number of nodes of a network depends on them. */
static bool
is_placing(const struct machine_entry *entry)
{
    return strcmp(entry->key, "place") == 0 || strcmp(entry->key, "per-host") == 0;
}

static enum peal_status
apply_entry(struct command_request *request, const struct machine_entry *entry, bool *other, struct peal_error *error)
{
    static const char *const prices[] = {"beta", "gamma", "overlap", "copy"};
    double price;

    if (strcmp(entry->key, "about") == 0)
        return PEAL_OK;
    if (strcmp(entry->key, "topology") == 0)
        return stand_for(request, entry->key, choose_topology(request, entry->value, other), error);
    if (strcmp(entry->key, "routing") == 0 && (*other || option_given(request, "topology")))
        return PEAL_OK;
    for (int i = 0; i < 4; i++)
        if (strcmp(entry->key, prices[i]) == 0) {
            if (!read_price(entry->value, &price))
                return peal_refuse(error, PEAL_USAGE, "%s is not a number of nanoseconds", entry->value);
            if (i == 0)
                request->named.beta = price;
            return PEAL_OK;
        }
    return stand_for(request, entry->key, entry->value, error);
}

enum peal_status
machine_apply(struct command_request *request, struct peal_error *error)
{
    struct machine machine;
    struct peal_error why;
    bool other = false;
    enum peal_status status = machine_find(request->named.name, &machine, &why);

    request->named.text = machine.text;
    if (status != PEAL_OK)
        return peal_refuse(error, status, "--machine %s: %s", request->named.name, why.text);
    for (int placing = 1; placing >= 0; placing--)
        for (int i = 0; status == PEAL_OK && i < machine.count; i++)
            if (is_placing(&machine.entries[i]) == placing &&
                apply_entry(request, &machine.entries[i], &other, &why) != PEAL_OK)
                return peal_refuse(error, why.status, "--machine %s: line %d: %s: %s", request->named.name,
                                   machine.entries[i].line, machine.entries[i].key, why.text);
    if (request->named.beta > 0 && !option_given(request, "beta"))
        request->machine.parameters.beta = request->named.beta * (double)request->machine.word_bytes;
    show_in_nanoseconds(&request->machine.parameters);
    if (other && !option_given(request, "topology"))
        fprintf(stderr, "peal: note: %s with this number of nodes: %s\n", request->named.name,
                request->machine.topology);
    return PEAL_OK;
}
