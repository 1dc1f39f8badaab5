/* SPDX-License-Identifier: MIT */
/* Broadcast, edst:B: B pieces go down log₂P spanning trees of the hypercube in turn; the trees share no link.
 *
 *   before       the root has n words
 *   after        every node has them
 *   rounds       q-1 + B, q = log₂P: no broadcast of B pieces, one per round, can take fewer; P = 2^q
 *   cost         α(q-1+B) + β(n + q⌈n/B⌉ - ⌊n/B⌋), P > 2, on hypercubes and full networks; best B about √((q-1)βn/α)
 *   space        none
 *   derivation   in round i+1 all nodes exchange along dimension k = i mod q, if they have a piece that the other
 *                lacks.  Piece i goes down tree t = i mod q: a binomial tree by dimensions t+1, t+2, .., t-1, hung on
 *                the root's neighbour 2^t, and last dimension t again, for the nodes without bit t.  So a node with bit
 *                k passes piece i-q on, others the one of the tree that it is inner in.  In the rounds after B the last
 *                piece takes the place of missing ones.  A piece is under way for q+1 rounds: the longest in round i+1
 *                is piece i-q, or 0
 *   links        every message goes one hop, and no two use a link the same way
 *   source       Johnsson and Ho, IEEE Trans. Computers 38(9), 1989 (nESBT); the last pieces are Peal's own
 *
 *   P = 4, B = 3, root 0 (P must be a power of two)
 *     round 1    0 -> 1 {0}
 *     round 2    0 -> 2 {1}     1 -> 3 {0}
 *     round 3    0 -> 1 {2}     2 -> 3 {1}     3 -> 2 {0}
 *     round 4    0 -> 2 {2}     1 -> 3 {2}     3 -> 1 {1}                                                   */
#include "../patterns/pieces.h"

struct edst_plan {
    int q, pieces, own, root; /* own rank relative to the root, by xor */
};

/* The piece that node x would send in round i + 1, below 0 for none; at most the last one. */
static int
piece_from(const struct edst_plan *plan, int x, int i)
{
    int q = plan->q, k = i % q, after = 1, piece;

    if (x == 0)
        piece = i;
    else if (x >> k & 1)
        piece = i - q;                                   /* the last step of tree k */
    else {
        while ((x >> (k + after) % q & 1) == 0)          /* tree (k + after) mod q: after bits cyclically above k */
            after++;
        piece = i - (q - after);
    }
    return piece < plan->pieces - 1 ? piece : plan->pieces - 1;
}

/* The piece that is new to node x in round i + 1, below 0 for none. */
static int
piece_to(const struct edst_plan *plan, int x, int i)
{
    int piece = piece_from(plan, x ^ 1 << i % plan->q, i);

    if (x == 0)
        return -1;
    for (int earlier = plan->pieces - 1; earlier < i && piece == plan->pieces - 1; earlier++)
        if (piece_from(plan, x ^ 1 << earlier % plan->q, earlier) == piece)
            return -1;                                   /* the last piece comes several times */
    return piece;
}

static struct piece_step
step_of(const void *untyped, int i)
{
    const struct edst_plan *plan = untyped;
    int partner = plan->own ^ 1 << i % plan->q;
    struct piece_step step = {.dest = -1, .source = -1};

    step.out = piece_to(plan, partner, i);
    step.in = piece_to(plan, plan->own, i);
    if (step.out >= 0)
        step.dest = partner ^ plan->root;
    if (step.in >= 0)
        step.source = partner ^ plan->root;
    return step;
}

static void
broadcast_edst_run(struct peal_node *me, void *a, size_t n, int root)
{
    int b = peal_parameter(me), q = ceiling_log2(peal_size(me));
    struct edst_plan plan = {.q = q, .pieces = b, .own = peal_rank(me) ^ root, .root = root};
    int rounds = q > 0 ? q - 1 + b : 0;
    struct pipeline pipeline = {.pieces = b, .rounds = rounds, .end = rounds, .step = step_of, .plan = &plan};

    pipeline_broadcast(me, a, n, &pipeline);
}

static int
choose(const struct peal_situation *situation)
{
    return pieces_best_even(situation, ceiling_log2(situation->nodes) - 1, 1);
}

static void
broadcast_edst_cost(struct closed *sum)
{
    int b = closed_parameter(sum->situation, choose), q = ceiling_log2(sum->situation->nodes);

    if (sum->shape.kind != SHAPE_FULL && sum->shape.kind != SHAPE_HYPERCUBE && q > 1)
        sum->known = false;
    if (q > 0) {
        int64_t words = closed_words(sum), longer = words % b; /* which are under way in longer + q rounds */
        int64_t rounds = longer == 0 ? 0 : q > 1 ? longer + q : longer;

        closed_add_same(sum, q - 1 + (int64_t)b - rounds, words / b, 1);
        closed_add_same(sum, rounds, words / b + 1, 1);
    }
}

const struct peal_algorithm broadcast_edst = {
    .collective         = PEAL_BROADCAST,
    .name               = "edst",
    .summary            = "pieces go down spanning trees of the hypercube that share no link",
    .run.broadcast      = broadcast_edst_run,
    .needs.power_of_two = true,
    .parameter          = {.name = "pieces", .least = 1, .most = PIECES_MAX, .choose = choose},
    .cost               = broadcast_edst_cost,
    .closed_on          = "full hypercube",
    .texts              = TEXTS(
        {.when = "P = 2", .alpha = "αB", .beta = "βn", .near = true, .names = "B = parameter"},
        {.alpha = "α(q−1+B)", .beta = "β(n+q⌈n/B⌉−⌊n/B⌋)", .near = true, .names = "q = log₂P, B = parameter"}),
    .optimal            = "α and β together, for B pieces",
    .source             = "Johnsson and Ho 1989",
};
