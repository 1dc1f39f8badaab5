/* SPDX-License-Identifier: MIT */
/* Reporting the collective calls of a group that differ between its members, and those that some of them do not
 * make. */
#include "lib/base/plural.h"
#include "lib/machine/calls.h"
#include "lib/machine/strand.h"
#include "lib/machine/view.h"
#include <peal/form.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ in words */

enum { SAID = 300 };

/* "broadcast of 4 words with root 1 (prog.c:12)" */
static void
say_call(const struct peal_machine *machine, const struct site *site, bool algorithm, char text[SAID])
{
    char where[SITE_WORDS];
    const struct peal_call *call = &site->call;
    const struct peal_form *form = call->form;
    const char *name = site_call(site->line);
    size_t used = (size_t)snprintf(text, SAID, "%.40s", name ? name : form->name);
    size_t words = call->words * (name && call->traits >> 1 ? (size_t)call->traits >> 1 : 1); /* of a view */

    if (algorithm && call->algorithm)
        used += (size_t)snprintf(text + used, SAID - used, "/%.40s", call->algorithm);
    if (algorithm && call->parameter > 0)
        used += (size_t)snprintf(text + used, SAID - used, ":%d", call->parameter);
    if (form->out != PEAL_SIDE_NONE && call->words + !call->unequal > 0)
        used += (size_t)snprintf(text + used, SAID - used, " of %s%s%zu %s%s", form->unequal ? "blocks of " : "",
                                 call->unequal ? "up to " : "", words, machine_unit(machine), plural(words));
    if (call->op)
        used += (size_t)snprintf(text + used, SAID - used, " by %.40s", call->op);
    if (form->by)
        used += (size_t)snprintf(text + used, SAID - used, " by %d", call->by);
    if (form->root)
        used += (size_t)snprintf(text + used, SAID - used, " with root %d", call->root);
    snprintf(text + used, SAID - used, " (%s)", site_words(machine, (struct call_site){site->file, site->line}, where));
}

/* "2nd collective of all 8 nodes" */
static void
say_number(const struct group *group, bool world, uint32_t number, char text[SAID])
{
    uint64_t n = (uint64_t)number + 1;
    const char *end = n / 10 % 10 == 1 ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";

    snprintf(text, SAID, "%llu%s collective of %s %d node%s", (unsigned long long)n, end, world ? "all" : "a group of",
             group->size, plural(group->size));
}

/* ------------------------------------------------------------------ reporting */

static void
tell_difference(struct peal_machine *machine, const struct group *group, uint32_t number)
{
    const struct together *together = calls_at(group->calls, number);
    const char *how = calls_difference(&together->first.call, &together->other.call);
    bool algorithms = strcmp(how, "the algorithms differ") == 0;
    char what[SAID], one[SAID], other[SAID];

    say_number(group, group == &machine->world, number, what);
    say_call(machine, &together->first, algorithms, one);
    say_call(machine, &together->other, algorithms, other);
    failure_set(machine, together->other.rank, PEAL_COLLECTIVE_MISMATCH, together->other.file, together->other.line,
                "the %s is not one call: node %d calls %s, node %d calls %s%s%s", what, together->first.rank, one,
                together->other.rank, other, *how ? ": " : "", how);
}

/* The calls are the same, and the types of their data are not. */
static void
tell_types(struct peal_machine *machine, const struct group *group, struct together *together, uint32_t number)
{
    const struct typed *typed = &together->typed, *odd = &together->odd;
    struct peal_place places[2] = {{odd->rank, odd->file, odd->line}, {typed->rank, typed->file, typed->line}};
    struct peal_run_finding finding = {.kind = PEAL_TYPE_MISMATCH, .places = places, .place_count = 2};
    const char *name = site_call(odd->line);
    char what[SAID];

    say_number(group, group == &machine->world, number, what);
    snprintf(finding.message, sizeof finding.message,
             "%.40s: the data of the %s are %.60s on node %d, and %.60s on node %d",
             name ? name : together->first.call.form->name, what, odd->types, odd->rank, typed->types, typed->rank);
    if (!finding_add(machine, &finding))
        failure_set(machine, odd->rank, PEAL_OUT_OF_MEMORY, NULL, 0, "no memory for a finding");
    together->reported = true;
    together->odd.rank = -1;
}

static void
tell_differences(struct peal_machine *machine, struct group *group)
{
    for (uint32_t i = 0; group->calls && i < group->calls->count; i++) {
        uint32_t number = group->calls->base + i;
        struct together *together = calls_at(group->calls, number);

        if (together->other.rank >= 0)
            tell_difference(machine, group, number);
        else if (together->odd.rank >= 0)
            tell_types(machine, group, together, number);
    }
    if (group->calls)
        calls_forget_complete(group->calls, group->size);
}

void
calls_tell_differences(struct peal_machine *machine)
{
    machine->mismatched = false;
    tell_differences(machine, &machine->world);
    for (struct group *group = machine->groups; group; group = group->next)
        tell_differences(machine, group);
}

static const struct node *
member(const struct peal_machine *machine, const struct group *group, int rank)
{
    return &machine->nodes[group->members ? group->members[rank] : rank];
}

/* The collective that the node is in, as seen in its group; NULL: none, or all members have called it. */
static const struct peal_node *
waits_for_callers(const struct node *node)
{
    const struct peal_node *view = node->views;

    if (node->split)
        return node->split->parent;
    while (view && !strand_waits_in(node, view))
        view = view->next;
    if (!view || view->collectives != view->group->context + 1 || !view->collective || !view->group->calls)
        return NULL;
    const struct calls *calls = view->group->calls;
    uint32_t made = calls->made[view->rank];

    return made > 0 && made - 1 - calls->base < calls->count ? view : NULL;
}

/* Whether all unfinished nodes are in collectives that others have not called: then nothing else stops them. */
static bool
only_collectives_wait(const struct peal_machine *machine)
{
    for (int rank = 0; rank < machine->options.nodes; rank++)
        if (machine->nodes[rank].state != NODE_FINISHED && !waits_for_callers(&machine->nodes[rank]))
            return false;
    return true;
}

/* Find the lowest member that has not made this call and will not; `elsewhere`: include one that waits in another
 * call. */
static bool
find_missing(const struct peal_machine *machine, const struct group *group, uint32_t number, bool elsewhere,
             struct missing *missing)
{
    const struct site *site = &calls_at(group->calls, number)->first;
    char what[SAID], call[SAID], where[SITE_WORDS];

    say_number(group, group == &machine->world, number, what);
    say_call(machine, site, false, call);
    missing->rank = site->rank;
    missing->file = site->file;
    missing->line = site->line;
    for (int rank = 0; rank < group->size; rank++) {
        const struct node *node = member(machine, group, rank);
        const struct peal_node *view;

        if (group->calls->made[rank] > number)
            continue;
        if (node->state == NODE_FINISHED) {
            snprintf(missing->text, sizeof missing->text,
                     "not every node makes the %s: node %d calls %s, node %d has finished after %u of them", what,
                     site->rank, call, node->rank, group->calls->made[rank]);
            return true;
        }
        if (elsewhere && (view = waits_for_callers(node))) {
            snprintf(missing->text, sizeof missing->text,
                     "not every node makes the %s: node %d calls %s, node %d waits in %s of %s %d node%s (%s)", what,
                     site->rank, call, node->rank, node->split ? "split" : view->collective,
                     view->group == &machine->world ? "all" : "a group of", view->group->size,
                     plural(view->group->size), site_words(machine, (struct call_site){node->file, node->line}, where));
            return true;
        }
    }
    return false;
}

bool
calls_find_missing(const struct peal_machine *machine, struct missing *missing)
{
    for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
        if (elsewhere && !only_collectives_wait(machine))
            break;
        for (const struct group *group = &machine->world; group;
             group = group == &machine->world ? machine->groups : group->next)
            for (uint32_t i = 0; group->calls && i < group->calls->count; i++)
                if (find_missing(machine, group, group->calls->base + i, elsewhere, missing))
                    return true;
    }
    return false;
}
