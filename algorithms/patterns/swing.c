/* SPDX-License-Identifier: MIT */
/* Swing.
 *
 * In the all-gather every node holds H, at first its own block; in a step it sends the blocks that its partner lacks.
 * Relative to their ranks, all even ranks hold the same, and odd ranks the mirror image: if node 0 holds H, its partner
 * p, odd, holds p - H.  So node 0 receives p - y for the y in H with p - y not in H, and one list serves all nodes.
 * For P = 2^q step s moves P/2^(s+1) blocks; for any other even P as many as are missing, P-1 in all, since nothing
 * comes twice.
 *
 * Source: De Sensi et al., NSDI 2024, arXiv 2401.09356; the sets for even P that is not a power of two are Peal's own,
 * by simulation of H. */
#include "swing.h"

int
swing_distance(int nodes, int step)
{
    int64_t power = INT64_C(1) << (step + 1), rho = (1 - (step % 2 == 0 ? -power : power)) / 3;

    return (int)((rho % nodes + nodes) % nodes);
}

int
swing_partner(int nodes, int rank, int step)
{
    int distance = swing_distance(nodes, step);

    return rank % 2 == 0 ? (rank + distance) % nodes : (rank - distance + nodes) % nodes;
}

void
swing_init(struct swing *swing, int nodes, int *joined, int *marks)
{
    int held = 1;

    *swing = (struct swing){.nodes = nodes, .steps = ceiling_log2(nodes), .joined = joined};
    for (int i = 0; i < nodes; i++)
        marks[i] = 0;
    joined[0] = 0;
    marks[0] = 1;
    for (int s = swing->steps - 1; s >= 0; s--) {
        int partner = swing_partner(nodes, 0, s), before = held;

        for (int i = 0; i < before; i++) {
            int block = (partner - joined[i] + nodes) % nodes;
            if (!marks[block])
                joined[held++] = block;
        }
        for (int i = before; i < held; i++)
            marks[joined[i]] = 1;
        swing->begin[s] = before;
        swing->count[s] = held - before;
    }
}

void
swing_blocks(const struct peal_node *me, const struct swing *swing, int rank, int step, const void *x,
             const struct peal_blocks *blocks, struct peal_piece *pieces)
{
    const int *joined = swing->joined + swing->begin[step];

    for (int i = 0; i < swing->count[step]; i++)
        pieces[i] = block_of(me, x, blocks, rank % 2 == 0 ? rank + joined[i] : rank - joined[i]);
}

/* ------------------------------------------------------------------ closed forms
 *
 * Of a cyclic shift by `by` the even ranks take part, of that by -by the odd ones.  P and the rows are even.
 *   In a row (the fastest dimension) even ranks move by the digit, odd ones back by it: d hops the shorter way.  On a
 * ring no more than ⌈d/2⌉ of those that go one way are within d nodes behind a link, unless d is half the ring: then
 * all go up.  On a line those for whom the end is in the way go back: if even ranks go up, the odd ones of the first d
 * nodes, ⌊d/2⌋ of them, all over a link in the middle beside ⌈d/2⌉ even ones; if they go down, the even ones of the
 * first d, ⌈d/2⌉, beside as many odd ones.  Links of either parity are in the middle unless d is half the row, where
 * that of the first case is.
 *   In a slower dimension a line's nodes are all of one parity in the row, so a line sees a whole shift, by the digit
 * or by one more with a carry: even ranks have a carry out of the row if the digit is 2 or more.
 *   On a hypercube under e-cube two messages on a link of dimension i > 0 agree in bit 0 of the receivers, hence in
 * that of the senders, and belong to one shift (see closed_add_ring); in dimension 0 they have one sender. */

static int
row_load(int extent, int digit, bool closed)
{
    bool up = digit <= extent / 2;
    int d = up ? digit : extent - digit;

    if (closed && extent > 2)
        return 2 * d == extent ? d : (d + 1) / 2;
    return up || d % 2 == 0 ? d : d + 1;
}

/* The dimension whose neighbours are also neighbours in rank. */
static int
row_of(const struct shape *shape)
{
    int d = shape->dimensions - 1;

    while (d > 0 && shape->extent[d] == 1)
        d--;
    return d;
}

/* The largest load of a slower dimension: shifts by the digit, or by one more. */
static int
column_load(const struct shape *shape, int d, int by)
{
    int extent = shape->extent[d], digit = by / shape->stride[d] % extent, most = 0;

    for (int carry = 0; carry <= (by % shape->stride[d] > 1); carry++) {
        int move = (digit + carry) % extent, fewer = move < extent - move ? move : extent - move;

        most = fewer > most ? fewer : most;
    }
    return most;
}

void
swing_closed_shift(struct closed *sum, int by, int64_t words)
{
    const struct shape *shape = &sum->shape;
    int row = row_of(shape);
    int64_t k = 1;

    if (!sum->known || shape->kind == SHAPE_OTHER) {     /* there may be no row */
        sum->known = false;
        return;
    }
    if (shape->kind != SHAPE_FULL && shape->extent[row] % 2 != 0)
        sum->known = false;
    for (int d = 0; d < shape->dimensions && sum->known && shape->kind != SHAPE_HYPERCUBE; d++) {
        int extent = shape->extent[d];
        int load = d == row ? row_load(extent, by % extent, shape->closed[d]) : column_load(shape, d, by);

        k = load > k ? load : k;
    }
    if (sum->known)
        closed_add_shared(sum, words, k, shape_even_shift_hops(shape, by), 0);
}

void
swing_closed_blocks(struct closed *sum, int64_t m)
{
    int P = sum->shape.nodes, q = ceiling_log2(P);

    if (P == 1)
        return;
    if (sum->shape.kind == SHAPE_FULL) {                 /* all rounds together: P-1 blocks */
        closed_add_same(sum, 1, closed_product(sum, m, P - 1), 1);
        closed_add_same(sum, q - 1, 0, 1);
        return;
    }
    if ((P & (P - 1)) != 0)
        sum->known = false;
    for (int s = 0; s < q; s++)
        swing_closed_shift(sum, swing_distance(P, s), closed_product(sum, m, P >> (s + 1)));
}

/* ------------------------------------------------------------------ the closed forms as text
 *
 * |ρ_s| = (2^(s+1) + (-1)^s)/3 add up to ⌊2P/3⌋. A ring's link carries (|ρ_s|+1)/2, a line's |ρ_s| or, for odd s, one
 * more, each with P/2^(s+1) blocks. On a line even ranks that wrap go P-|ρ_s| in all steps but the first. On a
 * hypercube a step but the first changes up to all q bits. */

const struct peal_closed_text swing_block_texts[] = {
    {.on = "full", .alpha = "α⌈log₂P⌉", .beta = "βm(P−1)", .near = true},
    {.on = "ring", .alpha = "αq", .beta = "βm(3Pq+10P−9−(−1)^q)/18", .hop = "t_d⌊2P/3⌋", .names = "q = log₂P"},
    {.on = "line", .alpha = "αq", .beta = "βm(6Pq+8P−9+(−1)^q)/18", .hop = "t_d(2+P(q−1)−⌊2P/3⌋)",
     .names = "q = log₂P"},
    {.on = "hypercube", .alpha = "αq", .beta = "βm(P−1)", .hop = "t_d(1+q(q−1))", .stored = "βm(P/2+q(P/2−1))",
     .names = "q = log₂P"},
    {0},
};
