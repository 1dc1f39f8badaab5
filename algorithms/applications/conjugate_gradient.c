/* SPDX-License-Identifier: MIT */
/* Conjugate gradients for the five-point Laplacian on n × n cells in strips of rows: A·x = b after `steps` steps from x
 * = 0.
 *
 *   before       node i has rows part(i) of b
 *   after        node i has them of x
 *   rounds       a step: 2 for the halo and 2 all-reduces; one all-reduce before the first step
 *   cost         steps(2(α + βn) + 2q(α + β)) + q(α + β), q = log₂P rounds an all-reduce, ⌊log₂P⌋ + 2 if P is not a
 *                power of two; on a line of 2^q nodes an all-reduce takes qα + (P-1)β; any P <= n, P > 1
 *   space        4(n/P + 2)(n + 2)
 *   operations   10 a cell and step: 5 for A·p, 2 for two dot products, 3 for three sums of vectors; and 1 a cell at
 *                first
 *   derivation   all-reduce is recursive-doubling, of one word; all nodes end it in the same round.  One step needs
 *                pᵀAp before it can move, and rᵀr before the next direction
 *   source       Hestenes, Stiefel 1952
 *
 *   P = 2
 *     round 1    rᵀr: 0 <-> 1
 *     a step     halo 0 -> 1, then 1 -> 0;  pᵀAp 0 <-> 1;  rᵀr 0 <-> 1                                       */
#include "kit.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Operations a cell: A·p takes 4 subtractions and a multiplication; a product of vectors, and a vector plus a multiple
 * of another, a multiply-add. */
enum { PRODUCT = 5, DOT = 1, SUM = 1 };

/* The strips of a node, each of rows × n cells with its frame. */
struct cg_vectors {
    double *x, *r, *p, *q;
    size_t rows, n;
};

/* Σ a·b over the cells of this node. */
static double
dot(const struct cg_vectors *v, const double *a, const double *b)
{
    double sum = 0;

    for (size_t i = 1; i <= v->rows; i++)
        for (size_t j = 1; j <= v->n; j++)
            sum += a[i * (v->n + 2) + j] * b[i * (v->n + 2) + j];
    return sum;
}

/* a = b + factor · c */
static void
set_sum(const struct cg_vectors *v, double *a, const double *b, double factor, const double *c)
{
    for (size_t i = 1; i <= v->rows; i++)
        for (size_t j = 1; j <= v->n; j++)
            a[i * (v->n + 2) + j] = b[i * (v->n + 2) + j] + factor * c[i * (v->n + 2) + j];
}

/* The sum over all nodes; alone, for the reference, me is NULL. */
static double
sum_of_all(struct peal_node *me, double sum, size_t operations)
{
    if (me != NULL) {
        peal_compute(me, (int64_t)operations);
        peal_allreduce_by(me, "recursive-doubling", PEAL_SUM_DOUBLE, &sum, 1);
    }
    return sum;
}

static void
iterate(struct peal_node *me, struct cg_vectors *v, size_t steps)
{
    size_t cells = v->rows * v->n;
    double rho = sum_of_all(me, dot(v, v->r, v->r), DOT * cells);

    set_sum(v, v->p, v->r, 0, v->r);
    for (size_t step = 0; step < steps; step++) {
        if (me != NULL)
            swap_rows(me, v->p, v->rows, v->n);
        five_point(v->q, v->p, v->rows, v->n, true);                                     /* q = A p */
        double curvature = sum_of_all(me, dot(v, v->p, v->q), (PRODUCT + DOT) * cells);
        double alpha = curvature > 0 ? rho / curvature : 0;                              /* 0: x is the solution */
        set_sum(v, v->x, v->x, alpha, v->p);
        set_sum(v, v->r, v->r, -alpha, v->q);
        double before = rho;
        rho = sum_of_all(me, dot(v, v->r, v->r), (2 * SUM + DOT) * cells);
        set_sum(v, v->p, v->r, before > 0 ? rho / before : 0, v->p);
        if (me != NULL)
            peal_compute(me, (int64_t)(SUM * cells));
    }
}

static void
run(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out)
{
    size_t n = problem->n;
    struct block mine = matrix_block(n, n, peal_size(me), 1, peal_rank(me), 0);
    size_t framed = (mine.rows + 2) * (n + 2);
    struct cg_vectors v = {peal_alloc(me, framed), peal_alloc(me, framed), peal_alloc(me, framed),
                           peal_alloc(me, framed), mine.rows, n};

    framed_take(in, n, mine, v.r);                                                       /* r = b - A·0 */
    iterate(me, &v, problem->parameter[0]);
    framed_give(out, n, mine, v.x);
}

static bool
reference(const struct peal_problem *problem, const void *in, void *out)
{
    size_t n = problem->n, framed = (n + 2) * (n + 2);
    double *cells = calloc(4 * framed, sizeof *cells);
    struct cg_vectors v = {cells, cells + framed, cells + 2 * framed, cells + 3 * framed, n, n};
    struct block all = {0, 0, n, n};

    if (cells == NULL)
        return false;
    framed_take(in, n, all, v.r);
    iterate(NULL, &v, problem->parameter[0]);
    framed_give(out, n, all, v.x);
    free(cells);
    return true;
}

static double
bound(const struct peal_problem *problem, const void *in, const void *expected)
{
    double n = (double)problem->n, largest = 0;

    (void)in;
    for (size_t i = 0; i < problem->n * problem->n; i++)
        largest = fmax(largest, fabs(((const double *)expected)[i]));
    return 4 * n * n * DBL_EPSILON * (double)problem->parameter[0] * largest;
}

static enum peal_status
fits(const struct peal_problem *problem, struct peal_error *error)
{
    return need_rows(problem, problem->machine.nodes, error);
}

static bool
cost(const struct peal_problem *problem, struct peal_cost *cost)
{
    size_t n = problem->n, steps = problem->parameter[0], cells;
    int P = problem->machine.nodes;
    struct tally tally = tally_of(problem, true);

    cells = part_size(n, P, 0) * n;
    tally_compute(&tally, DOT * cells);
    tally_all(&tally, PEAL_ALLREDUCE, "recursive-doubling", 1, 0);
    for (size_t step = 0; step < steps && tally.known; step++) {
        tally_chain(&tally, 2, n);
        tally_all(&tally, PEAL_ALLREDUCE, "recursive-doubling", 1, 0);
        tally_all(&tally, PEAL_ALLREDUCE, "recursive-doubling", 1, 0);
        tally_compute(&tally, (PRODUCT + 2 * DOT + 3 * SUM) * cells);
    }
    return tally_end(&tally, cost);
}

static struct peal_estimate
estimate(const struct peal_problem *problem)
{
    double n = (double)problem->n, steps = (double)problem->parameter[0], lg = log2(problem->machine.nodes);

    return (struct peal_estimate){steps * (2 + 2 * lg), steps * (2 * n + 2 * lg)};
}

const struct peal_application app_conjugate_gradient = {
    .name        = "conjugate-gradient",
    .summary     = "conjugate gradients for the five-point Laplacian in strips of rows",
    .size        = "rows and columns of cells",
    .usual_size  = 48,
    .parameters  = {{"steps", "steps of the iteration", 10, 0}},
    .needs       = "n >= P",
    .fits        = fits,
    .words       = cells_words,
    .make        = cells_make,
    .run         = run,
    .reference   = reference,
    .bound       = bound,
    .compared    = "within 4n²ε·steps·max|x|: sums of n² terms in another order differ by at most n²ε of their "
                   "size, and each step uses two",
    .cost        = cost,
    .closed_form = "steps(2(α + βn) + 2q(α + β)) + q(α + β), q = log₂P, or ⌊log₂P⌋ + 2; τ·10 a cell and step, and 1",
    .estimate    = estimate,
    .formula     = "steps(2(α + βn) + 2log₂P(α + β))",
    .differs     = "the formula leaves out the all-reduce before the first step; an all-reduce takes ⌊log₂P⌋ + 2 "
                   "rounds where P is not a power of two, and shares links on a line",
    .operations  = "5 a cell for A·p, a multiply-add a cell for each dot product and sum of vectors",
    .source      = "Hestenes, Stiefel 1952",
};
