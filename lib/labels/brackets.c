/* SPDX-License-Identifier: MIT */
/* The table of trees: pairs of numbers, found by hashing. */
#include "lib/base/grow.h"
#include "lib/base/map.h"
#include "lib/labels/labels.h"
#include <stdlib.h>

/* Numbers from 1 to LABEL_NODES are leaves, those above are pairs. */
struct bracket_pair {
    uint32_t a, b; /* a ≤ b */
    int depth;
};

static struct {
    struct bracket_pair *pairs;
    size_t count, room;
    struct map by_sides;
} trees;

static bool
is_leaf(uint32_t tree)
{
    return tree <= LABEL_NODES;
}

static const struct bracket_pair *
bracket_pair_at(uint32_t tree)
{
    return &trees.pairs[tree - LABEL_NODES - 1];
}

uint32_t
bracket_leaf(int node)
{
    return (uint32_t)node + 1;
}

int
bracket_depth(uint32_t tree)
{
    return is_leaf(tree) ? 0 : bracket_pair_at(tree)->depth;
}

uint32_t
bracket_join(uint32_t a, uint32_t b)
{
    uint32_t least = a < b ? a : b, most = a < b ? b : a;

    ptrdiff_t known = map_find(&trees.by_sides, map_pair(least, most));

    if (known != MAP_NONE)
        return (uint32_t)(LABEL_NODES + 1 + known);
    if (least == 0 || trees.count > UINT32_MAX / 4 ||
        !array_grow(&trees.pairs, &trees.room, trees.count + 1, sizeof *trees.pairs) ||
        !map_put(&trees.by_sides, map_pair(least, most), trees.count))
        return 0;
    int depth_a = bracket_depth(a), depth_b = bracket_depth(b);

    trees.pairs[trees.count] = (struct bracket_pair){least, most, 1 + (depth_a > depth_b ? depth_a : depth_b)};
    return (uint32_t)(LABEL_NODES + 1 + trees.count++);
}

void
brackets_end(void)
{
    free(trees.pairs);
    free(trees.by_sides.places);
    memset(&trees, 0, sizeof trees);
}

/* ------------------------------------------------------------------ text */

/* The least node among the leaves: the side with it is written first. */
static int
first_node(uint32_t tree)
{
    if (is_leaf(tree))
        return (int)tree - 1;
    int a = first_node(bracket_pair_at(tree)->a), b = first_node(bracket_pair_at(tree)->b);

    return a < b ? a : b;
}

static void
write_tree(FILE *out, uint32_t tree, bool inside)
{
    char leaf[32];

    if (is_leaf(tree)) {
        label_say_leaf(empty_text(leaf, sizeof leaf), (struct leaf){.kind = LABEL_WORD, .node = (int)tree - 1}, 0);
        fputs(tree == 0 ? "?" : leaf, out);
        return;
    }
    uint32_t a = bracket_pair_at(tree)->a, b = bracket_pair_at(tree)->b;
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
