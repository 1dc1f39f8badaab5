/* SPDX-License-Identifier: MIT */
/* Cannon's product of matrices: blocks of A travel left and blocks of B up, so that partners meet at every node.
 *
 *   before       node (i, j) of s × s has A(i, j) and B(i, j), blocks of an n × n matrix
 *   after        node (i, j) has C(i, j), C = A·B
 *   rounds       2 to skew and 2(s-1) to move on, s > 1
 *   cost         2sα + β(n²/P)(2(s-1) + 2k), where k messages share a link when skewing: 1, or ⌊s/2⌋ on mesh and torus;
 *                s need not divide n: the largest block counts
 *   space        3 blocks, and 2 for those that arrive
 *   operations   n³/P multiply-adds a node
 *   derivation   to skew, row i moves i to the left: a cyclic shift, of which min(i, s-i) share a link on a ring or a
 *                line; the worst is half way round.  Moving on is a shift by one, which shares none.  A and B take
 *                turns, for a node has one port.  Row 0 does not move, so the largest block that is skewed may be
 *                smaller than n²/P
 *   source       Cannon 1969; Grama et al. 2003, section 8.2.2, which has no congestion
 *
 *   s = 3: the blocks of A and B at each node
 *     before           skewed                 moved on once          moved on twice
 *     00,00 01,01 ..   00,00 01,11 02,22      01,10 02,21 00,02      02,20 00,01 01,12
 *     10,10 11,11 ..   11,10 12,21 10,02      12,20 10,01 11,12      10,00 11,11 12,22
 *     20,20 21,21 ..   22,20 20,01 21,12      20,00 21,11 22,22      21,10 22,21 20,02                      */
#include "kit.h"
#include <math.h>

void
cannon_multiply(const struct grid *grid, size_t n, int offset, int steps, struct moving *A, struct moving *B, double *C)
{
    int s = grid->rows, i = grid->row, j = grid->column, k = (i + j + offset) % s;
    size_t rows = part_size(n, s, i), columns = part_size(n, s, j);

    move_back(grid->in_row,    A, rows * part_size(n, s, j), rows * part_size(n, s, k), i + offset);
    move_back(grid->in_column, B, part_size(n, s, i) * columns, part_size(n, s, k) * columns, j + offset);
    for (int step = 0; step < steps; step++) {
        size_t inner = part_size(n, s, k), next = part_size(n, s, (k + 1) % s);

        multiply_add(grid->in_row, C, A->x, B->x, rows, inner, columns);     /* C(i,j) += A(i,k) B(k,j) */
        if (step < steps - 1) {
            move_back(grid->in_row,    A, rows * inner, rows * next, 1);
            move_back(grid->in_column, B, inner * columns, next * columns, 1);
        }
        k = (k + 1) % s;
    }
}

static void
run(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out)
{
    size_t n = problem->n;
    int s = square_root((size_t)peal_size(me));
    struct grid grid = grid_of(me, s, s);
    struct block mine = matrix_block(n, n, s, s, grid.row, grid.column);
    size_t most = part_size(n, s, 0) * part_size(n, s, 0);
    struct moving A = moving_of(me, most), B = moving_of(me, most);
    double *C = peal_alloc(me, most);

    block_take(in, n, mine, A.x);
    block_take((const double *)in + n * n, n, mine, B.x);
    cannon_multiply(&grid, n, 0, s, &A, &B, C);
    block_give(out, n, mine, C);
}

/* The skewing of one matrix: in row i of each layer every node moves i + offset. */
static void
add_skew(struct tally *tally, enum way way, int q, int layers)
{
    size_t n = tally->problem->n, load = 0, k, hops, most = 0, farthest = 0;

    for (int l = 0; l < layers; l++)
        for (int i = 0; i < q; i++) {
            int by = (i + l * (q / layers)) % q;

            if (by == 0)
                continue;
            way_shift(way, q, by, &k, &hops);
            load = larger(load, k * part_size(n, q, i) * part_size(n, q, 0));
            most = larger(most, k);
            farthest = larger(farthest, hops);
        }
    if (q > 1)
        tally_rounds(tally, 1, load, most, farthest);
}

void
cannon_tally(struct tally *tally, enum way row, enum way column, int q, int layers)
{
    size_t n = tally->problem->n, block = part_size(n, q, 0) * part_size(n, q, 0);
    int steps = q / layers;

    tally->known = tally->known && row != WAY_UNKNOWN && column != WAY_UNKNOWN;
    add_skew(tally, row, q, layers);
    add_skew(tally, column, q, layers);
    for (int step = 0; step < steps && tally->known; step++) {
        size_t operations = 0;

        for (int i = 0; i < q; i++)
            for (int j = 0; j < q; j++)
                for (int l = 0; l < layers; l++)
                    operations = larger(operations, part_size(n, q, i) * part_size(n, q, j)
                                                        * part_size(n, q, (i + j + l * steps + step) % q));
        tally_compute(tally, operations);
        if (step < steps - 1) {
            tally_shift(tally, row, q, q - 1, block);
            tally_shift(tally, column, q, q - 1, block);
        }
    }
}

static bool
cost(const struct peal_problem *problem, struct peal_cost *cost)
{
    int s = square_root((size_t)problem->machine.nodes), extents[2] = {s, s};
    struct tally tally = tally_of(problem, problem->n % (size_t)s == 0);

    cannon_tally(&tally, way_of(problem, extents, 2, 1), way_of(problem, extents, 2, 0), s, 1);
    return tally_end(&tally, cost);
}

static struct peal_estimate
estimate(const struct peal_problem *problem)
{
    double s = sqrt(problem->machine.nodes), n = (double)problem->n;

    return (struct peal_estimate){2 * s, 2 * n * n / s};
}

const struct peal_application app_cannon = {
    .name        = "cannon",
    .summary     = "product of matrices: blocks of A travel left, blocks of B up",
    PRODUCT_OF_MATRICES,
    .usual_nodes = 16,
    .needs       = "P = s·s",
    .fits        = need_square,
    .run         = run,
    .cost        = cost,
    .closed_form = "2sα + β(n²/P)(2(s−1) + 2k), k = 1, on mesh and torus ⌊s/2⌋; τ·n³/P",
    .estimate    = estimate,
    .formula     = "2√P·α + 2βn²/√P",
    .differs     = "Grama counts s moves of each matrix; skewing is one of them, and costs k times as much where links "
                   "are shared",
    .source      = "Cannon 1969; Grama et al. 2003, section 8.2.2",
};
