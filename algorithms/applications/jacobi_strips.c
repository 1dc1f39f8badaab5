/* SPDX-License-Identifier: MIT */
/* Jacobi's iteration on n × n cells in strips of rows: every cell becomes the mean of its four neighbours, `steps`
 * times.
 *
 *   before       node i has rows part(i); beyond the edges all is 0
 *   after        node i has them after `steps` steps
 *   rounds       2 a step
 *   cost         2(α + βn) a step, P > 1; any P <= n
 *   space        2(n/P + 2)(n + 2)
 *   operations   4 a cell and step
 *   derivation   the last row goes to the node below, the first to the one above; a shift by one with open ends shares
 *                no link.  Rows are equally long, however many a node has
 *   source       derived here: neighbours exchange the cells that the next step needs
 *
 *   P = 3
 *     round 1    0 -> 1    1 -> 2         last rows, downwards
 *     round 2    1 -> 0    2 -> 1         first rows, upwards                                               */
#include "kit.h"

static void
run(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out)
{
    size_t n = problem->n;
    struct block mine = matrix_block(n, n, peal_size(me), 1, peal_rank(me), 0);
    double *x = peal_alloc(me, (mine.rows + 2) * (n + 2)), *y = peal_alloc(me, (mine.rows + 2) * (n + 2));

    framed_take(in, n, mine, x);
    for (size_t step = 0; step < problem->parameter[0]; step++) {
        double *before = x;

        swap_rows(me, x, mine.rows, n);
        five_point(y, x, mine.rows, n, false);
        peal_compute(me, 4 * (int64_t)(mine.rows * n));
        x = y;
        y = before;
    }
    framed_give(out, n, mine, x);
}

static enum peal_status
fits(const struct peal_problem *problem, struct peal_error *error)
{
    return need_rows(problem, problem->machine.nodes, error);
}

static bool
cost(const struct peal_problem *problem, struct peal_cost *cost)
{
    size_t n = problem->n, steps = problem->parameter[0];
    int P = problem->machine.nodes;
    struct tally tally = tally_of(problem, true);

    tally_chain(&tally, 2 * steps, n);
    tally_compute(&tally, steps * 4 * part_size(n, P, 0) * n);
    return tally_end(&tally, cost);
}

static struct peal_estimate
estimate(const struct peal_problem *problem)
{
    double steps = (double)problem->parameter[0];

    return (struct peal_estimate){2 * steps, 2 * steps * (double)problem->n};
}

const struct peal_application app_jacobi_strips = {
    .name        = "jacobi-strips",
    .summary     = "Jacobi's iteration on n × n cells in strips of rows",
    JACOBI_ON_A_SQUARE,
    .needs       = "n >= P",
    .fits        = fits,
    .run         = run,
    .cost        = cost,
    .closed_form = "steps · 2(α + βn); τ·4 a cell and step",
    .estimate    = estimate,
    .formula     = "steps · 2(α + βn)",
    .differs     = "one node alone has no neighbours",
    .source      = "derived here: neighbours exchange what the next step needs",
};
