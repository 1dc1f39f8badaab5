/* SPDX-License-Identifier: MIT */
/* Transposition of a matrix in square blocks: node (i, j) and node (j, i) exchange theirs.
 *
 *   before       node (i, j) of s × s has block A(i, j) of an n × n matrix
 *   after        node (i, j) has block (i, j) of its transpose
 *   rounds       1, s > 1
 *   cost         α + β(n²/P)k: k = 1 when full, s-1 on a mesh, ⌊s/2⌋ on a torus, s/2 on a hypercube
 *   space        2 blocks
 *   derivation   mesh and torus: (i, j) -> (j, i) goes along row i to column i, there turns, and goes along column i.
 *                So row i has messages to its diagonal only, and column i from it.  Mesh: of row i, i come from the
 *                left and share the last link, s-1-i from the right; so they do on leaving.  Torus: those up to half
 *                way round come upwards, ⌊s/2⌋; on its way in or out each message is one of so many.  The routing yx is
 *                the same with rows and columns exchanged.  Hypercube: e-cube corrects j to i from the lowest bit on;
 *                when it corrects bit t, the lower t bits of j are gone, so 2^t messages share a link, at most s/2
 *                (then i to j likewise)
 *   source       derived here; Tvrdík, PDP course, has the all-to-all of stripes
 *
 *   s = 3 on a mesh: row 2 before the turn
 *     (2,0) -> (2,1)       1 message
 *     (2,1) -> (2,2)       2 messages: k = s-1                                                              */
#include "kit.h"

static void
run(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out)
{
    size_t n = problem->n;
    int s = square_root((size_t)peal_size(me)), i = peal_rank(me) / s, j = peal_rank(me) % s;
    struct block mine = matrix_block(n, n, s, s, i, j);
    size_t words = mine.rows * mine.columns;
    double *x = peal_alloc(me, words), *y = peal_alloc(me, words), *t = peal_alloc(me, words);

    block_take(in, n, mine, x);
    if (i != j)
        peal_sendrecv(me, x, words, j * s + i, y, words, j * s + i);
    else
        y = x;
    for (size_t a = 0; a < mine.rows; a++)                                   /* y is mine.columns × mine.rows */
        for (size_t b = 0; b < mine.columns; b++)
            t[a * mine.columns + b] = y[b * mine.rows + a];
    block_give(out, n, mine, t);
}

/* The number of messages on the busiest link, and the hops of the farthest. */
static size_t
sharing(enum way way, int s, size_t *hops)
{
    size_t side = (size_t)s;

    switch (way) {
    case WAY_LINE:
        *hops = 2 * (side - 1);
        return side - 1;
    case WAY_RING:
        *hops = side / 2 * 2;
        return side / 2;
    case WAY_CUBE:
        *hops = 2 * (size_t)log2_up(side);
        return side / 2;
    case WAY_FULL:
    case WAY_UNKNOWN:
        break;
    }
    *hops = 1;
    return 1;
}

/* (0, 1) -> (1, 0) is one of the largest blocks, and of those that share the most on a mesh; on a torus all do. */
static bool
cost(const struct peal_problem *problem, struct peal_cost *cost)
{
    int s = square_root((size_t)problem->machine.nodes), extents[2] = {s, s};
    size_t n = problem->n, hops, k;
    enum way way = way_of(problem, extents, 2, 1);
    struct tally tally = tally_of(problem, n % (size_t)s == 0);

    k = sharing(way, s, &hops);
    tally.known = tally.known && way != WAY_UNKNOWN && (way != WAY_CUBE || tally.even);
    if (s > 1)
        tally_rounds(&tally, 1, k * part_size(n, s, 0) * part_size(n, s, 1), k, hops);
    return tally_end(&tally, cost);
}

static struct peal_estimate
estimate(const struct peal_problem *problem)
{
    int s = square_root((size_t)problem->machine.nodes), extents[2] = {s, s};
    double n = (double)problem->n;
    size_t hops;

    return (struct peal_estimate){1, n * n / problem->machine.nodes
                                         * (double)sharing(way_of(problem, extents, 2, 1), s, &hops)};
}

const struct peal_application app_transpose = {
    .name        = "transpose",
    .summary     = "transposition of a matrix in square blocks: one round, much congestion",
    TRANSPOSITION,
    .usual_nodes = 16,
    .needs       = "P = s·s",
    .fits        = need_square,
    .run         = run,
    .cost        = cost,
    .closed_form = "α + β(n²/P)k, k = 1, on a mesh s−1, on a torus ⌊s/2⌋, on a hypercube s/2",
    .estimate    = estimate,
    .formula     = "α + β(n²/P)k",
    .differs     = "blocks are unequal when s does not divide n; one node alone sends nothing",
    .source      = "derived here, from dimension-order routing",
};
