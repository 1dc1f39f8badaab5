/* SPDX-License-Identifier: MIT */
/* Lower bounds by cuts: see cuts.h. */
#include "lib/collective/cuts.h"
#include "lib/collective/layout.h"
#include "lib/cost/arithmetic.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The words that must leave a set S follow from the collective's row.  A piece of a result is the combination of one
 * index of the nodes first .. last; the nodes whose result contains it want it.  If some of its operands are in S and
 * some node that wants it is not, the combination of those operands has to leave S, unless another piece brings it
 * along: pieces of one index whose operands in S are the same need them once.  In a row, pieces of one index have the
 * same operands, or, in scans, the operands of one are among those of the next; so their needs are independent, and
 * each needs its words. */

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

/* Bring the entries of one piece together. */
static void
merge_pieces(struct demands *demands, int entries)
{
    int count = 0;

    qsort(demands->piece, (size_t)entries, sizeof *demands->piece, compare_pieces);
    for (int i = 0; i < entries; i++) {
        struct piece piece = demands->piece[i], *last = count > 0 ? &demands->piece[count - 1] : NULL;

        demands->wanting[i] = piece.node;
        demands->unit = (uint64_t)common_divisor(demands->unit, piece.words);
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

/* Whether some host has several nodes. */
static bool
is_shared(const struct peal_network *network)
{
    const struct peal_placement *placement = peal_network_placement(network);

    return placement != NULL && placement->shared;
}

static bool
demands_init(struct demands *demands, const struct peal_situation *situation)
{
    const struct peal_form *form = peal_form_of(situation->collective);
    struct peal_layout layout = situation->layout;
    size_t *sizes = NULL, all;
    int entries = 0, parts;

    *demands = (struct demands){.network = situation->network,
                                .nodes = situation->nodes,
                                .vertices = situation->nodes + peal_network_switches(situation->network),
                                .shared = is_shared(situation->network)};
    if (situation->unequal) {
        sizes = situation->blocks == NULL ? NULL : malloc((size_t)situation->nodes * sizeof *sizes);
        if (sizes == NULL)
            return false;
        for (int b = 0; b < situation->nodes; b++)
            sizes[b] = peal_blocks_words(situation->blocks, b);
        layout.sizes = sizes;
        layout.size_count = situation->nodes;
    }
    parts = layout_parts(&layout, form);
    all = (size_t)situation->nodes * (size_t)parts;
    demands->piece = malloc(all * sizeof *demands->piece);
    demands->wanting = malloc(all * sizeof *demands->wanting);
    for (int rank = 0; rank < situation->nodes && demands->piece && demands->wanting; rank++) {
        if (layout_out_words(&layout, form, rank) == SIZE_MAX)
            continue;
        for (int part = 0; part < parts; part++) {
            struct peal_origin origin;

            form->origin(&layout, rank, part, &origin);
            if (!origin.kept && origin.words > 0)
                demands->piece[entries++] = (struct piece){.first = origin.first,
                                                           .last = origin.last,
                                                           .index = origin.index,
                                                           .words = origin.words,
                                                           .node = rank};
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

/* The node that stands for a node's host in the network. */
static int
vertex_of(const struct demands *demands, int node)
{
    int vertex;

    peal_network_path(demands->network, node, node, &vertex);
    return vertex;
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
        if (!wanted || (before != NULL && before->index == piece->index && before->first == piece->first &&
                        before_inside == inside))
            continue;
        words += piece->words;
        before = piece;
        before_inside = inside;
    }
    return words;
}

/* Evaluate a cut in both directions; `side` is of all vertices.  The nodes of a host are on one side. */
static void
cut_evaluate(const struct demands *demands, bool *side, struct cut_found *found)
{
    uint64_t capacity = 0;
    int members = 0, a, b;

    for (int node = 0; demands->shared && node < demands->nodes; node++)
        side[node] = side[vertex_of(demands, node)];
    for (uint64_t wire = 0; wire < peal_network_wires(demands->network); wire++)
        if (peal_network_wire(demands->network, wire, &a, &b) && side[a] != side[b])
            capacity += peal_network_capacity(demands->network, a, b);
    for (int node = 0; node < demands->nodes; node++)
        members += side[node];
    int nodes = members <= demands->nodes - members ? members : demands->nodes - members;

    for (int way = 0; way < 2; way++) {
        uint64_t words = words_out_of(demands, side);

        if (cut_is_better(found, words, capacity, nodes)) {
            found->words = words;
            found->capacity = capacity;
            found->nodes = nodes;
            memcpy(found->out_of, side, (size_t)demands->vertices * sizeof *side);
        }
        for (int v = 0; v < demands->vertices; v++)
            side[v] = !side[v];
    }
}

/* ------------------------------------------------------------------ cuts by flows */

enum cut_problem { FROM_EACH_TO_ONE, FROM_ONE_TO_EACH, FROM_ONE_TO_ONE, PROBLEMS };

/* The words that must pass between `one` and each other node, or node 0, in pieces for which that is a sum over nodes:
 * pieces of one operand that `one` wants, pieces with an operand of `one` that a single node wants, or pieces with an
 * operand of node 0 that `one` wants.  Returns the sum. */
static uint64_t
cut_weigh(const struct demands *demands, enum cut_problem problem, int one, int64_t *weights)
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
        if (node < 0 || vertex_of(demands, node) == vertex_of(demands, one))
            continue;
        weights[vertex_of(demands, node)] += (int64_t)piece->words;
        sum += piece->words;
    }
    return sum;
}

/* As long as a cut between the source and the node is better than the best found, evaluate it (Dinkelbach's method). */
static void
cut_improve(const struct demands *demands, struct flow *flow, int one, int64_t *weights, uint64_t sum, bool *side,
            struct cut_found *found)
{
    int64_t wires = 0;

    for (bool again = true; again;) {
        uint64_t words = found->words, capacity = found->capacity;
        unsigned __int128 most = (unsigned __int128)sum * capacity;

        if (most > INT64_MAX || (unsigned __int128)words * UINT16_MAX * (unsigned)demands->vertices > INT64_MAX)
            return;
        for (int node = 0; node < demands->nodes; node++)
            weights[node] *= (int64_t)capacity;
        wires = flow_run(flow, (int64_t)words, weights, vertex_of(demands, one), side);
        for (int node = 0; node < demands->nodes; node++)
            weights[node] /= (int64_t)capacity;
        if ((uint64_t)wires >= (uint64_t)most)
            return;
        cut_evaluate(demands, side, found);
        again = found->words != words || found->capacity != capacity;
    }
}

static bool
cut_search(const struct demands *demands, struct cut_found *found)
{
    struct flow *flow = flow_create(demands->network);
    int64_t *weights = calloc((size_t)demands->nodes, sizeof *weights);
    bool *side = calloc((size_t)demands->vertices, sizeof *side), memory = flow && weights && side;

    for (int node = 0; memory && node < demands->nodes; node++) { /* any cut is better than this */
        memset(side, 0, (size_t)demands->vertices * sizeof *side);
        side[node] = true;
        cut_evaluate(demands, side, found);
    }
    for (int one = 0; memory && found->capacity > 0 && one < demands->nodes; one++) {
        bool weighed = false;

        for (int problem = 0; problem < PROBLEMS; problem++) {
            if (problem == FROM_ONE_TO_ONE && weighed)
                break; /* it is part of those */
            uint64_t sum = cut_weigh(demands, (enum cut_problem)problem, one, weights);

            if (sum > 0)
                cut_improve(demands, flow, one, weights, sum, side, found);
            weighed |= sum > 0;
        }
    }
    flow_destroy(flow);
    free(weights);
    free(side);
    return memory;
}

/* ------------------------------------------------------------------ the best */

/* A cut that was found before: tables of many sizes and algorithms ask repeatedly.  The wires of a file may have
 * changed since.  All threads share the table: in each thread's own storage it would be ten pages of every node's
 * thread.  A thread that finds it in use does without it, as does a child that was forked meanwhile. */
struct known {
    enum peal_collective collective;
    int nodes, root, by;
    size_t words;        /* of these blocks or vectors only; 0: of any equal blocks */
    char network[48];    /* "" nothing is known */
    struct peal_cut cut; /* its words counted in units */
    uint64_t unit;       /* of `words` */
};

enum { KNOWN = 64 };

static struct {
    atomic_flag busy;
    struct known cuts[KNOWN];
    size_t next; /* the oldest: the next that is found takes its place */
} known = {.busy = ATOMIC_FLAG_INIT};

static bool
may_be_known(const struct peal_situation *situation)
{
    return !situation->unequal && situation->to == NULL && situation->words != 0 &&
           strlen(peal_network_name(situation->network)) < sizeof known.cuts->network &&
           strstr(peal_network_name(situation->network), "file:") == NULL;
}

static bool
known_cut_matches(const struct known *place, const struct peal_situation *situation)
{
    return place->collective == situation->collective && place->nodes == situation->nodes &&
           place->root == situation->root && place->by == situation->by &&
           (place->words == 0 || place->words == situation->words) &&
           strcmp(place->network, peal_network_name(situation->network)) == 0;
}

static bool
known_cut_find(const struct peal_situation *situation, struct peal_cut *cut, uint64_t *unit)
{
    const struct known *found = NULL;

    if (atomic_flag_test_and_set_explicit(&known.busy, memory_order_acquire))
        return false;
    for (size_t i = 0; i < KNOWN && !found; i++)
        if (known_cut_matches(&known.cuts[i], situation))
            found = &known.cuts[i];
    if (found) {
        *cut = found->cut;
        *unit = found->words == 0 ? situation->words : found->unit;
    }
    atomic_flag_clear_explicit(&known.busy, memory_order_release);
    return found != NULL;
}

static void
known_cut_keep(const struct peal_situation *situation, const struct peal_cut *cut, uint64_t unit)
{
    if (atomic_flag_test_and_set_explicit(&known.busy, memory_order_acquire))
        return;
    struct known *place = &known.cuts[known.next++ % KNOWN];

    *place = (struct known){.collective = situation->collective,
                            .nodes = situation->nodes,
                            .root = situation->root,
                            .by = situation->by,
                            .words = unit == situation->words ? 0 : situation->words,
                            .cut = *cut,
                            .unit = unit};
    strcpy(place->network, peal_network_name(situation->network));
    atomic_flag_clear_explicit(&known.busy, memory_order_release);
}

/* Find the cut; its words are in units. */
static bool
cut_compute(const struct peal_situation *situation, struct peal_cut *cut, uint64_t *unit)
{
    bool few = situation->nodes + peal_network_switches(situation->network) <= CUT_ENUMERATED &&
               !is_shared(situation->network);
    struct demands demands;
    struct cut_found found = {0};
    int members = 0;

    if (!demands_init(&demands, situation))
        return false;
    found.out_of = calloc((size_t)demands.vertices, sizeof *found.out_of);
    bool ok =
        found.out_of != NULL && (few ? cut_walk(&demands, &found) : cut_search(&demands, &found)) && found.capacity > 0;

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
    if (network == NULL || peal_network_wires(network) == 0 || unit > INT64_MAX / 8 ||
        situation->nodes > PEAL_CUT_NODES)
        return false;
    if (situation->nodes + peal_network_switches(network) > CUT_ENUMERATED &&
        (uint64_t)situation->nodes * peal_network_links(network) > CUT_WORK)
        return false;
    if (!may_be_known(situation) || !known_cut_find(situation, cut, &unit)) {
        if (!cut_compute(situation, cut, &unit))
            return false;
        if (may_be_known(situation))
            known_cut_keep(situation, cut, unit);
    }
    return !__builtin_mul_overflow(cut->words, unit, &cut->words) && cut->words <= INT64_MAX;
}
