/* SPDX-License-Identifier: MIT */
/* Fast Fourier transform by transposition: n points as a matrix, transforms of its columns, one all-to-all, of its
 * rows.
 *
 *   before       node i has columns part(i) of the n₁ × n₂ matrix x, row by row; n = n₁·n₂ = 2^q, n₁ = n₂ or 2n₂
 *   after        node i has rows part(i) of y, and X[k₁ + n₁k₂] = y(k₁, k₂)
 *   rounds       P-1
 *   cost         (P-1)α + 2β(P-1)n/P² where no links are shared, on lines and rings (P-1)α + 2β⌊P²/4⌋n/P²; a point is 2
 *                words
 *   space        4n/P points
 *   operations   (n/2P)log₂n butterflies and n/P twiddle factors a node
 *   derivation   X[k₁ + n₁k₂] = Σ over j₂ of w^(j₂k₁)·(Σ over j₁ of x[j₁n₂ + j₂]·w₁^(j₁k₁))·w₂^(j₂k₂): inner sums are
 *                columns, outer ones rows.  From node r to s go its columns' points of the rows of s: part(r)·part(s)
 *   source       Grama et al. 2003, section 13.3
 *
 *   n = 8 on P = 2: 4 rows of 2
 *     before     node 0: x0 x2 x4 x6    node 1: x1 x3 x5 x7
 *     round 1    each sends 2 points to the other
 *     after      node 0: X0 X4, X1 X5   node 1: X2 X6, X3 X7                                                */
#include "kit.h"
#include <complex.h>
#include <float.h>
#include <math.h>

/* w^e for the first n-th root of unity. */
static double complex
root(size_t n, size_t e)
{
    double angle = -2 * acos(-1.0) * (double)(e % n) / (double)n;

    return cos(angle) + sin(angle) * I;
}

/* Transform n = 2^q points in place: bit reversal, then butterflies.  Returns how many. */
static size_t
transform(double complex *x, size_t n)
{
    size_t butterflies = 0;

    for (size_t i = 0, j = 0; i < n; i++) {              /* j is i with its bits reversed */
        if (i < j) {
            double complex t = x[i];
            x[i] = x[j];
            x[j] = t;
        }
        for (size_t bit = n >> 1; bit > 0 && ((j ^= bit) & bit) == 0; bit >>= 1)
            ;
    }
    for (size_t length = 2; length <= n; length <<= 1)
        for (size_t k = 0; k < length / 2; k++) {
            double complex w = root(length, k);

            for (size_t i = k; i < n; i += length, butterflies++) {
                double complex t = w * x[i + length / 2];

                x[i + length / 2] = x[i] - t;
                x[i] += t;
            }
        }
    return butterflies;
}

static size_t
rows_of(size_t n)
{
    return (size_t)1 << (log2_up(n) + 1) / 2;
}

static void
run(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    size_t n = problem->n, n1 = rows_of(n), n2 = n / n1, operations = 0;
    size_t first = part_first(n2, P, r), columns = part_size(n2, P, r), rows = part_size(n1, P, r);
    double complex *x = peal_alloc(me, 2 * n1), *y = peal_alloc(me, 2 * rows * n2);
    double complex *sent = peal_alloc(me, 2 * n1 * columns), *received = peal_alloc(me, 2 * rows * n2);
    size_t *leaving = peal_alloc(me, (size_t)P), *coming = peal_alloc(me, (size_t)P);

    for (size_t c = 0; c < columns; c++) {               /* the columns, into bundles for the nodes: row by row */
        for (size_t j = 0; j < n1; j++)
            x[j] = ((const double complex *)in)[j * n2 + first + c];
        operations += transform(x, n1) + n1;
        for (size_t k = 0; k < n1; k++)
            sent[k * columns + c] = x[k] * root(n, (first + c) * k);
    }
    peal_compute(me, (int64_t)operations);
    for (int s = 0; s < P; s++) {
        leaving[s] = 2 * part_size(n1, P, s) * columns;
        coming[s] = 2 * rows * part_size(n2, P, s);
    }
    peal_alltoallv_by(me, "shift", sent, leaving, received, coming);
    operations = 0;
    for (size_t k = 0; k < rows; k++) {                  /* the rows, from what every node sent of them */
        for (int s = 0; s < P; s++)
            for (size_t c = 0; c < part_size(n2, P, s); c++)
                y[k * n2 + part_first(n2, P, s) + c] =
                    received[rows * part_first(n2, P, s) + k * part_size(n2, P, s) + c];
        operations += transform(y + k * n2, n2);
        for (size_t l = 0; l < n2; l++)
            ((double complex *)out)[part_first(n1, P, r) + k + n1 * l] = y[k * n2 + l];
    }
    peal_compute(me, (int64_t)operations);
}

static enum peal_status
fits(const struct peal_problem *problem, struct peal_error *error)
{
    size_t n = problem->n, power = (size_t)1 << log2_up(n);

    if (n == power && n <= SIZE_MAX / 256)
        return PEAL_OK;
    if (n > SIZE_MAX / 256)
        return peal_refuse(error, PEAL_USAGE, "n = %zu points are too many to count", n);
    return peal_refuse(error, PEAL_USAGE, "n = %zu is not a power of two; n = %zu and %zu fit", n,
                       n > 1 ? power / 2 : 1, n > 1 ? power : 2);
}

static bool
words(const struct peal_problem *problem, size_t *in, size_t *out)
{
    return count_words(problem->n, 2, 1, in) && count_words(problem->n, 2, 1, out);
}

static void
make(const struct peal_problem *problem, void *in)
{
    make_reals(problem->seed, in, 2 * problem->n);
}

static bool
reference(const struct peal_problem *problem, const void *in, void *out)
{
    for (size_t i = 0; i < problem->n; i++)
        ((double complex *)out)[i] = ((const double complex *)in)[i];
    transform(out, problem->n);
    return true;
}

static double
bound(const struct peal_problem *problem, const void *in, const void *expected)
{
    double squares = 0;

    (void)expected;
    for (size_t i = 0; i < 2 * problem->n; i++)
        squares += ((const double *)in)[i] * ((const double *)in)[i];
    return 16 * DBL_EPSILON * (1 + log2_up(problem->n)) * sqrt((double)problem->n * squares);
}

static size_t
piece_words(const struct peal_problem *problem, int from, int to)
{
    size_t n1 = rows_of(problem->n);
    int P = problem->machine.nodes;

    return 2 * part_size(problem->n / n1, P, from) * part_size(n1, P, to);
}

static bool
cost(const struct peal_problem *problem, struct peal_cost *cost)
{
    size_t P = (size_t)problem->machine.nodes, n1 = rows_of(problem->n), n2 = problem->n / n1;
    struct tally tally = tally_of(problem, n1 % P == 0 && n2 % P == 0);

    tally_compute(&tally, part_size(n2, (int)P, 0) * (n1 / 2 * (size_t)log2_up(n1) + n1));
    tally_alltoall(&tally, piece_words);
    tally_compute(&tally, part_size(n1, (int)P, 0) * (n2 / 2 * (size_t)log2_up(n2)));
    return tally_end(&tally, cost);
}

static struct peal_estimate
estimate(const struct peal_problem *problem)
{
    double P = problem->machine.nodes;

    return (struct peal_estimate){P - 1, 2 * (double)problem->n / P};
}

const struct peal_application app_fft = {
    .name        = "fft",
    .summary     = "fast Fourier transform: columns, one all-to-all, rows",
    .size        = "points, each a complex number of 2 words",
    .usual_size  = 1024,
    .needs       = "n = 2^q",
    .fits        = fits,
    .words       = words,
    .make        = make,
    .run         = run,
    .reference   = reference,
    .bound       = bound,
    .compared    = "within 16ε(1 + log₂n)·√n·‖x‖: each of log₂n levels of butterflies rounds by a few ε of the "
                   "largest |X| there can be, on both sides",
    .cost        = cost,
    .closed_form = "(P−1)α + 2β(P−1)n/P², on lines and rings (P−1)α + 2β⌊P²/4⌋n/P²; τ·((n/2P)log₂n + n/P)",
    .estimate    = estimate,
    .formula     = "(P−1)α + βn/P in points, so 2βn/P",
    .differs     = "a node's own piece does not travel; unequal pieces and links that are shared are not in the "
                   "formula",
    .operations  = "a multiplication of complex numbers: a butterfly, a twiddle factor",
    .source      = "Grama et al. 2003, section 13.3",
};
