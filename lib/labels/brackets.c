/* SPDX-License-Identifier: MIT */
/* The table of trees: pairs of numbers, found by hashing. */
#include "lib/labels/brackets.h"
#include "lib/labels/labels.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers from 1 to LABEL_NODES are leaves, those above are pairs. */
struct bracket_pair {
    uint32_t a, b; /* a ≤ b */
    int depth;
};

static struct {
    struct bracket_pair *pairs;
    size_t count, room;
    uint32_t *places; /* of the numbers of pairs; 0 is a free place */
    size_t mask;
} trees;

static bool
is_leaf(uint32_t tree)
{
    return tree <= LABEL_NODES;
}

static const struct bracket_pair *
pair_of(uint32_t tree)
{
    return &trees.pairs[tree - LABEL_NODES - 1];
}

/* The place of the pair, or the free place where it goes. */
static uint32_t *
place_of(uint32_t a, uint32_t b)
{
    uint64_t hash = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);

    for (uint64_t at = hash ^ hash >> 32;; at++) {
        uint32_t *place = &trees.places[at & trees.mask];

        if (*place == 0 || (pair_of(*place)->a == a && pair_of(*place)->b == b))
            return place;
    }
}

/* Make room for one more; at most half of the places are used. */
static bool
grow(void)
{
    size_t room = trees.room ? 2 * trees.room : 1024;

    if (trees.count < trees.room)
        return true;
    struct bracket_pair *pairs = realloc(trees.pairs, room * sizeof *pairs);

    if (!pairs)
        return false;
    trees.pairs = pairs;
    uint32_t *places = room > UINT32_MAX / 4 ? NULL : calloc(2 * room, sizeof *places);

    if (!places)
        return false;
    free(trees.places);
    trees.places = places;
    trees.mask = 2 * room - 1;
    trees.room = room;
    for (size_t i = 0; i < trees.count; i++)
        *place_of(pairs[i].a, pairs[i].b) = (uint32_t)(LABEL_NODES + 1 + i);
    return true;
}

uint32_t
bracket_leaf(int node)
{
    return (uint32_t)node + 1;
}

int
bracket_depth(uint32_t tree)
{
    return is_leaf(tree) ? 0 : pair_of(tree)->depth;
}

uint32_t
bracket_join(uint32_t a, uint32_t b)
{
    uint32_t least = a < b ? a : b, most = a < b ? b : a;

    if (least == 0 || !grow())
        return 0;
    uint32_t *place = place_of(least, most);

    if (*place == 0) {
        int depth_a = bracket_depth(a), depth_b = bracket_depth(b);

        trees.pairs[trees.count] = (struct bracket_pair){least, most, 1 + (depth_a > depth_b ? depth_a : depth_b)};
        *place = (uint32_t)(LABEL_NODES + 1 + trees.count++);
    }
    return *place;
}

void
brackets_end(void)
{
    free(trees.pairs);
    free(trees.places);
    memset(&trees, 0, sizeof trees);
}

/* ------------------------------------------------------------------ text */

/* The least node among the leaves: the side with it is written first. */
static int
first_node(uint32_t tree)
{
    if (is_leaf(tree))
        return (int)tree - 1;
    int a = first_node(pair_of(tree)->a), b = first_node(pair_of(tree)->b);

    return a < b ? a : b;
}

static void
write_tree(FILE *out, uint32_t tree, bool inside)
{
    char leaf[32];

    if (is_leaf(tree)) {
        label_say_leaf((struct leaf){.kind = LABEL_WORD, .node = (int)tree - 1}, 0, leaf, sizeof leaf);
        fputs(tree == 0 ? "?" : leaf, out);
        return;
    }
    uint32_t a = pair_of(tree)->a, b = pair_of(tree)->b;
    bool turned = first_node(b) < first_node(a);

    fputs(inside ? "(" : "", out);
    write_tree(out, turned ? b : a, true);
    fputs("⊕", out);
    write_tree(out, turned ? a : b, true);
    fputs(inside ? ")" : "", out);
}

char *
bracket_text(uint32_t tree, char *text, size_t bytes)
{
    static const char more[] = "…";
    char *whole = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&whole, &length);

    if (out) {
        write_tree(out, tree, false);
        fclose(out);
    }
    if (whole && length >= bytes) {
        size_t end = bytes - sizeof more;

        while (end > 0 && ((unsigned char)whole[end] & 0xC0) == 0x80) /* between characters */
            end--;
        snprintf(text, bytes, "%.*s%s", (int)end, whole, more);
    } else {
        snprintf(text, bytes, "%s", whole ? whole : "?");
    }
    free(whole);
    return text;
}
