/* SPDX-License-Identifier: MIT */
/* The kinds of failures and findings, and what a node is advised of one fault. */
#include "lib/machine/machine.h"
#include "lib/machine/own.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *title;
    struct peal_rule rule;
} kinds[] = {
#define PEAL_FAILURE(kind, name, title, meaning, rule, help) {name, title, {rule, help}},
#include <peal/failures.def>
    {"unknown", "unknown", {NULL, NULL}},
};

static size_t
number_of(enum peal_failure_kind kind)
{
    return kind < PEAL_FAILURE_KINDS ? kind : PEAL_FAILURE_KINDS;
}

const char *
peal_failure_name(enum peal_failure_kind kind)
{
    return kinds[number_of(kind)].name;
}

const char *
peal_failure_title(enum peal_failure_kind kind)
{
    return kinds[number_of(kind)].title;
}

const struct peal_rule *
peal_rule_of(enum peal_failure_kind kind)
{
    return &kinds[number_of(kind)].rule;
}

static void
advise(struct node *node, const char *format, va_list list)
{
    if (!node->advice)
        node->advice = malloc(ADVICE_BYTES);
    if (node->advice)
        vsnprintf(node->advice, ADVICE_BYTES, format, list);
}

void
node_advise(struct node *node, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    advise(node, format, list);
    va_end(list);
}

void
peal_advise(struct peal_node *me, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    advise(me->node, format, list);
    va_end(list);
}

void
node_suspect(struct node *node, const struct suspicion *suspicion)
{
    if (!node->suspicion)
        node->suspicion = own_alloc(sizeof *suspicion);
    if (node->suspicion)
        *node->suspicion = *suspicion;
}

void
peal_suspect_bytes(struct peal_node *me, const char *call, int displacement, int elements)
{
    node_suspect(me->node, &(struct suspicion){.call = call, .displacement = displacement, .elements = elements});
}

void
peal_suspect_pointer(struct peal_node *me, const void *buffer, const char *call, const char *file, int line)
{
    struct suspicion suspicion = {.call = call, .file = file, .line = line, .buffer = buffer};

    memcpy(&suspicion.held, buffer, sizeof suspicion.held);
    node_suspect(me->node, &suspicion);
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
