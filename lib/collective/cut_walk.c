/* SPDX-License-Identifier: MIT */
/* Every cut of a small network that may be the best: see cuts.h. */
#include "lib/collective/cuts.h"
#include <stdlib.h>

bool
cut_is_better(const struct cut_found *found, uint64_t words, uint64_t capacity, int nodes)
{
    unsigned __int128 one = (unsigned __int128)words * found->capacity;
    unsigned __int128 other = (unsigned __int128)found->words * capacity;

    if (words == 0 || capacity == 0)
        return false;
    return found->capacity == 0 || one > other || (one == other && nodes < found->nodes);
}

/* One piece, or several of one length and with the same operands, each of which a single node wants. */
struct cut_group {
    uint32_t operands, wanted;
    uint64_t words;
    size_t index;
    bool each; /* each node that wants something wants a separate piece */
};

/* List the groups; returns how many. */
static int
list_groups(const struct demands *demands, struct cut_group *groups)
{
    int count = 0;

    for (int i = 0; i < demands->pieces; i++) {
        const struct piece *piece = &demands->piece[i];
        struct cut_group group = {.index = piece->index, .words = piece->words, .each = piece->wanted_count == 1};
        int same = 0;

        group.operands = ((UINT32_C(1) << (piece->last + 1)) - 1) & ~((UINT32_C(1) << piece->first) - 1);
        for (int j = 0; j < piece->wanted_count; j++)
            group.wanted |= UINT32_C(1) << demands->wanting[piece->wanted + j];
        while (same < count && !(group.each && groups[same].each && groups[same].operands == group.operands &&
                                 groups[same].words == group.words && !(groups[same].wanted & group.wanted) &&
                                 groups[same].index != group.index))
            same++;
        if (same < count)
            groups[same].wanted |= group.wanted;
        else
            groups[count++] = group;
    }
    return count;
}

static uint64_t
words_of_groups(const struct cut_group *groups, int count, uint32_t inside, uint32_t outside)
{
    uint64_t words = 0;
    uint32_t before = 0;
    size_t before_index = SIZE_MAX;

    for (int i = 0; i < count; i++) {
        uint32_t operands = groups[i].operands & inside, wanted = groups[i].wanted & outside;

        bool one = !groups[i].each || (wanted & (wanted - 1)) == 0;

        if (operands == 0 || wanted == 0 || (one && operands == before && groups[i].index == before_index))
            continue;
        words += groups[i].each ? groups[i].words * (uint64_t)__builtin_popcount(wanted) : groups[i].words;
        before = operands;
        before_index = groups[i].index;
    }
    return words;
}

/* The state of a walk over the cuts whose two sides are connected.  Others are no better: if a side has two parts
 * without a link between them, its capacity is the sum of theirs, its words at most that sum, so one part is as good a
 * cut.  Vertices are taken in `order`, each adjacent to one before it, so that links are cut early. */
struct walk {
    const struct demands *demands;
    const struct cut_group *groups;
    int count, order[CUT_ENUMERATED];
    uint32_t adjacent[CUT_ENUMERATED];
    uint32_t capacities[CUT_ENUMERATED][CUT_ENUMERATED];
    uint64_t most[CUT_ENUMERATED + 1][CUT_ENUMERATED + 1]; /* [a][b]: the most words with a to b nodes on a side */
    struct cut_found *found;
    uint32_t best;
};

static int
compare_words(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x < y) - (x > y);
}

/* An upper bound of the words that leave any `inside` nodes: groups with a single node's operands count for the nodes
 * that have most, all others always; no more nodes want a group than are outside. */
static uint64_t
words_at_most(const struct walk *walk, int inside)
{
    uint64_t of_node[CUT_ENUMERATED] = {0}, words = 0, outside = (uint64_t)(walk->demands->nodes - inside);

    for (int i = 0; i < walk->count; i++) {
        const struct cut_group *group = &walk->groups[i];
        uint64_t wanted = (uint64_t)__builtin_popcount(group->wanted);
        uint64_t all = group->words * (!group->each ? outside > 0 : wanted < outside ? wanted : outside);

        if ((group->operands & (group->operands - 1)) == 0)
            of_node[__builtin_ctz(group->operands)] += all;
        else
            words += inside > 0 ? all : 0;
    }
    qsort(of_node, (size_t)walk->demands->nodes, sizeof *of_node, compare_words);
    for (int i = 0; i < inside; i++)
        words += of_node[i];
    return words;
}

static void
walk_init(struct walk *walk)
{
    const struct demands *demands = walk->demands;
    int a, b, ordered = 0, nodes = demands->nodes;
    uint32_t taken = 0;

    for (uint64_t wire = 0; wire < peal_network_wires(demands->network); wire++)
        if (peal_network_wire(demands->network, wire, &a, &b)) {
            walk->capacities[a][b] = walk->capacities[b][a] = peal_network_capacity(demands->network, a, b);
            walk->adjacent[a] |= UINT32_C(1) << b;
            walk->adjacent[b] |= UINT32_C(1) << a;
        }
    for (int first = 0; first < demands->vertices; first++) {
        if (!(taken >> first & 1))
            walk->order[ordered++] = first;
        taken |= UINT32_C(1) << first;
        for (int i = ordered - 1; i < ordered; i++)
            for (int v = 0; v < demands->vertices; v++)
                if (walk->capacities[walk->order[i]][v] > 0 && !(taken >> v & 1)) {
                    walk->order[ordered++] = v;
                    taken |= UINT32_C(1) << v;
                }
    }
    for (int low = nodes; low >= 0; low--) {
        uint64_t there = words_at_most(walk, low), back = words_at_most(walk, nodes - low);

        walk->most[low][low] = there > back ? there : back;
        for (int high = low + 1; high <= nodes; high++)
            walk->most[low][high] =
                walk->most[low][low] > walk->most[low + 1][high] ? walk->most[low][low] : walk->most[low + 1][high];
    }
}

/* Evaluate a cut in both directions. */
static void
cut_walk_evaluate(struct walk *walk, uint32_t side, uint64_t capacity)
{
    uint32_t all = (UINT32_C(1) << walk->demands->nodes) - 1;
    int members = __builtin_popcount(side & all), others = walk->demands->nodes - members;

    for (int way = 0; way < 2; way++) {
        uint64_t words = words_of_groups(walk->groups, walk->count, side & all, all & ~side);

        if (cut_is_better(walk->found, words, capacity, members < others ? members : others)) {
            walk->found->words = words;
            walk->found->capacity = capacity;
            walk->found->nodes = members < others ? members : others;
            walk->best = side;
        }
        side = ~side;
    }
}

/* Whether the vertices of a side can be connected by way of others that are `free`. */
static bool
is_joined(const struct walk *walk, uint32_t side, uint32_t free)
{
    uint32_t reached = side & -side, next = reached;

    while (next != 0) {
        uint32_t seen = 0;

        for (; next != 0; next &= next - 1)
            seen |= walk->adjacent[__builtin_ctz(next)];
        next = seen & (side | free) & ~reached;
        reached |= next;
    }
    return (side & ~reached) == 0;
}

/* Go over the cuts that divide the first `taken` vertices into `side` and `other`, except those that cannot be better
 * than the best found: the links cut so far, of this capacity, are cut whatever follows. */
static void
walk_cuts(struct walk *walk, int taken, uint32_t side, uint32_t other, uint64_t capacity)
{
    const struct cut_found *found = walk->found;
    uint32_t all = (UINT32_C(1) << walk->demands->nodes) - 1;
    int nodes = walk->demands->nodes;
    int low = __builtin_popcount(side & all), high = nodes - __builtin_popcount(other & all);
    unsigned __int128 most = (unsigned __int128)walk->most[low][high] * found->capacity;
    unsigned __int128 least = (unsigned __int128)found->words * capacity;

    if (most < least || (most == least && capacity > 0 && (low < nodes - high ? low : nodes - high) >= found->nodes))
        return;
    uint32_t free = ((UINT32_C(1) << walk->demands->vertices) - 1) & ~(side | other);
    if (!is_joined(walk, side, free) || !is_joined(walk, other, free))
        return;
    if (taken == walk->demands->vertices) {
        cut_walk_evaluate(walk, side, capacity);
        return;
    }
    int v = walk->order[taken];
    uint64_t to_side = 0, to_other = 0;

    for (int i = 0; i < taken; i++)
        *(side >> walk->order[i] & 1 ? &to_side : &to_other) += walk->capacities[v][walk->order[i]];
    walk_cuts(walk, taken + 1, side | UINT32_C(1) << v, other, capacity + to_other);
    if (taken > 0)
        walk_cuts(walk, taken + 1, side, other | UINT32_C(1) << v, capacity + to_side);
}

bool
cut_walk(const struct demands *demands, struct cut_found *found)
{
    struct cut_group *groups = malloc((size_t)demands->pieces * sizeof *groups);
    struct walk walk = {.demands = demands, .groups = groups, .found = found};

    if (groups == NULL)
        return false;
    walk.count = list_groups(demands, groups);
    walk_init(&walk);
    for (int node = 0; node < demands->nodes; node++) {
        uint64_t capacity = 0;

        for (int v = 0; v < demands->vertices; v++)
            capacity += walk.capacities[node][v];
        cut_walk_evaluate(&walk, UINT32_C(1) << node, capacity);
    }
    walk_cuts(&walk, 0, 0, 0, 0);
    for (int v = 0; v < demands->vertices; v++)
        found->out_of[v] = walk.best >> v & 1;
    free(groups);
    return true;
}
