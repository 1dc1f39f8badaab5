/* SPDX-License-Identifier: MIT */
/* The 2.5-D product of matrices: c copies of A and B, each layer does q/c of Cannon's steps, and the layers' sums are
 * added.
 *
 *   before       node (0, i, j) of c × q × q has A(i, j) and B(i, j)
 *   after        node (0, i, j) has C(i, j), C = A·B
 *   rounds       2⌈log₂c⌉ to copy, 2 to skew, 2(q/c - 1) to move on, ⌈log₂c⌉ to add
 *   cost         (3⌈log₂c⌉ + 2q/c)α + β(cn²/P)(3⌈log₂c⌉ + 2(q/c-1) + 2k), k = 1, on mesh and torus ⌊q/2⌋
 *   space        3 blocks of cn²/P words, c times as much as Cannon
 *   operations   n³/P multiply-adds a node; the additions of the last sum are not counted
 *   derivation   layer l begins Cannon's q steps at step l·q/c: its offset.  The layers together do all steps once.  As
 *                c divides q, some row of some layer is skewed half way round
 *   source       Solomonik, Demmel 2011 (UCB/EECS-2011-72)
 *
 *   P = 8 = 2·2·2: the one product of each node
 *     layer 0   A00·B00  A01·B11        layer 1   A01·B10  A00·B01
 *               A11·B10  A10·B01                  A10·B00  A11·B11                                           */
#include "kit.h"
#include <math.h>

/* P = c·q·q with c dividing q, so c³ <= P: for the given c, or for 0 the largest; 0 when there is none. */
static int
copies_of(int P, size_t given, int *q)
{
    int most = (int)cbrt((double)P) + 1;

    *q = 1;
    for (int c = most; c >= 1; c--) {
        *q = square_root((size_t)(P / c));
        if ((given == 0 || given == (size_t)c) && c * *q * *q == P && *q % c == 0)
            return c;
    }
    return 0;
}

static void
run(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out)
{
    size_t n = problem->n;
    int q, c = copies_of(peal_size(me), problem->parameter[0], &q), l = peal_rank(me) / (q * q);
    struct peal_node *layer = peal_split(me, l, peal_rank(me)), *copies = peal_split(me, peal_rank(me) % (q * q), l);
    struct grid grid = grid_of(layer, q, q);
    struct block mine = matrix_block(n, n, q, q, grid.row, grid.column);
    size_t most = part_size(n, q, 0) * part_size(n, q, 0), words = mine.rows * mine.columns;
    struct moving A = moving_of(me, most), B = moving_of(me, most);
    double *C = peal_alloc(me, most);

    if (l == 0) {
        block_take(in, n, mine, A.x);
        block_take((const double *)in + n * n, n, mine, B.x);
    }
    peal_broadcast_by(copies, "binomial", A.x, words, 0);
    peal_broadcast_by(copies, "binomial", B.x, words, 0);
    cannon_multiply(&grid, n, l * (q / c), q / c, &A, &B, C);
    peal_reduce_by(copies, "binomial", PEAL_SUM_DOUBLE, C, words, 0);
    if (l == 0)
        block_give(out, n, mine, C);
}

/* With c = 0 squares fit, if nothing larger does; with another, P = c³t² for every t. */
static enum peal_status
fits(const struct peal_problem *problem, struct peal_error *error)
{
    int P = problem->machine.nodes, q, t, below, above;
    size_t c = problem->parameter[0], cube = c * c * c;

    if (copies_of(P, c, &q) > 0)
        return PEAL_OK;
    if (c > 256)
        return peal_refuse(error, PEAL_USAGE, "copies=%zu: so many need more nodes than a machine has; 1 to 256 fit",
                           c);
    if (c == 0) {
        for (below = P; copies_of(below, c, &q) == 0;)
            below--;
        for (above = P; copies_of(above, c, &q) == 0;)
            above++;
        return peal_refuse(error, PEAL_USAGE, "%d nodes are not c·q·q with c dividing q; P = %d and %d fit", P, below,
                           above);
    }
    t = square_root((size_t)P / cube);
    below = (int)cube * (t > 0 ? t * t : 1);
    above = (int)cube * (t + 1) * (t + 1);
    if (below == above)
        above = 4 * below;
    return peal_refuse(error, PEAL_USAGE, "%d nodes are not c·q·q with c = %zu dividing q; P = %d and %d fit", P, c,
                       below, above);
}

static bool
cost(const struct peal_problem *problem, struct peal_cost *cost)
{
    int q, c = copies_of(problem->machine.nodes, problem->parameter[0], &q), extents[3] = {c, q, q};
    size_t n = problem->n, block = part_size(n, q, 0) * part_size(n, q, 0);
    enum way copies = way_of(problem, extents, 3, 0);
    struct tally tally = tally_of(problem, n % (size_t)q == 0);

    tally_lines(&tally, copies, c, PEAL_BROADCAST, "binomial", block, 0);
    tally_lines(&tally, copies, c, PEAL_BROADCAST, "binomial", block, 0);
    cannon_tally(&tally, way_of(problem, extents, 3, 2), way_of(problem, extents, 3, 1), q, c);
    tally_lines(&tally, copies, c, PEAL_REDUCE, "binomial", block, 0);
    return tally_end(&tally, cost);
}

static struct peal_estimate
estimate(const struct peal_problem *problem)
{
    int q, copies = copies_of(problem->machine.nodes, problem->parameter[0], &q);
    double c = copies, P = problem->machine.nodes, n = (double)problem->n, block = c * n * n / P;

    return (struct peal_estimate){3 * log2(c) + 2 * sqrt(P / (c * c * c)),
                                  3 * log2(c) * block + 2 * n * n / sqrt(c * P)};
}

const struct peal_application app_cannon_25d = {
    .name        = "cannon-2.5d",
    .summary     = "product of matrices: c copies of A and B each do part of Cannon's steps",
    PRODUCT_OF_MATRICES,
    .parameters  = {{"copies", "c, how often A and B are there; 0: as often as P allows", 0, 0}},
    .needs       = "P = c·q·q, c divides q",
    .fits        = fits,
    .run         = run,
    .cost        = cost,
    .closed_form = "(3⌈log₂c⌉ + 2q/c)α + β(cn²/P)(3⌈log₂c⌉ + 2(q/c−1) + 2k), k = 1, on mesh and torus ⌊q/2⌋; τ·n³/P; "
                   "c copies, q = √(P/c)",
    .estimate    = estimate,
    .formula     = "3log₂c(α + βcn²/P) + 2√(P/c³)α + 2βn²/√(cP), c copies",
    .differs     = "logarithms round up, and skewing, one of the q/c moves, costs k times as much where links are "
                   "shared",
    .source      = "Solomonik, Demmel 2011 (UCB/EECS-2011-72)",
};
