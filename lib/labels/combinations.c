/* SPDX-License-Identifier: MIT */
/* Gives each set of contributors one number, by a hash table of their texts; labels of one run only. */
#include "lib/base/grow.h"
#include "lib/labels/strips.h"
#include <stdlib.h>

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

/* Give the number of the combination with this text, of which it takes ownership.  UINT32_MAX without memory. */
static uint32_t
number_text(struct combinations *c, char *text)
{
    uint64_t hash = hash_text(text);
    ptrdiff_t known;

    for (size_t at = 0; (known = map_next(&c->by_text, hash, &at)) != MAP_NONE;)
        if (strcmp(c->text[known], text) == 0) {
            free(text);
            return (uint32_t)known;
        }
    if (!grow_by_one(&c->text, c->count, sizeof text) || !map_put(&c->by_text, hash, c->count)) {
        free(text);
        return UINT32_MAX;
    }
    c->text[c->count] = text;
    return c->count++;
}

uint32_t
combinations_number(struct combinations *c, uint64_t label)
{
    ptrdiff_t known = map_find(&c->by_label, label);

    if (known != MAP_NONE)
        return (uint32_t)known;
    char *text = write_combination(label);
    uint32_t number = text ? number_text(c, text) : UINT32_MAX;

    return number == UINT32_MAX || !map_put(&c->by_label, label, number) ? UINT32_MAX : number;
}

void
combinations_fini(struct combinations *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        free(c->text[i]);
    free(c->text);
    free(c->by_text.places);
    free(c->by_label.places);
}
