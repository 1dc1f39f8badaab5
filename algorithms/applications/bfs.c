/* SPDX-License-Identifier: MIT */
/* Breadth-first search, vertices in parts: in every level a node follows the edges of its frontier, and sends their
 * ends to the owners.
 *
 *   before       node i has part i of n vertices, each with `degree` edges to vertices drawn at random
 *   after        node i has the level of each: its distance from vertex 0, -1 if there is no path
 *   rounds       a level: 2(P-1) + q, q = log₂P, or ⌊log₂P⌋ + 2; the last level finds no new vertex
 *   cost         a level: (P-1)(α + β) + (P-1)α + β·(the longest message of each round) + q(α + β)
 *   space        the edges of the part, twice
 *   operations   an edge that is followed, a vertex that is received
 *   derivation   alltoall/shift of one word, the number of vertices to come; the exchange; an all-reduce
 *                (recursive-doubling) of the number of new ones.  Lengths and the number of levels depend on the graph
 *   source       Buluç, Madduri 2011, the one-dimensional algorithm
 *
 *   P = 3, one level
 *     rounds 1, 2    0 -> 1    1 -> 2    2 -> 0    and    0 -> 2    1 -> 0    2 -> 1      counts
 *     rounds 3, 4    likewise                                                        vertices
 *     rounds 5 - 7   0 -> 1, then 1 <-> 2, then 1 -> 0                               new vertices in all       */
#include "kit.h"
#include <math.h>

/* The node that has vertex v. */
static int
owner_of(size_t n, int P, int64_t v)
{
    int owner = (int)((size_t)v / (n / (size_t)P + 1));  /* no part is larger, so this is not too far */

    while (owner + 1 < P && part_first(n, P, owner + 1) <= (size_t)v)
        owner++;
    return owner;
}

/* The part of one node. */
struct graph {
    size_t n, degree, first, count;
    const int64_t *edges; /* of all vertices */
    int64_t *level;       /* of mine */
    int64_t *list;        /* of vertices to send, by owner */
    size_t *outgoing, *incoming, *next;
};

/* List the ends of the frontier's edges by owner: count them, then fill. */
static void
follow(struct peal_node *me, struct graph *g, int64_t depth)
{
    int P = peal_size(me);
    size_t edges = 0;

    for (int s = 0; s < P; s++)
        g->outgoing[s] = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t v = 0; v < g->count; v++)
            for (size_t e = 0; e < g->degree && g->level[v] == depth; e++) {
                int64_t w = g->edges[(g->first + v) * g->degree + e];

                if (pass == 0)
                    g->outgoing[owner_of(g->n, P, w)]++;
                else
                    g->list[g->next[owner_of(g->n, P, w)]++] = w;
            }
        for (int s = 0; s < P && pass == 0; s++) {
            g->next[s] = edges;
            edges += g->outgoing[s];
        }
    }
    peal_compute(me, (int64_t)edges);
}

/* Send the vertices to their owners, and note those received: the number of new ones. */
static int64_t
tell(struct peal_node *me, struct graph *g, int64_t depth)
{
    int P = peal_size(me);
    int64_t *out = peal_alloc(me, (size_t)P), *in = peal_alloc(me, (size_t)P), *arrived, found = 0;
    size_t all = 0;

    for (int s = 0; s < P; s++)
        out[s] = (int64_t)g->outgoing[s];
    peal_alltoall_by(me, "shift", out, 1, in);
    for (int s = 0; s < P; s++)
        all += g->incoming[s] = (size_t)in[s];
    arrived = peal_alloc(me, all);
    peal_alltoallv_by(me, "shift", g->list, g->outgoing, arrived, g->incoming);
    for (size_t i = 0; i < all; i++) {
        int64_t *level = &g->level[(size_t)arrived[i] - g->first];

        found += *level < 0;
        if (*level < 0)
            *level = depth + 1;
    }
    peal_compute(me, (int64_t)all);
    peal_free(me, arrived);
    peal_free(me, in);
    peal_free(me, out);
    return found;
}

static void
run(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    struct graph g = {.n = problem->n, .degree = problem->parameter[0],
                      .first = part_first(problem->n, P, r), .count = part_size(problem->n, P, r), .edges = in,
                      .level = peal_alloc(me, part_size(problem->n, P, r)),
                      .list = peal_alloc(me, part_size(problem->n, P, r) * problem->parameter[0]),
                      .outgoing = peal_alloc(me, (size_t)P), .incoming = peal_alloc(me, (size_t)P),
                      .next = peal_alloc(me, (size_t)P)};
    int64_t found = 1;

    for (size_t v = 0; v < g.count; v++)
        g.level[v] = g.first + v == 0 ? 0 : -1;
    for (int64_t depth = 0; found > 0; depth++) {
        follow(me, &g, depth);
        found = tell(me, &g, depth);
        peal_allreduce_by(me, "recursive-doubling", PEAL_SUM_INT64, &found, 1);
    }
    for (size_t v = 0; v < g.count; v++)
        ((int64_t *)out)[g.first + v] = g.level[v];
}

static enum peal_status
fits(const struct peal_problem *problem, struct peal_error *error)
{
    if (problem->n >= 1)
        return PEAL_OK;
    return peal_refuse(error, PEAL_USAGE, "n = 0 vertices have none to start from; n = 1 and more fits");
}

static bool
words(const struct peal_problem *problem, size_t *in, size_t *out)
{
    return count_words(problem->n, problem->parameter[0], 1, in) && count_words(problem->n, 1, 1, out);
}

static void
make(const struct peal_problem *problem, void *in)
{
    for (size_t i = 0; i < problem->n * problem->parameter[0]; i++)
        ((int64_t *)in)[i] = (int64_t)(made_bits(problem->seed, i) % problem->n);
}

/* Level by level over all vertices: slow, and unlike a queue it needs no memory. */
static bool
reference(const struct peal_problem *problem, const void *in, void *out)
{
    size_t n = problem->n, degree = problem->parameter[0];
    const int64_t *edges = in;
    int64_t *level = out;
    bool found = true;

    for (size_t v = 0; v < n; v++)
        level[v] = v == 0 ? 0 : -1;
    for (int64_t depth = 0; found; depth++) {
        found = false;
        for (size_t v = 0; v < n; v++)
            for (size_t e = 0; e < degree && level[v] == depth; e++)
                if (level[edges[v * degree + e]] < 0) {
                    level[edges[v * degree + e]] = depth + 1;
                    found = true;
                }
    }
    return true;
}

/* Half of a random graph is found in about log(n) / log(degree) levels. */
static struct peal_estimate
estimate(const struct peal_problem *problem)
{
    double P = problem->machine.nodes, n = (double)problem->n, degree = (double)problem->parameter[0];
    double levels = degree > 1 && n > 1 ? ceil(log(n) / log(degree)) : 1, cut = n * degree * (P - 1) / P;

    return (struct peal_estimate){levels * (P - 1 + log2(P)), cut / P + levels * log2(P)};
}

const struct peal_application app_bfs = {
    .name       = "bfs",
    .summary    = "breadth-first search from vertex 0 of a random graph, vertices in parts",
    .size       = "vertices",
    .usual_size = 1000,
    .parameters = {{"degree", "edges from each vertex", 4, 0}},
    .needs      = "n >= 1",
    .whole      = true,
    .fits       = fits,
    .words      = words,
    .make       = make,
    .run        = run,
    .reference  = reference,
    .compared   = "exactly: levels are whole numbers",
    .estimate   = estimate,
    .formula    = "a level: (P−1)α + log₂P(α + β); in all β·(cut edges)/P; here ⌈log n / log degree⌉ levels",
    .differs    = "sizes go first, (P−1)(α + β) a level; the all-reduce takes ⌊log₂P⌋ + 2 rounds where P is not a "
                  "power of two; a round takes as long as its longest message; how many levels there are depends on "
                  "the graph",
    .operations = "an edge that is followed, a vertex that is received",
    .source     = "Buluç, Madduri 2011",
};
