/* SPDX-License-Identifier: MIT */
/* Failures: the failure of the lowest rank in a phase wins.  lib/report says what every unfinished node was doing. */
#include "lib/machine/failure.h"
#include "lib/base/text.h"
#include "lib/machine/machine.h"
#include "lib/machine/park.h"
#include "lib/machine/rules.h"
#include <peal/author.h>
#include <peal/hints.h>
#include <peal/outside.h>
#include <stdlib.h>

struct kept_name {
    struct kept_name *next;
    char text[];
};

/* The name may lie in a program that is unloaded before the report.  The caller has the lock; NULL without memory. */
const char *
failure_keep_name(struct peal_machine *machine, const char *file)
{
    size_t bytes = strlen(file) + 1;
    struct kept_name *name = malloc(sizeof *name + bytes);

    if (!name)
        return NULL;
    memcpy(name->text, file, bytes);
    name->next = machine->reports.kept_names;
    machine->reports.kept_names = name;
    return name->text;
}

void
failure_place(struct node *node, const char *file, int line)
{
    struct peal_machine *machine = node->machine;

    pthread_mutex_lock(&machine->reports.lock);
    node->file = failure_keep_name(machine, file);
    node->line = line;
    pthread_mutex_unlock(&machine->reports.lock);
}

/* Append what a node did before it crashed and may be the cause. */
static void
crash_hint_write(const struct node *node, char fix[ADVICE_BYTES])
{
    const struct crash_hint *hint = node->crash_hint;
    char where[SITE_WORDS];

    if (!hint)
        return;
    if (hint->file)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(pointer_overwritten), hint->call,
                 site_words(node->machine, (struct call_site){hint->file, hint->line}, where));
    else if (hint->call)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(displs_bytes), hint->call, hint->displacement, hint->elements);
}

void
failure_set(struct peal_machine *machine, int rank, enum peal_failure_kind kind, const char *file, int line,
            const char *format, ...)
{
    struct peal_failure *failure = &machine->reports.failure;
    struct call_site place = site_of(machine, file, line);
    struct node *node = rank >= 0 && rank < machine->options.nodes ? &machine->nodes[rank] : NULL;
    const char *advice = node ? node->advice : NULL;

    pthread_mutex_lock(&machine->reports.lock);
    if (!machine->reports.failed || rank < failure->rank) {
        failure->kind = kind;
        failure->status = kind == PEAL_TIMED_OUT       ? PEAL_TIMEOUT
                          : kind == PEAL_OUT_OF_MEMORY ? PEAL_RESOURCES
                                                       : PEAL_FAILED;
        failure->rank = rank;
        failure->line = place.line;
        WRITE_ARGUMENTS(failure->message, format);
        site_tell_through(machine, file, line, IN_ARRAY(failure->message));
        snprintf(failure->fix, sizeof failure->fix, "%s", advice ? advice : "");
        machine->reports.bad_partner = node && advice ? node->bad_partner : (struct bad_partner){.group = NULL};
        if (!advice && node && node->writes_result)
            snprintf(failure->fix, sizeof failure->fix, "%s", PEAL_HINT(no_ierror));
        else if (kind == PEAL_CRASH && !advice && node)
            crash_hint_write(node, failure->fix);
        advice_name_calls(file, failure->fix);
        snprintf(failure->file, sizeof failure->file, "%s", place.file && place.line > 0 ? place.file : "");
        machine->reports.failed = true;
    }
    if (node && node->state == NODE_FINISHED) /* its memory has been freed before */
        node_advice_free(node);
    pthread_mutex_unlock(&machine->reports.lock);
}

void
failure_fix(struct peal_machine *machine, int rank, const char *format, ...)
{
    struct peal_failure *failure = &machine->reports.failure;

    pthread_mutex_lock(&machine->reports.lock);
    if (machine->reports.failed && failure->rank == rank && !failure->fix[0])
        WRITE_ARGUMENTS(failure->fix, format);
    pthread_mutex_unlock(&machine->reports.lock);
}

/* Whether the text names the node. */
static bool
names(const char *text, int rank)
{
    char name[32];
    int length = snprintf(name, sizeof name, "node %d", rank);

    for (const char *at = text; (at = strstr(at, name)); at++)
        if (at[length] < '0' || at[length] > '9')
            return true;
    return false;
}

/* Record the failure of a node's own call, whose message names the node, and leave the program. */
static _Noreturn void
node_vfail(struct node *node, enum peal_failure_kind kind, const char *format, va_list list)
{
    char text[sizeof((struct peal_failure *)0)->message];

    node->inside = true;
    vsnprintf(text, sizeof text, format, list);
    if (names(text, node->rank))
        failure_set(node->machine, node->rank, kind, node->file, node->line, "%s", text);
    else
        failure_set(node->machine, node->rank, kind, node->file, node->line, "node %d: %s", node->rank, text);
    node_leave(node, EXIT_FAILED);
}

_Noreturn void
node_fail(struct peal_node *me, enum peal_failure_kind kind, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    node_vfail(me->node, kind, format, list);
}

void
peal_fail_at(struct peal_node *me, int kind, const char *file, int line, const char *format, ...)
{
    va_list list;

    me->node->inside = true;
    me->node->file = me->file ? me->file : file;
    me->node->line = me->file ? me->line : line;
    va_start(list, format);
    node_vfail(me->node, (enum peal_failure_kind)kind, format, list);
}

void
peal_fail_other(struct peal_node *me, int rank, int kind, const char *file, int line, const char *format, ...)
{
    char text[sizeof((struct peal_failure *)0)->message];

    WRITE_ARGUMENTS(text, format);
    failure_set(me->node->machine, rank, (enum peal_failure_kind)kind, file, line, "%s", text);
}

void
failure_clear(struct peal_machine *machine)
{
    for (int i = 0; i < machine->reports.failure.node_count; i++) {
        free((char *)(uintptr_t)machine->reports.failure.nodes[i].file);
        free((char *)(uintptr_t)machine->reports.failure.nodes[i].collective);
        free((char *)(uintptr_t)machine->reports.failure.nodes[i].call);
    }
    free(machine->reports.failure.nodes);
    free(machine->reports.failure.cycle);
    for (struct kept_name *name; (name = machine->reports.kept_names);) {
        machine->reports.kept_names = name->next;
        free(name);
    }
    machine->reports.failure = (struct peal_failure){0};
    machine->reports.failed = false;
}
