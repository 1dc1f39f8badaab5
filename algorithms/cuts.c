/* SPDX-License-Identifier: MIT */
/* Lower bounds by cuts: see cuts.h.
 *
 * The words that must leave a set S follow from the collective's row.  A piece of a result is the combination of one
 * index of the nodes first .. last; the nodes whose result contains it want it.  If some of its operands are in S and
 * some node that wants it is not, the combination of those operands has to leave S, unless another piece brings it
 * along: pieces of one index whose operands in S are the same need them once.  In a row, pieces of one index have the
 * same operands, or, in scans, the operands of one are among those of the next; so their needs are independent, and
 * each needs its words. */
#include "cuts.h"
#include "flow.h"
#include <stdlib.h>
#include <string.h>

struct piece {
    int first, last;
    size_t index, words;
    int node; /* the node that wants it; while listed, one entry a node */
    int wanted, wanted_count; /* its nodes are wanting[wanted .. wanted + wanted_count) */
};

/* A set of pieces for the enumeration: with the operands of one node or the same ones, and of one length. */
struct group {
    uint32_t operands, wanted;
    uint64_t words;
    size_t index;
    bool each; /* every node that wants something wants a separate piece */
};

struct demands {
    const struct peal_network *network;
    int nodes, vertices;
    struct piece *piece; /* by index, then operands */
    int pieces, *wanting;
    uint64_t unit; /* all words are counted in units of so many */
};

/* ------------------------------------------------------------------ wanted pieces */

static int
compare_pieces(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;

    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->last != y->last)
        return x->last < y->last ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static uint64_t
common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* Bring the entries of one piece together. */
static void
merge_pieces(struct demands *demands, int entries)
{
    int count = 0;

    qsort(demands->piece, (size_t)entries, sizeof *demands->piece, compare_pieces);
    for (int i = 0; i < entries; i++) {
        struct piece piece = demands->piece[i], *last = count > 0 ? &demands->piece[count - 1] : NULL;

        demands->wanting[i] = piece.node;
        demands->unit = common_divisor(demands->unit, piece.words);
        if (last != NULL && last->index == piece.index && last->first == piece.first && last->last == piece.last) {
            last->wanted_count++;
            continue;
        }
        piece.wanted = i;
        piece.wanted_count = 1;
        demands->piece[count++] = piece;
    }
    demands->pieces = count;
    for (int i = 0; i < count; i++)
        demands->piece[i].words /= demands->unit;
}

static void
demands_fini(struct demands *demands)
{
    free(demands->piece);
    free(demands->wanting);
}

static bool
demands_init(struct demands *demands, const struct peal_situation *situation)
{
    const struct peal_form *form = peal_form_of(situation->collective);
    struct peal_layout layout = {.nodes = situation->nodes, .root = situation->root, .by = situation->by, .to = situation->to,
                                 .to_count = situation->to_count, .words = situation->words};
    size_t *sizes = NULL, all;
    int entries = 0, parts;

    *demands = (struct demands){.network = situation->network, .nodes = situation->nodes,
                                .vertices = situation->nodes + peal_network_switches(situation->network)};
    if (situation->unequal) {
        sizes = situation->blocks == NULL ? NULL : malloc((size_t)situation->nodes * sizeof *sizes);
        if (sizes == NULL)
            return false;
        for (int b = 0; b < situation->nodes; b++)
            sizes[b] = peal_blocks_words(situation->blocks, b);
        layout.sizes = sizes;
        layout.size_count = (size_t)situation->nodes;
    }
    parts = peal_form_parts(form, &layout);
    all = (size_t)situation->nodes * (size_t)parts;
    demands->piece = malloc(all * sizeof *demands->piece);
    demands->wanting = malloc(all * sizeof *demands->wanting);
    for (int rank = 0; rank < situation->nodes && demands->piece && demands->wanting; rank++) {
        if (peal_form_out_words(form, &layout, rank) == SIZE_MAX)
            continue;
        for (int part = 0; part < parts; part++) {
            struct peal_origin origin;

            form->origin(&layout, rank, part, &origin);
            if (!origin.kept && origin.words > 0)
                demands->piece[entries++] = (struct piece){.first = origin.first, .last = origin.last, .index = origin.index,
                                                           .words = origin.words, .node = rank};
        }
    }
    free(sizes);
    if (demands->piece == NULL || demands->wanting == NULL || entries == 0) {
        demands_fini(demands);
        return false;
    }
    merge_pieces(demands, entries);
    return true;
}

/* ------------------------------------------------------------------ one cut */

/* The best so far, in units; words / capacity. */
struct found {
    uint64_t words, capacity; /* 0: none */
    int nodes;                /* of the lesser side */
    bool *out_of;             /* the nodes that the words must leave */
};

static bool
is_better(const struct found *found, uint64_t words, uint64_t capacity, int nodes)
{
    unsigned __int128 one = (unsigned __int128)words * found->capacity;
    unsigned __int128 other = (unsigned __int128)found->words * capacity;

    if (words == 0 || capacity == 0)
        return false;
    return found->capacity == 0 || one > other || (one == other && nodes < found->nodes);
}

/* The words that must leave the nodes of a side. */
static uint64_t
words_out_of(const struct demands *demands, const bool *side)
{
    uint64_t words = 0;
    const struct piece *before = NULL;
    int before_inside = 0;

    for (int i = 0; i < demands->pieces; i++) {
        const struct piece *piece = &demands->piece[i];
        bool wanted = false;
        int inside = 0;

        for (int node = piece->first; node <= piece->last; node++)
            inside += side[node];
        for (int j = 0; j < piece->wanted_count && inside > 0 && !wanted; j++)
            wanted = !side[demands->wanting[piece->wanted + j]];
        if (!wanted || (before != NULL && before->index == piece->index && before->first == piece->first
                        && before_inside == inside))
            continue;
        words += piece->words;
        before = piece;
        before_inside = inside;
    }
    return words;
}

/* Evaluate a cut in both directions; `side` is of all vertices. */
static void
look_at(const struct demands *demands, bool *side, struct found *found)
{
    uint64_t capacity = 0;
    int members = 0, a, b;

    for (uint64_t wire = 0; wire < peal_network_wires(demands->network); wire++)
        if (peal_network_wire(demands->network, wire, &a, &b) && side[a] != side[b])
            capacity += peal_network_capacity(demands->network, a, b);
    for (int node = 0; node < demands->nodes; node++)
        members += side[node];
    int nodes = members <= demands->nodes - members ? members : demands->nodes - members;

    for (int way = 0; way < 2; way++) {
        uint64_t words = words_out_of(demands, side);

        if (is_better(found, words, capacity, nodes)) {
            found->words = words;
            found->capacity = capacity;
            found->nodes = nodes;
            memcpy(found->out_of, side, (size_t)demands->vertices * sizeof *side);
        }
        for (int v = 0; v < demands->vertices; v++)
            side[v] = !side[v];
    }
}

/* ------------------------------------------------------------------ every cut */

/* List the groups; returns how many. */
static int
list_groups(const struct demands *demands, struct group *groups)
{
    int count = 0;

    for (int i = 0; i < demands->pieces; i++) {
        const struct piece *piece = &demands->piece[i];
        struct group group = {.index = piece->index, .words = piece->words, .each = piece->wanted_count == 1};
        int same = 0;

        group.operands = ((UINT32_C(1) << (piece->last + 1)) - 1) & ~((UINT32_C(1) << piece->first) - 1);
        for (int j = 0; j < piece->wanted_count; j++)
            group.wanted |= UINT32_C(1) << demands->wanting[piece->wanted + j];
        while (same < count
               && !(group.each && groups[same].each && groups[same].operands == group.operands
                    && groups[same].words == group.words && !(groups[same].wanted & group.wanted)
                    && groups[same].index != group.index))
            same++;
        if (same < count)
            groups[same].wanted |= group.wanted;
        else
            groups[count++] = group;
    }
    return count;
}

static uint64_t
words_of_groups(const struct group *groups, int count, uint32_t inside, uint32_t outside)
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

/* The state of a walk over the cuts whose two sides are connected.  No others are needed: of two parts of a side without a
 * link between them the capacities add up, the words at most, so that one of the parts is as good a cut as both.
 * Vertices are taken in `order`, each adjacent to one before it, so that links are cut early. */
struct walk {
    const struct demands *demands;
    const struct group *groups;
    int count, order[CUT_ENUMERATED];
    uint32_t adjacent[CUT_ENUMERATED];
    uint32_t capacities[CUT_ENUMERATED][CUT_ENUMERATED];
    uint64_t most[CUT_ENUMERATED + 1][CUT_ENUMERATED + 1]; /* [a][b]: the words at most with a to b nodes on a side */
    struct found *found;
    uint32_t best;
};

static int
compare_words(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x < y) - (x > y);
}

/* An upper bound of the words that leave any `inside` nodes: of the groups with the operands of a single node those of
 * the nodes that have most, and all others; no more nodes want a group than are outside. */
static uint64_t
words_at_most(const struct walk *walk, int inside)
{
    uint64_t of_node[CUT_ENUMERATED] = {0}, words = 0, outside = (uint64_t)(walk->demands->nodes - inside);

    for (int i = 0; i < walk->count; i++) {
        const struct group *group = &walk->groups[i];
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
            walk->most[low][high] = walk->most[low][low] > walk->most[low + 1][high] ? walk->most[low][low]
                                                                                     : walk->most[low + 1][high];
    }
}

/* Evaluate a cut in both directions. */
static void
evaluate(struct walk *walk, uint32_t side, uint64_t capacity)
{
    uint32_t all = (UINT32_C(1) << walk->demands->nodes) - 1;
    int members = __builtin_popcount(side & all), others = walk->demands->nodes - members;

    for (int way = 0; way < 2; way++) {
        uint64_t words = words_of_groups(walk->groups, walk->count, side & all, all & ~side);

        if (is_better(walk->found, words, capacity, members < others ? members : others)) {
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

/* Go over the cuts that divide the first `taken` vertices into `side` and `other`, but for those that cannot be better
 * than the best found: the links cut so far, of this capacity, are cut whatever follows. */
static void
walk_cuts(struct walk *walk, int taken, uint32_t side, uint32_t other, uint64_t capacity)
{
    const struct found *found = walk->found;
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
        evaluate(walk, side, capacity);
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

/* Go over the cuts, beginning with those around a node. */
static bool
enumerate(const struct demands *demands, struct found *found)
{
    struct group *groups = malloc((size_t)demands->pieces * sizeof *groups);
    struct walk walk = {.demands = demands, .groups = groups, .found = found};

    if (groups == NULL)
        return false;
    walk.count = list_groups(demands, groups);
    walk_init(&walk);
    for (int node = 0; node < demands->nodes; node++) {
        uint64_t capacity = 0;

        for (int v = 0; v < demands->vertices; v++)
            capacity += walk.capacities[node][v];
        evaluate(&walk, UINT32_C(1) << node, capacity);
    }
    walk_cuts(&walk, 0, 0, 0, 0);
    for (int v = 0; v < demands->vertices; v++)
        found->out_of[v] = walk.best >> v & 1;
    free(groups);
    return true;
}

/* ------------------------------------------------------------------ cuts by flows */

enum problem { FROM_EACH_TO_ONE, FROM_ONE_TO_EACH, FROM_ONE_TO_ONE, PROBLEMS };

/* The words that must pass between `one` and each other node, or node 0, in pieces for which that is a sum over nodes:
 * pieces of one operand that `one` wants, pieces with an operand of `one` that a single node wants, or pieces with an
 * operand of node 0 that `one` wants.  Returns the sum. */
static uint64_t
weigh(const struct demands *demands, enum problem problem, int one, int64_t *weights)
{
    uint64_t sum = 0;

    memset(weights, 0, (size_t)demands->nodes * sizeof *weights);
    for (int i = 0; i < demands->pieces; i++) {
        const struct piece *piece = &demands->piece[i];
        bool wants = false, has = piece->first <= one && one <= piece->last;
        int node = -1;

        for (int j = 0; j < piece->wanted_count; j++)
            wants |= demands->wanting[piece->wanted + j] == one;
        if (problem == FROM_EACH_TO_ONE && wants && piece->first == piece->last)
            node = piece->first;
        if (problem == FROM_ONE_TO_EACH && has && piece->wanted_count == 1)
            node = demands->wanting[piece->wanted];
        if (problem == FROM_ONE_TO_ONE && wants && piece->first == 0)
            node = 0;
        if (node < 0 || node == one)
            continue;
        weights[node] += (int64_t)piece->words;
        sum += piece->words;
    }
    return sum;
}

/* As long as a cut between the source and the node is better than the best found, evaluate it (Dinkelbach's method). */
static void
improve(const struct demands *demands, struct flow *flow, int one, int64_t *weights, uint64_t sum, bool *side,
        struct found *found)
{
    int64_t wires = 0;

    for (bool again = true; again;) {
        uint64_t words = found->words, capacity = found->capacity;
        unsigned __int128 most = (unsigned __int128)sum * capacity;

        if (most > INT64_MAX || (unsigned __int128)words * UINT16_MAX * (unsigned)demands->vertices > INT64_MAX)
            return;
        for (int node = 0; node < demands->nodes; node++)
            weights[node] *= (int64_t)capacity;
        wires = flow_run(flow, (int64_t)words, weights, one, side);
        for (int node = 0; node < demands->nodes; node++)
            weights[node] /= (int64_t)capacity;
        if ((uint64_t)wires >= (uint64_t)most)
            return;
        look_at(demands, side, found);
        again = found->words != words || found->capacity != capacity;
    }
}

static bool
search(const struct demands *demands, struct found *found)
{
    struct flow *flow = flow_create(demands->network);
    int64_t *weights = calloc((size_t)demands->nodes, sizeof *weights);
    bool *side = calloc((size_t)demands->vertices, sizeof *side), memory = flow && weights && side;

    for (int node = 0; memory && node < demands->nodes; node++) { /* any cut is better than this */
        memset(side, 0, (size_t)demands->vertices * sizeof *side);
        side[node] = true;
        look_at(demands, side, found);
    }
    for (int one = 0; memory && found->capacity > 0 && one < demands->nodes; one++) {
        bool weighed = false;

        for (int problem = 0; problem < PROBLEMS; problem++) {
            if (problem == FROM_ONE_TO_ONE && weighed)
                break; /* it is part of those */
            uint64_t sum = weigh(demands, (enum problem)problem, one, weights);

            if (sum > 0)
                improve(demands, flow, one, weights, sum, side, found);
            weighed |= sum > 0;
        }
    }
    flow_destroy(flow);
    free(weights);
    free(side);
    return memory;
}

/* ------------------------------------------------------------------ the best */

/* A cut that was found before, for any length of equal blocks: tables of many sizes ask repeatedly.  The wires of a
 * file may have changed since. */
struct known {
    enum peal_collective collective;
    int nodes, root, by;
    char network[48]; /* "" nothing is known */
    struct peal_cut cut; /* its words counted in lengths of a block or vector */
};

enum { KNOWN = 64 };

static _Thread_local struct known known[KNOWN];

/* The place where it is known or to be kept; NULL if it cannot be. */
static struct known *
place_of(const struct peal_situation *situation)
{
    const char *name = peal_network_name(situation->network);
    size_t hash = (size_t)situation->collective * 31 + (size_t)situation->root * 7 + (size_t)situation->by;

    if (situation->unequal || situation->to != NULL || strlen(name) >= sizeof known->network
        || strcmp(peal_network_kind(situation->network), "file") == 0 || situation->words == 0)
        return NULL;
    for (const char *c = name; *c; c++)
        hash = hash * 31 + (unsigned char)*c;
    return &known[hash % KNOWN];
}

static bool
is_known(const struct known *place, const struct peal_situation *situation)
{
    return place->collective == situation->collective && place->nodes == situation->nodes && place->root == situation->root
           && place->by == situation->by && strcmp(place->network, peal_network_name(situation->network)) == 0;
}

/* Find the cut; its words are in units. */
static bool
find(const struct peal_situation *situation, struct peal_cut *cut, uint64_t *unit)
{
    bool few = situation->nodes + peal_network_switches(situation->network) <= CUT_ENUMERATED;
    struct demands demands;
    struct found found = {0};
    int members = 0;

    if (!demands_init(&demands, situation))
        return false;
    found.out_of = calloc((size_t)demands.vertices, sizeof *found.out_of);
    bool ok = found.out_of != NULL && (few ? enumerate(&demands, &found) : search(&demands, &found)) && found.capacity > 0;

    for (int node = 0; ok && node < demands.nodes; node++)
        members += found.out_of[node];
    if (ok) {
        *unit = demands.unit;
        cut->words = found.words;
        cut->capacity = found.capacity;
        cut->into = 2 * members > demands.nodes || (2 * members == demands.nodes && !found.out_of[0]);
        cut->count = cut->into ? demands.nodes - members : members;
        for (int node = 0; node < demands.nodes; node++)
            if (found.out_of[node] != cut->into)
                cut->member[node / 64] |= UINT64_C(1) << node % 64;
    }
    free(found.out_of);
    demands_fini(&demands);
    return ok;
}

bool
cut_find(const struct peal_situation *situation, struct peal_cut *cut)
{
    const struct peal_network *network = situation->network;
    uint64_t unit = situation->words;

    *cut = (struct peal_cut){0};
    if (network == NULL || peal_network_wires(network) == 0 || situation->words > INT64_MAX / 8
        || situation->nodes > PEAL_CUT_NODES)
        return false;
    if (situation->nodes + peal_network_switches(network) > CUT_ENUMERATED
        && (uint64_t)situation->nodes * peal_network_links(network) > CUT_WORK)
        return false;
    struct known *place = place_of(situation);

    if (place != NULL && is_known(place, situation))
        *cut = place->cut;
    else if (!find(situation, cut, &unit))
        return false;
    else if (place != NULL && unit == situation->words) {
        *place = (struct known){.collective = situation->collective, .nodes = situation->nodes, .root = situation->root,
                                .by = situation->by, .cut = *cut};
        strcpy(place->network, peal_network_name(network));
    }
    return !__builtin_mul_overflow(cut->words, unit, &cut->words) && cut->words <= INT64_MAX;
}
