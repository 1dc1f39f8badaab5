/* SPDX-License-Identifier: MIT */
/* Transposition of a matrix in stripes of rows: every node has a piece for every other, an all-to-all.
 *
 *   before       node i has rows part(i) of an n × n matrix
 *   after        node i has rows part(i) of its transpose
 *   rounds       P-1
 *   cost         (P-1)α + β(P-1)n²/P² where no links are shared; on lines and rings (P-1)α + β⌊P²/4⌋n²/P²; any P and n
 *   space        2 stripes
 *   derivation   round i is the shift by i: (n/P)² words from each node to the one i on, min(i, P-i) of them on a link
 *                of a line or ring.  Unequal stripes: the longest piece of each round counts
 *   source       Tvrdík, PDP course, all-to-all scatter
 *
 *   P = 3: the rows and columns that travel
 *     round 1    0 -> 1 rows 0, columns 1    1 -> 2 rows 1, columns 2    2 -> 0 rows 2, columns 0
 *     round 2    0 -> 2 rows 0, columns 2    1 -> 0 rows 1, columns 0    2 -> 1 rows 2, columns 1             */
#include "kit.h"

static void
run(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    size_t n = problem->n, rows = part_size(n, P, r), at = 0;
    double *x = peal_alloc(me, rows * n), *y = peal_alloc(me, rows * n), *t = peal_alloc(me, rows * n);
    size_t *words = peal_alloc(me, (size_t)P);

    for (int j = 0; j < P; j++) {                        /* as many words go to node j as come from there */
        struct block piece = {part_first(n, P, r), part_first(n, P, j), rows, part_size(n, P, j)};

        words[j] = piece.rows * piece.columns;
        block_take(in, n, piece, x + at);
        at += words[j];
    }
    peal_alltoallv_by(me, "shift", x, words, y, words);
    for (size_t column = 0; column < n; column++)        /* the received data are n × rows, part by part */
        for (size_t row = 0; row < rows; row++)
            t[row * n + column] = y[column * rows + row];
    block_give(out, n, (struct block){part_first(n, P, r), 0, rows, n}, t);
}

static size_t
piece_words(const struct peal_problem *problem, int from, int to)
{
    return part_size(problem->n, problem->machine.nodes, from) * part_size(problem->n, problem->machine.nodes, to);
}

static bool
cost(const struct peal_problem *problem, struct peal_cost *cost)
{
    struct tally tally = tally_of(problem, problem->n % (size_t)problem->machine.nodes == 0);

    tally_alltoall(&tally, piece_words);
    return tally_end(&tally, cost);
}

static struct peal_estimate
estimate(const struct peal_problem *problem)
{
    double P = problem->machine.nodes, n = (double)problem->n;

    return (struct peal_estimate){P - 1, n * n / P};
}

const struct peal_application app_transpose_stripes = {
    .name        = "transpose-stripes",
    .summary     = "transposition of a matrix in stripes of rows: an all-to-all",
    TRANSPOSITION,
    .needs       = "",
    .run         = run,
    .cost        = cost,
    .closed_form = "(P−1)α + β(P−1)n²/P², on lines and rings (P−1)α + β⌊P²/4⌋n²/P²",
    .estimate    = estimate,
    .formula     = "(P−1)α + βn²/P",
    .differs     = "a node's own piece does not travel; links that are shared are not in the formula",
    .source      = "Tvrdík, PDP course, all-to-all scatter",
};
