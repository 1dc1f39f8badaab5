/* SPDX-License-Identifier: MIT */
/* Gives each set of contributors one number, by a hash table; labels of one run only. */
#include "lib/base/grow.h"
#include "lib/labels/strips.h"
#include <stdlib.h>

static uint64_t
hash_contributors(const struct peal_contributors *one)
{
    uint64_t hash = 0;

    for (int i = 0; i < one->count; i++)
        hash = map_mix(hash, (uint64_t)one->ends[i]);
    return hash;
}

/* The contributors of a label; none where they differ in place.  NULL without memory.  owner: the caller frees it */
static struct peal_contributors *
contributors_of(uint64_t label)
{
    size_t leaves = label_leaves(label);
    struct leaf first = label_leaf(label, 0);
    struct peal_contributors *one = malloc(sizeof *one + 2 * leaves * sizeof *one->ends);

    if (!one)
        return NULL;
    one->count = 0;
    for (size_t i = 0; i < leaves; i++) {
        struct leaf leaf = label_leaf(label, i);

        if (leaf.kind != LABEL_WORD || leaf.index != first.index) {
            one->count = 0;
            break;
        }
        if (one->count == 0 || leaf.node != one->ends[one->count - 1] + 1) {
            one->ends[one->count] = leaf.node;
            one->count += 2;
        }
        one->ends[one->count - 1] = leaf.node;
    }
    return one;
}

/* Give the number of a combination, of which it takes ownership.  UINT32_MAX without memory. */
static uint32_t
number_contributors(struct combinations *c, struct peal_contributors *one)
{
    uint64_t hash = hash_contributors(one);
    ptrdiff_t known;

    for (size_t at = 0; (known = map_next(&c->by_contributors, hash, &at)) != MAP_NONE;)
        if (c->list[known]->count == one->count &&
            memcmp(c->list[known]->ends, one->ends, (size_t)one->count * sizeof *one->ends) == 0) {
            free(one);
            return (uint32_t)known;
        }
    if (!grow_by_one(&c->list, c->count, sizeof *c->list) || !map_put(&c->by_contributors, hash, c->count)) {
        free(one);
        return UINT32_MAX;
    }
    c->list[c->count] = one;
    return c->count++;
}

uint32_t
combinations_number(struct combinations *c, uint64_t label)
{
    ptrdiff_t known = map_find(&c->by_label, label);

    if (known != MAP_NONE)
        return (uint32_t)known;
    struct peal_contributors *one = contributors_of(label);
    uint32_t number = one ? number_contributors(c, one) : UINT32_MAX;

    return number == UINT32_MAX || !map_put(&c->by_label, label, number) ? UINT32_MAX : number;
}

void
combinations_fini(struct combinations *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        free(c->list[i]);
    free(c->list);
    free(c->by_contributors.places);
    free(c->by_label.places);
}
