/* SPDX-License-Identifier: MIT */
/* The table of collectives, and functions of a row. */
#include <peal/form.h>
#include <string.h>

#define FORM(collective, folder) extern const struct peal_form folder##_form;
#include <peal/forms.def>
#undef FORM

static const struct peal_form program = {.name = "program"};

static const struct peal_form *const forms[PEAL_COLLECTIVES + 1] = {
#define FORM(collective, folder) [collective] = &folder##_form,
#include <peal/forms.def>
#undef FORM
    [PEAL_COLLECTIVES] = &program,
};

const struct peal_form *
peal_form_of(enum peal_collective collective)
{
    return forms[collective];
}

enum peal_collective
peal_form_collective(const struct peal_form *form)
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

/* ------------------------------------------------------------------ sizes */

size_t
peal_layout_block(const struct peal_layout *layout, int b)
{
    return layout->sizes == NULL ? layout->words : layout->sizes[(size_t)b % (size_t)layout->size_count];
}

size_t
peal_layout_pair(const struct peal_layout *layout, int from, int to)
{
    if (layout->sizes == NULL)
        return layout->words;
    return layout->sizes[((size_t)from * (size_t)layout->nodes + (size_t)to) % (size_t)layout->size_count];
}

size_t
peal_layout_begin(const struct peal_layout *layout, int b)
{
    size_t words = 0;

    if (layout->sizes == NULL)
        return (size_t)b * layout->words;
    for (int i = 0; i < b; i++)
        words += peal_layout_block(layout, i);
    return words;
}

size_t
peal_layout_pair_begin(const struct peal_layout *layout, int from, int to)
{
    size_t words = 0;

    if (layout->sizes == NULL)
        return (size_t)to * layout->words;
    for (int i = 0; i < to; i++)
        words += peal_layout_pair(layout, from, i);
    return words;
}

/* The words of all blocks that node `to` receives. */
static size_t
received(const struct peal_layout *layout, int to)
{
    size_t words = 0;

    for (int from = 0; from < layout->nodes; from++)
        words += peal_layout_pair(layout, from, to);
    return words;
}

static size_t
side_words(enum peal_side side, const struct peal_layout *layout, int rank)
{
    switch (side) {
    case PEAL_SIDE_NONE:
        break;
    case PEAL_SIDE_BLOCK:
        return peal_layout_block(layout, rank);
    case PEAL_SIDE_ROOT_BLOCKS:
        if (rank != layout->root)
            break;
        return peal_layout_begin(layout, layout->nodes);
    case PEAL_SIDE_BLOCKS:
        return peal_layout_begin(layout, layout->nodes);
    case PEAL_SIDE_PAIRS:
        return peal_layout_pair_begin(layout, rank, layout->nodes);
    case PEAL_SIDE_VECTOR:
        return layout->words;
    }
    return SIZE_MAX;
}

size_t
peal_form_in_words(const struct peal_form *form, const struct peal_layout *layout, int rank)
{
    return side_words(form->in, layout, rank);
}

size_t
peal_form_out_words(const struct peal_form *form, const struct peal_layout *layout, int rank)
{
    return form->out == PEAL_SIDE_PAIRS ? received(layout, rank) : side_words(form->out, layout, rank);
}

int
peal_form_parts(const struct peal_form *form, const struct peal_layout *layout)
{
    bool blocks = form->out == PEAL_SIDE_BLOCKS || form->out == PEAL_SIDE_ROOT_BLOCKS || form->out == PEAL_SIDE_PAIRS;

    return blocks ? layout->nodes : 1;
}

const size_t *
peal_form_lengths(const struct peal_form *form, const struct peal_layout *layout, struct peal_node *me)
{
    bool pairs = form->in == PEAL_SIDE_PAIRS;
    int P = layout->nodes, r = peal_rank(me);
    size_t *lengths;

    if (layout->sizes == NULL)
        return NULL;
    lengths = peal_alloc(me, 2 * (size_t)P * (sizeof *lengths / peal_word_bytes(me) + 1));
    for (int i = 0; i < P; i++) {
        lengths[i] = pairs ? peal_layout_pair(layout, r, i) : peal_layout_block(layout, i);
        lengths[P + i] = peal_layout_pair(layout, i, r);
    }
    return lengths;
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

    if (form->op && way == PEAL_IDENTICAL_NODES && !form->root) { /* other nodes have the same word */
        form->origin(&three, 1, 0, &one);
        form->origin(&three, 2, 0, &other);
        return one.first == other.first && one.last == other.last && one.index == other.index;
    }
    return form->op && ((way == PEAL_IDENTICAL_ROOTS && form->root) || way == PEAL_IDENTICAL_SIZES);
}
