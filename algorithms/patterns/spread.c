/* SPDX-License-Identifier: MIT */
/* Trees for whole vectors, and their cost.
 *
 * Ring-optimal.  Positions 0 .. ⌈z/2⌉-1 are a line with the source at its end, and z-1, z-2, .. down to ⌈z/2⌉ another.
 * After i rounds of halving the longest piece has ⌈⌈z/2⌉/2^i⌉ nodes; its holder keeps ⌊half⌋ and sends as far.  The
 * ways of all rounds add up to ⌈z/2⌉-1, and 1 for the first.  Pieces are disjoint and on their own side of the ring: no
 * link is shared.
 *
 * Grid.  Rows are binomial trees of their own, as in binomial.c, and so are columns, all at once.  On a grid that a
 * line, ring or full network is taken for, with rows of z neighbours, all columns' messages of a step overlap, z of
 * them on a link; columns first, only the root's column has any.  (Root 0.)
 *
 * Bine.  Node x is a number in base -2; before step s the nodes whose low s+2 digits are equal have the words:
 * multiples of 2^(s+2), and those and ρ_{s+1} = ρ_s + (-2)^(s+1).  They send to x + ρ_s and x - ρ_s, so each message
 * stays between a multiple of 2^(s+1) and the same and ρ_s, less than half way to the next: on a ring no link is
 * shared.  A hypercube's is part of an exchange of all, of which each link has one message. */
#include "spread.h"
#include "swing.h"
#include <assert.h>

/* ------------------------------------------------------------------ running */

/* Begin with a node that neither receives nor sends. */
static void
begin_alone(struct spread *spread)
{
    spread->rounds = spread->count = 0;
    spread->source = spread->heard = -1;
}

static void
hear(struct spread *spread, int source, int round)
{
    spread->source = source;
    spread->heard = round;
}

static void
tell(struct spread *spread, int dest, int round)
{
    assert(spread->count < SPREAD_MAX);
    spread->sends[spread->count++] = (struct message){.dest = dest, .round = round};
}

void
spread_broadcast(struct peal_node *me, void *a, size_t n, const struct spread *spread)
{
    int round = spread->heard + 1;

    if (spread->source >= 0)
        peal_recv(me, a, n, spread->source);
    for (int i = 0; i < spread->count; i++) {
        rest(me, spread->sends[i].round - round);         /* until the others have reached this round */
        peal_send(me, a, n, spread->sends[i].dest);
        round = spread->sends[i].round + 1;
    }
}

void
spread_reduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root, const struct spread *spread)
{
    void *sum = a, *mine = NULL, *x = NULL;
    int round = 0;

    for (int i = spread->count - 1; i >= 0; i--) {
        int child = spread->sends[i].dest;

        if (mine == NULL) {
            mine = peal_rank(me) == root ? a : peal_scratch(me, n);
            x = peal_scratch(me, n);
        }
        peal_recv(me, x, n, child);
        round = spread->rounds - spread->sends[i].round;
        peal_combine(op, child > peal_rank(me) ? sum : x, child > peal_rank(me) ? x : sum, mine, n);
        sum = mine;
    }
    if (spread->source >= 0) {
        rest(me, spread->rounds - 1 - spread->heard - round);
        peal_send(me, sum, n, spread->source);
    }
}

/* ------------------------------------------------------------------ ring-optimal */

/* One ring: its extent, the place of the source, the rounds before it begins, and the ranks of its nodes. */
struct ring_row {
    int extent, source, round;
    int base, stride; /* coordinate c is rank base + c·stride */
};

static int
rank_in_row(const struct ring_row *row, int position)
{
    return row->base + (row->source + position) % row->extent * row->stride;
}

/* Position i of a half counted from its outer end, as a position of the ring: the right half from z-1 down. */
static int
of_half(const struct ring_row *row, bool right, int i)
{
    return right ? row->extent - 1 - i : i;
}

static void
halve_ring(struct spread *spread, const struct ring_row *row, int position)
{
    int z = row->extent, left = z - z / 2, round = row->round + 1, a = 0;
    bool right = position >= left;
    int i = right ? z - 1 - position : position, e = right ? z - left : left;

    if (z > 1 && position == 0)
        tell(spread, rank_in_row(row, z - 1), row->round);
    if (z > 1 && position == z - 1)
        hear(spread, rank_in_row(row, 0), row->round);
    for (; e - a > 1; round++) {
        int mid = a + (e - a) / 2;

        if (i == a)
            tell(spread, rank_in_row(row, of_half(row, right, mid)), round);
        if (i == mid)
            hear(spread, rank_in_row(row, of_half(row, right, a)), round);
        if (i < mid)
            e = mid;
        else
            a = mid;
    }
}

/* The last of the dimensions, taken in order from first by step, in which a node differs from the root, -1 for the
 * root. */
static int
last_difference(const struct shape *shape, int first, int step, int root, int rank)
{
    int last = -1;

    for (int d = first; d >= 0 && d < shape->dimensions; d += step)
        if (shape_coordinate(shape, d, rank) != shape_coordinate(shape, d, root))
            last = d;
    return last;
}

static struct ring_row
row_of(const struct shape *shape, int d, int root, int rank, int round)
{
    int mine = shape_coordinate(shape, d, rank);

    return (struct ring_row){.extent = shape->extent[d], .source = shape_coordinate(shape, d, root), .round = round,
                             .base = rank - mine * shape->stride[d], .stride = shape->stride[d]};
}

static int
position_in_row(const struct ring_row *row, int rank)
{
    return ((rank - row->base) / row->stride - row->source + row->extent) % row->extent;
}

void
spread_on_rings(struct spread *spread, const struct peal_network *network, int root, int rank)
{
    struct shape shape;
    int last;

    begin_alone(spread);
    shape_of(&shape, network, peal_network_nodes(network));
    last = last_difference(&shape, 0, 1, root, rank);
    for (int d = 0; d < shape.dimensions; d++) {
        struct ring_row row = row_of(&shape, d, root, rank, spread->rounds);

        if (d >= last)
            halve_ring(spread, &row, position_in_row(&row, rank));
        spread->rounds += ceiling_log2(shape.extent[d]);
    }
}

void
spread_on_rings_closed(struct closed *sum)
{
    if (sum->shape.kind != SHAPE_RING && sum->shape.kind != SHAPE_TORUS)
        sum->known = false;
    for (int d = 0; d < sum->shape.dimensions; d++) {
        int z = sum->shape.extent[d];

        if (z > 1)
            closed_add_same(sum, 1, closed_words(sum), 1);
        for (int longest = z - z / 2; longest > 1; longest -= longest / 2)
            closed_add_same(sum, 1, closed_words(sum), longest / 2);
    }
}

/* ------------------------------------------------------------------ grids */

/* The network's own grid, or one as square as it goes. */
static void
grid_of(struct shape *grid, const struct peal_network *network, int nodes)
{
    int rows = 1;

    shape_of(grid, network, nodes);
    if (grid->dimensions > 1)
        return;
    for (int a = 1; a <= nodes / a; a++)
        if (nodes % a == 0)
            rows = a;
    grid->dimensions = 2;
    grid->extent[0] = rows;
    grid->extent[1] = grid->stride[0] = nodes / rows;
    grid->stride[1] = 1;
}

static void
binomial_in_row(struct spread *spread, const struct ring_row *row, int position)
{
    int round = row->round;

    for (int mask = 1 << ceiling_log2(row->extent) >> 1; mask >= 1; mask >>= 1, round++) {
        if (position % (2 * mask) == 0 && position < row->extent - mask)
            tell(spread, rank_in_row(row, position + mask), round);
        if (position % (2 * mask) == mask)
            hear(spread, rank_in_row(row, position - mask), round);
    }
}

void
spread_on_grid(struct spread *spread, const struct peal_network *network, int nodes, int root, int rank,
               enum grid_order order)
{
    int step = order == ROWS_FIRST ? -1 : 1, first;
    struct shape grid;
    bool met = false; /* a dimension in which the node receives the words */

    begin_alone(spread);
    grid_of(&grid, network, nodes);
    first = order == ROWS_FIRST ? grid.dimensions - 1 : 0;
    for (int i = 0; i < grid.dimensions; i++) {
        int d = first + i * step;
        struct ring_row row = row_of(&grid, d, root, rank, spread->rounds);

        met = met || d == last_difference(&grid, first, step, root, rank) || rank == root;
        if (met)
            binomial_in_row(spread, &row, position_in_row(&row, rank));
        spread->rounds += ceiling_log2(grid.extent[d]);
    }
}

/* A message of mask h in a row goes back over all of an open row but h, if it wraps round the end. */
static int
hops_in_row(int extent, bool closed, int source, int h)
{
    int end = extent - source, x = (end - 1) / (2 * h) * (2 * h); /* the position of coordinate 0, and who may wrap */
    bool wraps = end < extent && end - x <= h && x + h < extent;

    if (closed)
        return h < extent - h ? h : extent - h;
    return wraps ? extent - h : h;
}

void
spread_on_grid_closed(struct closed *sum, enum grid_order order)
{
    const struct peal_situation *situation = sum->situation;
    struct shape grid;
    bool own = sum->shape.dimensions > 1, full = sum->shape.kind == SHAPE_FULL;

    grid_of(&grid, situation->network, situation->nodes);
    for (int d = grid.dimensions - 1; d >= 0; d--) {
        int source = shape_coordinate(&grid, d, situation->root), stride = grid.stride[d], extent = grid.extent[d];

        for (int h = 1 << ceiling_log2(extent) >> 1; h >= 1; h >>= 1) {
            int hops = own || full ? 1 : h * stride;

            if (own && sum->shape.kind != SHAPE_HYPERCUBE)
                hops = hops_in_row(extent, grid.closed[d], source, h);
            if (!own && !full && situation->root != 0)
                sum->known = false;
            if (sum->shape.kind == SHAPE_RING && hops > grid.nodes - hops)
                hops = grid.nodes - hops;
            closed_add_shared(sum, closed_words(sum), own || full || order == COLUMNS_FIRST ? 1 : stride, hops,
                              closed_round_load(stride, hops));
        }
    }
}

/* ------------------------------------------------------------------ Bine */

void
spread_bine(struct spread *spread, int nodes, int root, int rank)
{
    int x = (rank - root + nodes) % nodes, q = ceiling_log2(nodes), run = q;

    begin_alone(spread);
    spread->rounds = q;
    if (x != 0) {
        unsigned mask = 0xAAAAAAAAu, digits;             /* x, or x - P, in base -2 */

        digits = ((unsigned)x + mask) ^ mask;
        if (digits >> q != 0)
            digits = ((unsigned)(x - nodes) + mask) ^ mask;
        for (run = 1; run < q && (digits >> run & 1) == (digits & 1); run++)
            continue;
        run--;                                           /* the step in which it receives */
        hear(spread, (swing_partner(nodes, x, run) + root) % nodes, q - 1 - run);
    }
    for (int s = run - 1; s >= 0; s--)
        tell(spread, (swing_partner(nodes, x, s) + root) % nodes, q - 1 - s);
}

void
spread_bine_closed(struct closed *sum)
{
    int nodes = sum->shape.nodes;

    for (int s = ceiling_log2(nodes) - 1; s >= 0; s--) {
        int by = swing_distance(nodes, s), hops = by < nodes - by ? by : nodes - by;

        switch (sum->shape.kind) {
        case SHAPE_FULL:
            hops = 1;
            break;
        case SHAPE_RING:
            break;
        case SHAPE_HYPERCUBE:
            sum->known = sum->known && sum->situation->switching == PEAL_IDEAL;
            break;
        case SHAPE_LINE:
        case SHAPE_MESH:
        case SHAPE_TORUS:
        case SHAPE_OTHER:
            sum->known = sum->known && nodes <= 2;
            break;
        }
        closed_add_same(sum, 1, closed_words(sum), hops);
    }
}

/* ------------------------------------------------------------------ the closed forms as text
 *
 * Ring-optimal: one hop, then halves of ⌈z/2⌉ nodes, ⌈z/2⌉ - 1 hops. Bine: Σ |ρ_s| = Σ (2^(s+1) + (-1)^s)/3. */

const struct peal_closed_text grid_texts[] = {
    {.on = "hypercube", .alpha = "α log₂P", .beta = "βn log₂P", .near = true},
    {.on = "mesh", .when = "root 0", .alpha = "αΣ⌈log₂zᵢ⌉", .beta = "βnΣ⌈log₂zᵢ⌉", .hop = "t_dΣ(2^⌈log₂zᵢ⌉−1)",
     .stored = "βnΣ(2^⌈log₂zᵢ⌉−1)", .cited = "zᵢ = 2^qᵢ"},
    {.on = "mesh", .when = "zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βn log₂P",
     .hop = "t_dΣ(zᵢ−1−2rᵢ+zᵢpopcount(rᵢ))", .stored = "βnΣ(zᵢ−1−2rᵢ+zᵢpopcount(rᵢ))", .cited = ""},
    {.on = "mesh", .alpha = "αΣ⌈log₂zᵢ⌉", .beta = "βnΣ⌈log₂zᵢ⌉"},
    {.on = "torus", .alpha = "αΣ⌈log₂zᵢ⌉", .beta = "βnΣ⌈log₂zᵢ⌉", .hop = "t_dΣ(zᵢ−1)", .stored = "βnΣ(zᵢ−1)"},
    {.on = "full", .alpha = "α(⌈log₂a⌉+⌈log₂b⌉)", .beta = "βn(⌈log₂a⌉+⌈log₂b⌉)", .near = true,
     .names = "a = rows, b = columns"},
    {0},
};

const struct peal_closed_text ring_optimal_texts[] = {
    {.on = "ring", .alpha = "α⌈log₂P⌉", .beta = "βn⌈log₂P⌉", .hop = "t_d⌈P/2⌉", .stored = "βn⌈P/2⌉"},
    {.on = "torus", .alpha = "αΣ⌈log₂zᵢ⌉", .beta = "βnΣ⌈log₂zᵢ⌉", .hop = "t_dΣ⌈zᵢ/2⌉", .stored = "βnΣ⌈zᵢ/2⌉"},
    {0},
};

const struct peal_closed_text bine_vector_texts[] = {
    {.on = "full", .alpha = "α log₂P", .beta = "βn log₂P", .near = true},
    {.on = "ring", .alpha = "α log₂P", .beta = "βn log₂P", .hop = "t_d⌊2P/3⌋", .stored = "βn⌊2P/3⌋"},
    {.on = "hypercube", .alpha = "α log₂P", .beta = "βn log₂P"},
    {.when = "P = 2", .alpha = "α", .beta = "βn", .near = true},
    {0},
};
