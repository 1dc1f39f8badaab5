/* SPDX-License-Identifier: MIT */
/* Gives each set of contributors one number, by a hash table of their texts; labels of one run only. */
#include "lib/labels/combinations.h"
#include "lib/labels/labels.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t
hash_text(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

/* Write the contributors of a label as ranges in their order, "[0,3, 5,5]"; NULL without memory.  Leaves that differ in
 * place are written one by one.  owner: the caller frees it */
static char *
write_combination(uint64_t label)
{
    size_t leaves = label_leaves(label), bytes = 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &bytes);
    struct leaf first = label_leaf(label, 0);
    bool one_place = true;

    if (!out)
        return NULL;
    for (size_t i = 0; i < leaves; i++) {
        struct leaf leaf = label_leaf(label, i);

        one_place &= leaf.kind == LABEL_WORD && leaf.index == first.index;
    }
    if (!one_place)
        fputs("\"words of several places\"", out);
    for (size_t i = 0, end; one_place && i < leaves; i = end) {
        int from = label_leaf(label, i).node;

        for (end = i + 1; end < leaves && label_leaf(label, end).node == from + (int)(end - i); end++)
            ;
        fprintf(out, "%s%d,%d", i ? ", " : "[", from, from + (int)(end - i) - 1);
    }
    if (one_place)
        fputc(']', out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* Give the number of the combination so written; takes the text.  UINT32_MAX without memory. */
static uint32_t
number_text(struct combinations *c, char *text)
{
    if (c->count * 2 >= c->by_text_size) {
        size_t size = c->by_text_size ? 2 * c->by_text_size : 256;
        uint32_t *grown = calloc(size, sizeof *grown);
        char **texts = reallocarray(c->text, size / 2 + 1, sizeof *texts);

        if (texts)
            c->text = texts;
        if (!grown || !texts) {
            free(grown);
            free(text);
            return UINT32_MAX;
        }
        for (uint32_t i = 0; i < c->count; i++) {
            size_t at = hash_text(c->text[i]) & (size - 1);

            while (grown[at])
                at = (at + 1) & (size - 1);
            grown[at] = i + 1;
        }
        free(c->by_text);
        c->by_text = grown;
        c->by_text_size = size;
    }
    size_t at = hash_text(text) & (c->by_text_size - 1);

    for (; c->by_text[at]; at = (at + 1) & (c->by_text_size - 1))
        if (strcmp(c->text[c->by_text[at] - 1], text) == 0) {
            free(text);
            return c->by_text[at] - 1;
        }
    c->text[c->count++] = text;
    c->by_text[at] = c->count;
    return c->count - 1;
}

static struct known *
find_label(const struct combinations *c, uint64_t label)
{
    size_t at = (size_t)((label * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (c->by_label_size - 1);

    while (c->by_label[at].label && c->by_label[at].label != label)
        at = (at + 1) & (c->by_label_size - 1);
    return &c->by_label[at];
}

uint32_t
combinations_number(struct combinations *c, uint64_t label)
{
    if (c->labels * 2 >= c->by_label_size) {
        struct combinations grown = {.by_label_size = c->by_label_size ? 2 * c->by_label_size : 1024};

        grown.by_label = calloc(grown.by_label_size, sizeof *grown.by_label);
        if (!grown.by_label)
            return UINT32_MAX;
        for (size_t i = 0; i < c->by_label_size; i++)
            if (c->by_label[i].label)
                *find_label(&grown, c->by_label[i].label) = c->by_label[i];
        free(c->by_label);
        c->by_label = grown.by_label;
        c->by_label_size = grown.by_label_size;
    }
    struct known *known = find_label(c, label);

    if (!known->label) {
        char *text = write_combination(label);
        uint32_t number = text ? number_text(c, text) : UINT32_MAX;

        if (number == UINT32_MAX)
            return number;
        *known = (struct known){label, number};
        c->labels++;
    }
    return known->number;
}

void
combinations_fini(struct combinations *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        free(c->text[i]);
    free(c->text);
    free(c->by_text);
    free(c->by_label);
}
