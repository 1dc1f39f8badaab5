/* SPDX-License-Identifier: MIT */
/* Reduce, two-phase:B: in every row, groups of about √z neighbours combine B pieces along a chain, then their first
 * nodes do; the columns of a mesh likewise.
 *
 *   before       node i has n words xᵢ
 *   after        the root has x₀ ⊕ x₁ ⊕ .. ⊕ x_{P-1}; the vectors of the others are unchanged
 *   rounds       s-2+B and g-2+B for each extent z in g = ⌈z/s⌉ groups of s: about 2√z + 2B, where a chain takes z + B
 *   cost         Σ (α(e-2+B) + β(n + (e-2)⌈n/B⌉)) over all e > 1 of the s and g, on full networks, lines and meshes
 *                from root 0, rings and tori
 *   space        n words and a piece at the nodes that receive, a piece at the root, nothing at the others
 *   keeps rank order from root 0, a group and a row being ranges of ranks; another root needs an operator that commutes
 *   derivation   phases of chains that share no link: the members of a group send to their neighbours, and then the
 *                first nodes send over s links each.  s is the least with the least s + ⌈z/s⌉.  Tree reductions along
 *                lines and meshes are reduce/mesh
 *   source       Luczynski et al., HPDC 2024, arXiv 2404.15888 (two-phase; in rows, then in columns)
 *
 *   P = 5, root 0, B = 1: groups 0 1, 2 3, 4
 *     round 1    1 -> 0    3 -> 2
 *     round 2                        4 -> 2
 *     round 3              2 -> 0                                                                            */
#include "../patterns/pieces.h"

/* A phase: chains of up to `extent` nodes, `stride` positions apart, along the rows of dimension d. */
struct chain_phase {
    int d, extent, stride;
};

enum { PHASES = 2 * PEAL_MAX_DIMENSIONS };

/* The length of a group of a row of z. */
static int
group_of(int z)
{
    int best = 1;

    for (int s = 2; s <= z / s + 1; s++)
        if (s + (z + s - 1) / s < best + (z + best - 1) / best)
            best = s;
    return best;
}

/* The rows of a network; one row of all ranks where there is no grid. */
static void
grid_of(struct shape *grid, const struct peal_network *network, int nodes)
{
    shape_of(grid, network, nodes);
    if (grid->dimensions > 0)
        return;
    grid->dimensions = 1;
    grid->extent[0] = nodes;
    grid->stride[0] = 1;
    grid->closed[0] = false;
}

/* List the phases with more than one node, in their order. */
static int
phases_of(const struct shape *grid, struct chain_phase phases[PHASES])
{
    int count = 0;

    for (int d = grid->dimensions - 1; d >= 0; d--) {
        int z = grid->extent[d], s = group_of(z), g = (z + s - 1) / s;

        if (s > 1)
            phases[count++] = (struct chain_phase){d, s, 1};
        if (g > 1)
            phases[count++] = (struct chain_phase){d, g, s};
    }
    return count;
}

/* ------------------------------------------------------------------ a node's part */

/* The node's place in a phase's chain: 0 is its end. */
struct chain_place {
    int at, before, behind; /* ranks; -1 none */
};

static struct chain_place
place_in(const struct shape *grid, const struct chain_phase *phase, int root, int rank)
{
    int z = grid->extent[phase->d], stride = grid->stride[phase->d], c = shape_coordinate(grid, phase->d, rank);
    int first = shape_coordinate(grid, phase->d, root), x = (c - first + z) % z, row = rank - c * stride;
    int at = x / phase->stride % phase->extent;

    return (struct chain_place){
        .at     = at,
        .before = at > 0 ? row + (x - phase->stride + first) % z * stride : -1,
        .behind = at < phase->extent - 1 && x + phase->stride < z
                      ? row + (x + phase->stride + first) % z * stride : -1};
}

/* Carry out a phase; the vector to combine with is `own`, the sum goes to `sum`. */
static void
chain(struct peal_node *me, const struct peal_op *op, const void *own, void *sum, void *x, size_t n,
      const struct chain_phase *phase, const struct chain_place *place)
{
    int b = peal_parameter(me), delay = phase->extent - 1 - place->at; /* rounds before the first piece goes */

    for (int t = 0; t < phase->extent - 2 + b; t++) {
        int out = place->before >= 0 ? t - delay : -1, in = place->behind >= 0 ? t - delay + 1 : -1;
        bool sends = out >= 0 && out < b, receives = in >= 0 && in < b;
        struct peal_piece came = piece_of(me, x, n, b, 0);

        if (sends)
            post_send(me, piece_of(me, place->behind >= 0 ? sum : own, n, b, out), place->before);
        if (receives) {
            came.words = piece_of(me, own, n, b, in).words;
            post_recv(me, came, place->behind);
        }
        peal_wait_all(me);
        if (receives)
            peal_combine(op, piece_of(me, own, n, b, in).data, came.data, piece_of(me, sum, n, b, in).data, came.words);
        if (!sends && !receives)
            peal_next_round(me);
    }
}

static void
reduce_two_phase_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    int r = peal_rank(me);
    struct chain_phase phases[PHASES];
    struct shape grid;
    void *own = a, *sum = r == root ? a : NULL, *x = NULL;

    grid_of(&grid, peal_is_world(me) ? peal_node_network(me) : NULL, peal_size(me));
    for (int i = 0, count = phases_of(&grid, phases); i < count; i++) {
        struct chain_place place = place_in(&grid, &phases[i], root, r);

        if (place.behind >= 0) {                         /* a node that receives has room for a sum */
            sum = sum ? sum : peal_scratch(me, n);
            x = x ? x : peal_scratch(me, piece_of(me, a, n, peal_parameter(me), 0).words);
        }
        chain(me, op, own, sum, x, n, &phases[i], &place);
        if (place.before >= 0)
            return;                                      /* it has sent its part */
        own = place.behind >= 0 ? sum : own;
    }
}

/* ------------------------------------------------------------------ the closed form */

/* The rounds are Σ(e-2) + B for each phase. */
static int
pieces(const struct peal_situation *situation)
{
    struct chain_phase phases[PHASES];
    struct shape grid;
    int count, lags = 0;

    grid_of(&grid, situation->network, situation->nodes);
    count = phases_of(&grid, phases);
    for (int i = 0; i < count; i++)
        lags += phases[i].extent - 2;
    return pieces_best(situation, lags, count);
}

/* Chains that go round the end of a row share links with the others, unless the row is closed. */
static void
reduce_two_phase_cost(struct closed *sum)
{
    struct chain_phase phases[PHASES];
    struct shape grid;
    int b = closed_parameter(sum->situation, pieces), count;
    int64_t words;

    words = closed_words(sum);
    grid_of(&grid, sum->situation->network, sum->situation->nodes);
    count = phases_of(&grid, phases);
    if (sum->situation->root != 0 && (sum->shape.kind == SHAPE_LINE || sum->shape.kind == SHAPE_MESH))
        sum->known = false;
    for (int i = 0; i < count; i++) {
        int hops = sum->shape.kind == SHAPE_FULL ? 1 : shape_hops(&grid, phases[i].d, 0, phases[i].stride);
        int64_t longer = words % b > 0 ? phases[i].extent - 2 + words % b : 0;

        closed_add_same(sum, phases[i].extent - 2 + b - longer, words / b, hops);
        closed_add_same(sum, longer, words / b + 1, hops);
    }
}

const struct peal_algorithm reduce_two_phase = {
    .collective              = PEAL_REDUCE,
    .name                    = "two-phase",
    .summary                 = "chains in groups of √z neighbours, then a chain of their first nodes",
    .run.reduce              = reduce_two_phase_run,
    .asks_network            = true,
    .needs.commutative_off_0 = true,
    .parameter               = {.name = "pieces", .least = 1, .most = PIECES_MAX, .choose = pieces},
    .cost                    = reduce_two_phase_cost,
    .optimal                 = "β within 2 a dimension",
    .differs                 = PEAL_DIFFERS(ROOTS),
    .source                  = "Luczynski et al., HPDC 2024, arXiv 2404.15888",
};
