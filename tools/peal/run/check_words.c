/* SPDX-License-Identifier: MIT */
/* Words for checks: their names, and what narrows their cases. */
#include "lib/base/text.h"
#include "lib/check/expression.h"
#include "run/checks.h"

char *
checks_name(const struct peal_check *check, char name[400])
{
    if (check->program)
        snprintf(name, 400, "%s", check->file);
    else if (check->file)
        snprintf(name, 400, "%s, %s of %s", peal_call_name(check->collective, check->unequal),
                 check->symbol ? check->symbol : "", check->file);
    else
        snprintf(name, 400, "%s/%s", peal_call_name(check->collective, check->unequal), check->algorithm);
    make_plain(name);
    return name;
}

char *
checks_narrowing(const struct peal_check *check, const struct peal_verdict *verdict, char text[NARROWING])
{
    static const char *const call_texts[PEAL_CALLS + 1] = {"once",
                                                           "twice in a row",
                                                           "in a group",
                                                           "with a larger extent",
                                                           "with a struct",
                                                           "with gaps",
                                                           "on two communicators",
                                                           "on two communicators at once",
                                                           "on two communicators that overlap",
                                                           "with buffers that do not count",
                                                           "first with another root",
                                                           "first with other sizes"};
    char how[300], all[NARROWING - 5];
    struct peal_text out = empty_text(all, sizeof all);
    bool separate = check->buffers == PEAL_BUFFERS_SEPARATE;

    for (int i = 0; i < verdict->finding_count; i++)
        separate |= verdict->findings[i].severity == PEAL_SEVERITY_WARNING && verdict->findings[i].where.in_place;
    if (separate || check->buffers == PEAL_BUFFERS_IN_PLACE)
        peal_append(out, ", %s", separate ? "with separate buffers" : "in place");
    if (check->only)
        peal_append(out, ", where %s", check->only);
    if (check->divides)
        peal_append(out, ", where P divides the words");
    if (check->nonzero)
        peal_append(out, ", where nothing is empty");
    if (check->contiguous)
        peal_append(out, ", with contiguous datatypes");
    if (check->may_refuse)
        peal_append(out, ", where it does not refuse");
    if (check->allows_leaks)
        peal_append(out, ", with leaks allowed");
    if (check->has_root && peal_form_of(check->collective)->root)
        peal_append(out, ", with root %d", check->root);
    if (check->has_by && peal_form_of(check->collective)->by)
        peal_append(out, ", by %d", check->by);
    if (check->has_to && peal_form_of(check->collective)->to)
        peal_append(out, ", to this set");
    if (check->has_words)
        peal_append(out, ", with %c = %zu", peal_collective_has_blocks(check->collective) ? 'm' : 'n', check->words);
    if (check->sizes)
        peal_append(out, ", with these sizes");
    if (check->has_ports)
        peal_append(out, ", with these ports");
    if (check->has_delivery)
        peal_append(out, ", with this delivery");
    if (check->topology)
        peal_append(out, ", on %s", check->topology);
    if (check->has_switching)
        peal_append(out, ", with %s switching", peal_switching_name(check->switching));
    if (check->noncombining)
        peal_append(out, ", noncombining");
    if (check->has_call)
        peal_append(out, ", when called %s", peal_check_call_text(check->call, call_texts, ", ", how, sizeof how));
    if (check->choices)
        peal_append(out, ", in this order of arrival");
    snprintf(text, NARROWING, "%s%s", all[0] ? ", only" : "", all[0] ? all + 1 : "");
    return text;
}
