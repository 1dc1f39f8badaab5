/* SPDX-License-Identifier: MIT */
/* Recursive halving along a line of nodes, in rounds that all nodes count: what the lessons on meshes share. */
#pragma once

#include "lesson.h"

/* A line of z nodes: first, first + stride, ...; the one with index `holder` has the bundles of all, `words` each. */
struct halved_line {
    int z, first, stride, holder;
    size_t words;
    bool greater; /* the holder of an odd part keeps the greater */
};

/* Where the part left..right-1 is cut.  A holder in the middle of an odd part keeps the greater in any case: the
 * smaller part, at whichever end, does not contain it. */
static inline int
halving_cut(const struct halved_line *line, int left, int right, int holder)
{
    int n = right - left, keep = line->greater ? (n + 1) / 2 : n / 2;

    if (holder - left >= keep && right - 1 - holder >= keep)
        keep = n - keep;
    return holder - left < keep ? left + keep : right - keep;
}

/* Node `index` of the line (-1: not on it) goes through the ⌈log₂z⌉ rounds; X has the z bundles. */
static inline void
halve(struct peal_node *me, const struct halved_line *line, int index, int64_t *X)
{
    int left = 0, right = line->z, holder = line->holder;

    for (int round = 0; round < lesson_log2(line->z); round++) {
        int cut = halving_cut(line, left, right, holder), nearest = holder < cut ? cut : cut - 1;
        int first = holder < cut ? cut : left, end = holder < cut ? right : cut; /* of the other part */
        bool parts = index >= 0 && right - left > 1;
        size_t words = line->words * (size_t)(end - first);
        int64_t *bundle = parts ? peal_block(X, line->words, first) : NULL;

        if (parts && index == holder)
            peal_send(me, bundle, words, line->first + nearest * line->stride);
        else if (parts && index == nearest)
            peal_recv(me, bundle, words, line->first + holder * line->stride);
        else
            peal_next_round(me);
        if (!parts)
            continue;
        if ((index < cut) != (holder < cut))
            holder = nearest;
        if (index < cut)
            right = cut;
        else
            left = cut;
    }
}
