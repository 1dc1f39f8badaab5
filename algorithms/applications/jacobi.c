/* SPDX-License-Identifier: MIT */
/* Jacobi's iteration on a row of cells: every cell becomes the mean of its two neighbours, `steps` times.
 *
 *   before       node i has part i of n cells; beyond the ends all is 0
 *   after        node i has part i after `steps` steps
 *   rounds       2 for every w steps
 *   cost         2⌈steps/w⌉(α + βw), P > 1, w cells a halo; any P <= n/w
 *   space        2(n/P + 2w)
 *   operations   2 a cell and step; a halo of w computes up to w - 1 cells on either side twice
 *   derivation   halos go to the right, then to the left; the ends stay open.  With w cells of each neighbour a node
 *                can make w steps; the known range loses a cell on either side each time.  A shift by one shares no
 *                link
 *   source       derived here; wider halos: Demmel, Hoemmen, Mohiyuddin, Yelick 2008
 *
 *   P = 3, w = 2
 *     round 1    0 -> 1    1 -> 2         the last 2 cells
 *     round 2    1 -> 0    2 -> 1         the first 2 cells, then two steps                                 */
#include "kit.h"
#include <stdlib.h>

/* Cells from .. to-1 of y become the mean of their neighbours in x; 2 operations each.  The same code for all. */
static __attribute__((noinline)) void
relax(double *y, const double *x, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        y[i] = (x[i - 1] + x[i + 1]) / 2;
}

/* The cells that node r computes in a step, with `ahead` more on either side where there are cells. */
static void
range_of(const struct peal_problem *problem, int r, size_t ahead, size_t *from, size_t *to)
{
    size_t n = problem->n, first = part_first(n, problem->machine.nodes, r),
           end = first + part_size(n, problem->machine.nodes, r);

    *from = first > ahead ? first - ahead : 0;
    *to = smaller(end + ahead, n);
}

static void
run(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out)
{
    int r = peal_rank(me), left = r > 0 ? r - 1 : NOBODY, right = r + 1 < peal_size(me) ? r + 1 : NOBODY;
    size_t w = problem->parameter[1], first, end, from, to;

    range_of(problem, r, 0, &first, &end);
    size_t m = end - first, at = w + 1;                  /* cell i is at x[at + i - first] */
    double *x = peal_alloc(me, m + 2 * w + 2), *y = peal_alloc(me, m + 2 * w + 2);

    for (size_t i = first; i < end; i++)
        x[at + i - first] = ((const double *)in)[i];
    for (size_t step = 0; step < problem->parameter[0]; step++) {
        double *before = x;

        if (step % w == 0) {
            shift_open(me, x + at + m - w, w, right, x + at - w, w, left);        /* my last w cells */
            shift_open(me, x + at, w, left, x + at + m, w, right);                /* my first w cells */
        }
        range_of(problem, r, w - 1 - step % w, &from, &to);
        relax(y, x, at + from - first, at + to - first);
        peal_compute(me, 2 * (int64_t)(to - from));
        x = y;
        y = before;
    }
    for (size_t i = first; i < end; i++)
        ((double *)out)[i] = x[at + i - first];
}

static enum peal_status
fits(const struct peal_problem *problem, struct peal_error *error)
{
    size_t P = (size_t)problem->machine.nodes, least;

    if (P == 1 || problem->n / P >= problem->parameter[1])
        return PEAL_OK;
    if (__builtin_mul_overflow(P, problem->parameter[1], &least))
        least = SIZE_MAX;
    return peal_refuse(error, PEAL_USAGE,
                       "n = %zu cells on %zu nodes are less than a halo of %zu each; n = %zu and more fits", problem->n,
                       P, problem->parameter[1], least);
}

static bool
words(const struct peal_problem *problem, size_t *in, size_t *out)
{
    return problem->n < SIZE_MAX / 32 && problem->parameter[1] < SIZE_MAX / 64 && count_words(problem->n, 1, 1, in)
           && count_words(problem->n, 1, 1, out);
}

static void
make(const struct peal_problem *problem, void *in)
{
    make_reals(problem->seed, in, problem->n);
}

static bool
reference(const struct peal_problem *problem, const void *in, void *out)
{
    size_t n = problem->n;
    double *cells = calloc(2 * (n + 2), sizeof *cells), *x = cells, *y = cells + n + 2;

    if (cells == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        x[i + 1] = ((const double *)in)[i];
    for (size_t step = 0; step < problem->parameter[0]; step++) {
        double *before = x;

        relax(y, x, 1, n + 1);
        x = y;
        y = before;
    }
    for (size_t i = 0; i < n; i++)
        ((double *)out)[i] = x[i + 1];
    free(cells);
    return true;
}

static bool
cost(const struct peal_problem *problem, struct peal_cost *cost)
{
    size_t steps = problem->parameter[0], w = problem->parameter[1];
    struct tally tally = tally_of(problem, true);

    for (size_t step = 0; step < steps; step += w) {
        size_t most = 0;

        tally_chain(&tally, 2, w);
        for (int r = 0; r < problem->machine.nodes; r++) {
            size_t operations = 0, from, to;

            for (size_t s = step; s < steps && s < step + w; s++) {
                range_of(problem, r, w - 1 - s % w, &from, &to);
                operations += 2 * (to - from);
            }
            most = larger(most, operations);
        }
        tally_compute(&tally, most);
    }
    return tally_end(&tally, cost);
}

static struct peal_estimate
estimate(const struct peal_problem *problem)
{
    double w = (double)problem->parameter[1], steps = (double)problem->parameter[0];

    return (struct peal_estimate){2 * steps / w, 2 * steps};
}

const struct peal_application app_jacobi = {
    .name        = "jacobi",
    .summary     = "Jacobi's iteration on a row of cells, with halos of w cells",
    .size        = "cells",
    .usual_size  = 1000,
    .parameters  = {{"steps", "steps of the iteration", 10, 0},
                    {"halo", "w, cells of a neighbour that are kept, good for w steps", 1, 1}},
    .needs       = "n >= wP",
    .fits        = fits,
    .words       = words,
    .make        = make,
    .run         = run,
    .reference   = reference,
    .compared    = SAME_OPERATIONS,
    .cost        = cost,
    .closed_form = "2⌈steps/w⌉(α + βw); τ·2 a cell and step, halos included",
    .estimate    = estimate,
    .formula     = "steps/w · 2(α + βw)",
    .differs     = "the last halo is got whole, even where w does not divide the steps; one node alone has no "
                   "neighbours",
    .operations  = "an addition or division of a cell's mean, 2 a cell",
    .source      = "derived here; Demmel et al. 2008 (wider halos)",
};
