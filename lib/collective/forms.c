/* SPDX-License-Identifier: MIT */
/* Functions of a row. */
#include "lib/collective/catalog.h"
#include <string.h>

static const struct peal_form *const *forms; /* by collective; registered before main, and not changed afterwards */

void
forms_register(const struct peal_form *const *rows)
{
    forms = rows;
}

const struct peal_form *
peal_form_of(enum peal_collective collective)
{
    return forms[collective];
}

enum peal_collective
form_collective(const struct peal_form *form)
{
    int i = 0;

    while (i < PEAL_COLLECTIVES && forms[i] != form)
        i++;
    return (enum peal_collective)i;
}

/* ------------------------------------------------------------------ names and traits */

const char *
peal_collective_name(enum peal_collective collective)
{
    return forms[collective]->name;
}

bool
peal_collective_find(const char *name, enum peal_collective *collective)
{
    for (int i = 0; i < PEAL_COLLECTIVES; i++)
        if (strcmp(forms[i]->name, name) == 0) {
            *collective = (enum peal_collective)i;
            return true;
        }
    return false;
}

const char *
peal_call_name(enum peal_collective collective, bool unequal)
{
    return unequal && forms[collective]->unequal != NULL ? forms[collective]->unequal : forms[collective]->name;
}

bool
peal_call_find(const char *name, enum peal_collective *collective, bool *unequal)
{
    *unequal = false;
    if (peal_collective_find(name, collective))
        return true;
    for (int i = 0; i < PEAL_COLLECTIVES; i++)
        if (forms[i]->unequal != NULL && strcmp(forms[i]->unequal, name) == 0) {
            *collective = (enum peal_collective)i;
            *unequal = true;
            return true;
        }
    return false;
}

bool
peal_collective_has_blocks(enum peal_collective collective)
{
    return forms[collective]->unequal != NULL;
}

bool
peal_collective_has_root(enum peal_collective collective)
{
    return forms[collective]->root;
}

bool
peal_collective_has_op(enum peal_collective collective)
{
    return forms[collective]->op;
}

bool
peal_collective_allows_in_place(enum peal_collective collective)
{
    return forms[collective]->in_place;
}

/* ------------------------------------------------------------------ results that should be identical */

const char *
peal_identical_name(enum peal_identical way)
{
    static const char *const names[] = {"nodes", "roots", "sizes", "orders"};

    return names[way];
}

bool
peal_identical_applies(enum peal_collective collective, enum peal_identical way)
{
    const struct peal_form *form = forms[collective];
    struct peal_layout three = {.nodes = 3, .words = 1};
    struct peal_origin one = {0}, other = {0};

    if (form->op && way == PEAL_IDENTICAL_NODES && !form->root) { /* whether other nodes have the same word */
        form->origin(&three, 1, 0, &one);
        form->origin(&three, 2, 0, &other);
        return one.first == other.first && one.last == other.last && one.index == other.index;
    }
    return form->op && ((way == PEAL_IDENTICAL_ROOTS && form->root) || way == PEAL_IDENTICAL_SIZES);
}
