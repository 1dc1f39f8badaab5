/* SPDX-License-Identifier: MIT */
/* Sizes of blocks, nodes and lists of lengths. */
#include "lib/collective/layout.h"

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
layout_begin(const struct peal_layout *layout, int b)
{
    size_t words = 0;

    if (layout->sizes == NULL)
        return (size_t)b * layout->words;
    for (int i = 0; i < b; i++)
        words += peal_layout_block(layout, i);
    return words;
}

size_t
layout_pair_begin(const struct peal_layout *layout, int from, int to)
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
        return layout_begin(layout, layout->nodes);
    case PEAL_SIDE_BLOCKS:
        return layout_begin(layout, layout->nodes);
    case PEAL_SIDE_PAIRS:
        return layout_pair_begin(layout, rank, layout->nodes);
    case PEAL_SIDE_VECTOR:
        return layout->words;
    }
    return SIZE_MAX;
}

size_t
layout_in_words(const struct peal_layout *layout, const struct peal_form *form, int rank)
{
    return side_words(form->in, layout, rank);
}

size_t
layout_out_words(const struct peal_layout *layout, const struct peal_form *form, int rank)
{
    return form->out == PEAL_SIDE_PAIRS ? received(layout, rank) : side_words(form->out, layout, rank);
}

int
layout_parts(const struct peal_layout *layout, const struct peal_form *form)
{
    bool blocks = form->out == PEAL_SIDE_BLOCKS || form->out == PEAL_SIDE_ROOT_BLOCKS || form->out == PEAL_SIDE_PAIRS;

    return blocks ? layout->nodes : 1;
}

const size_t *
layout_lengths(const struct peal_layout *layout, const struct peal_form *form, struct peal_node *me)
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
