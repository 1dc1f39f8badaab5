/* SPDX-License-Identifier: MIT */
/* The circulant graph, its schedules, and what they cost.
 *
 * Skips.  Halving upwards takes P to 1 in q = ⌈log₂P⌉ steps: s_k is P/2^(q-k), rounded up.
 *
 * Schedule.  In q rounds on end, with skips s_0 .. s_{q-1}, a node receives q different pieces.  The piece from the
 * node s_k back is decided by the window of the nodes x - s_{k+1} + 1 .. x - s_k: of the bases in it, the greatest that
 * is not used yet, be it e, is the piece e - q; if that is q (the root is in the window), it is the piece base(x).
 * Where all bases are used, the base of x - s_{k+1} is not.  To look into a window is to ask for the last node of base
 * e up to its end: subtracting skips greedily, each prefix of the skips leaves a smaller problem of the same kind, of
 * which last[e, k] is the answer.
 *   That sender and receiver agree, that pieces are held before they are sent, and that all have come after q-1+B
 * rounds is Träff's theorem; the windows are a form of his schedule of Peal's own, and the test holds them against the
 * conditions.
 *
 * Cost.  In every round of q-1+B there is a message (no schedule has fewer rounds), and a round takes as long as its
 * longest piece.  Call k - schedule[k] the lag: in round t + 1 a node of lag l gets piece t - l.  A longer piece, one
 * of the first r = n mod B, is under way in round t + 1 if the round has a lag l <= t with t - l < r.
 *   P = 2^q > 2: with bit k of x clear, the window k has just one node of base k or more, and it has base k: lag q.
 * With bit k set it is the next set bit g above: lag q + k - g; or the root, if there is none: lag k - base(x).  All
 * lags 0 .. q occur for each k: a longer piece is under way in r + q rounds.
 *   Other P: the lags of all nodes are looked up.
 *
 * Links.  A round is part of a cyclic shift: on a hypercube no link is shared.
 *
 * Source: J. L. Träff, arXiv 2312.11236 and 2407.18004. */
#include "circulant.h"
#include <assert.h>
#include <limits.h>
#include <string.h>

int
circulant_skips(int nodes, int *skips)
{
    int q = ceiling_log2(nodes);

    memset(skips, 0, CIRCULANT_SKIPS * sizeof *skips);
    skips[q] = nodes;
    for (int k = q - 1; k >= 0; k--)
        skips[k] = skips[k + 1] / 2 + skips[k + 1] % 2;
    return q;
}

/* ------------------------------------------------------------------ schedules */

/* The greatest node in 1 .. h whose base is e, -1: none. */
static int
last_of_base(const struct circulant *graph, int e, int h)
{
    int off = 0, best = -1; /* subtracted */

    for (int k = graph->q; h >= 1;) {
        while (graph->skip[k] > h)
            k--;
        if (k == e)
            best = off + graph->skip[k];
        if (k <= e)
            break;
        if (graph->last[e * (graph->q + 1) + k] >= 0)
            best = off + graph->last[e * (graph->q + 1) + k];
        h -= graph->skip[k];
        off += graph->skip[k];
    }
    return best;
}

/* owner: borrows `last`, q(q+1) places, as long as the graph is used */
static void
graph_init(struct circulant *graph, int nodes, int *last)
{
    graph->nodes = nodes;
    graph->q = circulant_skips(nodes, graph->skip);
    graph->last = last;
    for (int e = 0; e < graph->q; e++)
        for (int k = 0; k <= graph->q; k++)
            last[e * (graph->q + 1) + k] = k <= e ? -1 : last_of_base(graph, e, graph->skip[k] - 1);
}

/* The base of node x: the index of the last skip if the greatest ones that fit are subtracted from x until it is 0; q
 * for 0. */
static int
base_of(const struct circulant *graph, int x)
{
    int k = graph->q;

    while (x > 0) {
        while (graph->skip[k] > x)
            k--;
        x -= graph->skip[k];
    }
    return k;
}

/* Whether a node of base e is among low .. high, counted round the end: high < P, low > high - P. */
static bool
has_base(const struct circulant *graph, int e, int low, int high)
{
    int first = low > 1 ? low : 1;

    if (e == graph->q)
        return low <= 0 && high >= 0;
    if (high >= first && last_of_base(graph, e, high) >= first)
        return true;
    return low < 0 && last_of_base(graph, e, high < 0 ? high + graph->nodes : graph->nodes - 1) >= low + graph->nodes;
}

/* The receive schedule of node x in a broadcast from 0: in rounds t + 1 with t ≡ k (mod q), up to a shift of all
 * rounds, it gets piece t - k + schedule[k]. */
static void
receive_schedule(const struct circulant *graph, int x, signed char schedule[CIRCULANT_SKIPS])
{
    int own = base_of(graph, x);
    uint64_t used = (uint64_t)1 << own;

    for (int k = 0; k < graph->q; k++) {
        int low = x - graph->skip[k + 1] + 1, high = x - graph->skip[k], e = graph->q;

        while (e >= 0 && ((used >> e & 1) || !has_base(graph, e, low, high)))
            e--;
        if (e < 0)
            e = base_of(graph, (low - 1 + graph->nodes) % graph->nodes);
        assert(!(used >> e & 1));
        used |= (uint64_t)1 << e;
        schedule[k] = (signed char)(e == graph->q ? own : e - graph->q);
    }
}

/* ------------------------------------------------------------------ plans */

/* The t of the round t + 1 in which the last piece first arrives by this schedule. */
static int
first_of_last(const struct circulant_plan *plan, const signed char *schedule)
{
    int first = INT_MAX;

    for (int k = 0; k < plan->q; k++) {
        int t = plan->pieces - 1 + k - schedule[k]; /* this t or a later one of this k */

        t = t < 0 ? 0 : t;
        t += ((k - plan->shift - t) % plan->q + plan->q) % plan->q;
        first = t < first ? t : first;
    }
    return first;
}

/* The piece of a schedule in round t + 1, -1: none; `first` is the t with which the last piece is new. */
static int
piece_at(const struct circulant_plan *plan, int scheduled, int k, int t, int first)
{
    int piece = t - k + scheduled;

    if (piece < plan->pieces - 1)
        return piece;
    return t == first ? plan->pieces - 1 : -1;
}

static struct piece_step
step_of_plan(const void *untyped, int t)
{
    const struct circulant_plan *plan = untyped;
    int k = (t + plan->shift) % plan->q, P = plan->nodes, own = (plan->rank - plan->root + P) % P;
    struct piece_step step = {.dest = -1, .source = -1};

    if (plan->skip[k] != P - own) { /* the root is sent nothing */
        step.out = piece_at(plan, plan->out[k], k, t, plan->first_out[k]);
        if (step.out >= 0)
            step.dest = (int)(((int64_t)plan->rank + plan->skip[k]) % P);
    }
    if (own > 0) {
        step.in = piece_at(plan, plan->in[k], k, t, plan->first_in);
        if (step.in >= 0)
            step.source = (plan->rank - plan->skip[k] + P) % P;
    }
    return step;
}

struct pipeline
circulant_pipeline(struct circulant_plan *plan, struct peal_node *me, int root, int pieces)
{
    int P = peal_size(me), own = (peal_rank(me) - root + P) % P, q = ceiling_log2(P);
    size_t word_bytes = peal_word_bytes(me), bytes = (size_t)(q * (q + 1)) * sizeof(int);
    int *last = peal_scratch(me, (bytes + word_bytes - 1) / word_bytes);
    struct circulant graph;
    signed char to[CIRCULANT_SKIPS] = {0};

    graph_init(&graph, P, last);
    *plan = (struct circulant_plan){.nodes = P, .q = q, .pieces = pieces, .rank = peal_rank(me), .root = root};
    memcpy(plan->skip, graph.skip, sizeof plan->skip);
    if (plan->q > 0) {
        plan->shift = (plan->q - (pieces - 1) % plan->q) % plan->q;
        receive_schedule(&graph, own, plan->in);
        plan->first_in = first_of_last(plan, plan->in);
    }
    for (int k = 0; k < plan->q; k++) {
        receive_schedule(&graph, (int)(((int64_t)own + plan->skip[k]) % P), to);
        plan->out[k] = to[k];
        plan->first_out[k] = first_of_last(plan, to);
    }
    peal_free(me, last);
    return (struct pipeline){.pieces = pieces, .rounds = plan->q - 1 + pieces, .first = 0,
                             .end = P > 1 ? plan->q - 1 + pieces : 0, .step = step_of_plan, .plan = plan};
}

/* ------------------------------------------------------------------ closed forms */

/* The lags that occur for each k, as bits. */
static void
all_lags(int nodes, uint64_t lags[CIRCULANT_SKIPS])
{
    struct circulant graph;
    signed char schedule[CIRCULANT_SKIPS];
    int last[8 * 9]; /* q = 8 */

    assert(nodes <= 256);
    graph_init(&graph, nodes, last);
    for (int k = 0; k < graph.q; k++)
        lags[k] = 0;
    for (int x = 1; x < nodes; x++) {
        receive_schedule(&graph, x, schedule);
        for (int k = 0; k < graph.q; k++)
            lags[k] |= (uint64_t)1 << (k - schedule[k]);
    }
}

/* The rounds in which one of the first r of all pieces is under way, 0 < r < pieces; -1: not derived. */
static int64_t
rounds_of_first(int nodes, int q, int pieces, int r)
{
    uint64_t lags[CIRCULANT_SKIPS];
    int64_t rounds = r; /* no piece of those rounds is a later one */
    int shift = (q - (pieces - 1) % q) % q;

    if (nodes == 2)
        return r;
    if ((nodes & (nodes - 1)) == 0)
        return (int64_t)r + q;
    if (nodes > 256)
        return -1;
    all_lags(nodes, lags);
    for (int t = r; t < r + 2 * q && t < pieces + q - 1; t++) {
        uint64_t past = lags[(t + shift) % q] >> (t - r + 1); /* of lag t-r+1 or more */

        rounds += (t < 63 ? past & (((uint64_t)1 << r) - 1) : past) != 0; /* and of lag t or less */
    }
    return rounds;
}

void
circulant_closed(struct closed *sum, int pieces)
{
    int q = ceiling_log2(sum->shape.nodes);
    int64_t words = closed_words(sum), r = words % pieces, of_longer = 0;

    if (q == 0)
        return;
    if (r > 0)
        of_longer = rounds_of_first(sum->shape.nodes, q, pieces, (int)r);
    if (of_longer < 0 || !(sum->shape.kind == SHAPE_FULL || sum->shape.nodes == 2
                           || (sum->shape.kind == SHAPE_HYPERCUBE && sum->situation->switching == PEAL_IDEAL)))
        sum->known = false;
    closed_add_same(sum, (int64_t)q - 1 + pieces - of_longer, words / pieces, 1);
    closed_add_same(sum, of_longer, words / pieces + 1, 1);
}

void
circulant_at_most(struct closed *sum, int pieces)
{
    int64_t words = closed_words(sum), longest = words / pieces + (words % pieces != 0);

    if (sum->shape.nodes > 1)
        closed_add_full(sum, (int64_t)ceiling_log2(sum->shape.nodes) - 1 + pieces, longest);
}

int
circulant_pieces(const struct peal_situation *situation)
{
    return pieces_best_even(situation, ceiling_log2(situation->nodes) - 1, 1);
}

/* ------------------------------------------------------------------ the closed forms as text
 *
 * Skips s = ⌈P/2^j⌉, j = 1, 2, .. q, are the sums of halving.c; a round has ⌊s'/2⌋ blocks for s = ⌈s'/2⌉, together
 * ⌊s'²/4⌋ on a link of a line, and ⌊P/2⌋² for the first. A line's message that wraps goes P-s. P = 2^q: skips are
 * 2^j; on a hypercube the carry runs through q-j bits, on a grid from a dimension on through all slower ones. */

#define CIRCULANT_ROWS(words, where)                                                                                   \
    {.on = "full", .alpha = "α⌈log₂P⌉", .beta = "β" words "(P−1)", .near = true, .cited = where},                      \
    {.on = "hypercube", .alpha = "αq", .beta = "β" words "(P−1)", .hop = "t_dq(q+1)/2",                                \
     .stored = "β" words "(2P−q−2)", .names = "q = log₂P"},                                                            \
    {.on = "line", .when = "P = 2^q", .alpha = "α log₂P", .beta = "β" words "(P²−1)/3", .hop = "t_d(P log₂P−P+1)",     \
     .stored = "β" words "(13P³−28P+36)/84"},                                                                          \
    {.on = "ring", .when = "P = 2^q", .alpha = "α log₂P", .beta = "β" words "(P²−1)/3", .hop = "t_d(P−1)",             \
     .stored = "β" words "(P³−1)/7"},                                                                                  \
    {.on = "line", .alpha = "αq", .beta = "β" words "(⌊P/2⌋²+Σ_{j=1..q−1}⌊⌈P/2^j⌉²/4⌋)",                               \
     .hop = "t_d((P−1)(q−1)+popcount(P−1)+(P mod 2))", .names = "q = ⌈log₂P⌉"},                                        \
    {.on = "ring", .alpha = "αq", .beta = "β" words "(⌊P/2⌋²+Σ_{j=1..q−1}⌊⌈P/2^j⌉²/4⌋)",                               \
     .hop = "t_d(P−1+q−popcount(P−1)−(P mod 2))", .names = "q = ⌈log₂P⌉"},                                             \
    {.on = "mesh", .when = "zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "β" words "Σsᵢ(zᵢ²−1)/3",                          \
     .hop = "t_dΣ(zᵢlog₂zᵢ+(zᵢ−1)(log₂sᵢ−1))"},                                                                        \
    {.on = "torus", .when = "zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "β" words "Σsᵢ(zᵢ²−1)/3",                         \
     .hop = "t_dΣ(zᵢ−1+log₂sᵢ)"},

const struct peal_closed_text circulant_block_texts[] = {CIRCULANT_ROWS("m", "") {0}};

const struct peal_closed_text circulant_vector_texts[] = {CIRCULANT_ROWS("n", NULL) {0}};

const struct peal_closed_text circulant_texts[] = {
    {.when = "P = 2", .alpha = "αB", .beta = "βn", .near = true, .names = "B = parameter"},
    {.on = "full", .when = "B | n", .alpha = "α(⌈log₂P⌉−1+B)", .beta = "βn(⌈log₂P⌉−1+B)/B", .near = true,
     .names = "B = parameter", .cited = ""},
    {.on = "hypercube", .when = "B | n", .alpha = "α(log₂P−1+B)", .beta = "βn(log₂P−1+B)/B",
     .names = "B = parameter"},
    {0},
};
