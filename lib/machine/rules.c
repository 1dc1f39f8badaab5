/* SPDX-License-Identifier: MIT */
/* The kinds of failures and findings, and the advice for one fault of a node. */
#include "lib/machine/rules.h"
#include "lib/machine/size_classes.h"
#include <peal/hints.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#undef PEAL_HINT /* texts.def defines it differently */

static const char *const names[] = {
#define PEAL_FAILURE(kind, name) [PEAL_##kind] = name,
#include <peal/failures.def>
    [PEAL_FAILURE_KINDS] = "unknown",
};

static const char *const titles[] = {
#define PEAL_FAILURE(kind, title, meaning, rule, help) [PEAL_##kind] = title,
#include "lib/machine/texts.def"
    [PEAL_FAILURE_KINDS] = "unknown",
};

static const struct peal_rule rules[PEAL_FAILURE_KINDS + 1] = {
#define PEAL_FAILURE(kind, title, meaning, rule, help) [PEAL_##kind] = {rule, help},
#include "lib/machine/texts.def"
};

static const char *const hints[PEAL_HINTS] = {
#define PEAL_HINT(name, text) [PEAL_HINT_NUMBER_##name] = text,
#include "lib/machine/texts.def"
};

static size_t
rule_index(enum peal_failure_kind kind)
{
    return kind < PEAL_FAILURE_KINDS ? kind : PEAL_FAILURE_KINDS;
}

const char *
peal_failure_name(enum peal_failure_kind kind)
{
    return names[rule_index(kind)];
}

const char *
peal_failure_title(enum peal_failure_kind kind)
{
    return titles[rule_index(kind)];
}

const struct peal_rule *
peal_rule_of(enum peal_failure_kind kind)
{
    return &rules[rule_index(kind)];
}

const char *
peal_fault_rule(const struct peal_fault *fault)
{
    return fault->rule[0] ? fault->rule : peal_rule_of(fault->kind)->rule;
}

const char *
peal_hint(int number, const char *conversions)
{
    (void)conversions;
    return hints[number];
}

void
peal_advise(struct peal_node *me, const char *format, ...)
{
    struct node *node = me->node;
    va_list list;

    node->bad_partner.group = NULL;
    if (!node->advice)
        node->advice = malloc(ADVICE_BYTES);
    va_start(list, format);
    if (node->advice)
        vsnprintf(node->advice, ADVICE_BYTES, format, list);
    va_end(list);
}

void
node_set_crash_hint(struct node *node, const struct crash_hint *hint)
{
    if (!node->crash_hint)
        node->crash_hint = own_alloc(sizeof *hint);
    if (node->crash_hint)
        *node->crash_hint = *hint;
}

void
peal_suspect_bytes(struct peal_node *me, const char *call, int displacement, int elements)
{
    node_set_crash_hint(me->node,
                        &(struct crash_hint){.call = call, .displacement = displacement, .elements = elements});
}

void
peal_suspect_pointer(struct peal_node *me, const void *buffer, const char *call, const char *file, int line)
{
    struct crash_hint hint = {.call = call, .file = file, .line = line, .buffer = buffer};

    memcpy(&hint.held, buffer, sizeof hint.held);
    node_set_crash_hint(me->node, &hint);
}

void
peal_suspect_result(struct peal_node *me, bool writes)
{
    me->node->writes_result = writes;
}

void
node_advise_length(struct peal_node *me, size_t words)
{
    if (words > PTRDIFF_MAX)
        peal_advise(me, "%s", hints[PEAL_HINT_NUMBER_negative_length]);
}

void
peal_advise_nothing(struct peal_node *me)
{
    node_advice_free(me->node);
}

void
node_advice_free(struct node *node)
{
    free(node->advice);
    node->advice = NULL;
}
