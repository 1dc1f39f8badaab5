/* SPDX-License-Identifier: MIT */
/* All-to-all, Bruck: a block that goes x ranks goes the digits of x, one per round, together with all blocks that have
 * this digit.
 *
 *   before       node i has P blocks, block j for node j
 *   after        node j has P blocks, block i from node i
 *   rounds       with radix R, the number after the name, one for each digit 1 .. R-1 of each weight 1, R, R², .. < P:
 *                ⌈log₂P⌉ for R = 2; k at once with k ports
 *   cost         those rounds, βm Σ #{x < P with this digit}; R = 2: βm Σ popcount(x), (P/2)log₂P for P = 2^q
 *   space        P blocks, lists of P/2 pieces; 3P short blocks, which are packed
 *   derivation   round (w, d) sends from every node r to r + dw the slots x with ⌊x/w⌋ mod R = d; after all digits
 *                the block of slot x is from r - x.  Few rounds and many words with a small R, P-1 of each with R = P
 *   by default   R is the cheapest of 2, 4, 8, .. P by these numbers, as on a full network
 *   source       Bruck et al., IEEE TPDS 8(11), 1997, index; Open MPI and MPICH (R = 2)
 *
 *   P = 5, R = 2
 *     round 1    r -> r+1  slots 1 3
 *     round 2    r -> r+2  slots 2 3
 *     round 3    r -> r+4  slot 4                                                                            */
#include "../patterns/slots.h"

static void
alltoall_bruck_run(struct peal_node *me, const void *in, const struct peal_blocks *send, void *out,
                   const struct peal_blocks *receive)
{
    int P = peal_size(me), r = peal_rank(me), R = peal_parameter(me);
    int ports = peal_node_options(me)->ports, k = ports == PEAL_PORTS_ALL ? R : ports;
    struct slot_blocks slots = slots_init(me, in, send, out, R, false);

    (void)receive;                                       /* blocks of one length */
    peal_packet(me, blocks_longest(me, send));
    for (int64_t w = 1; w < P; w *= R) {
        for (int64_t d = 1; d < R && d * w < P; d++) {
            int by = (int)(d * w);

            slots_post(me, &slots, (int)w, (int)d, (r + by) % P, (r - by + P) % P);
            if (d % k == 0)
                slots_wait(me, &slots);
        }
        slots_wait(me, &slots);
    }
    slots_finish(&slots);
}

/* Add the rounds with this radix; k digits go at once. */
static void
add_rounds(struct closed *sum, int R, int k, int64_t m)
{
    int P = sum->shape.nodes;

    for (int64_t w = 1; w < P; w *= R)
        for (int64_t d = 1; d < R && d * w < P; d += k) { /* the first of a batch has the most slots */
            int64_t words = closed_product(sum, m, slots_count(P, R, (int)w, (int)d));

            if (k == 1)
                closed_add_shift(sum, (int)(d * w), words);
            else
                closed_add_full(sum, 1, words);
        }
}

static int
choose(const struct peal_situation *situation)
{
    struct peal_situation full = *situation;
    int best = 2, k = closed_ports(situation);
    double least = 0;

    full.network = NULL;
    for (int64_t R = 2; R < 2 * (int64_t)situation->nodes && R <= 1 << 30; R *= 2) {
        struct closed sum = {.situation = &full, .shape = {.kind = SHAPE_FULL, .nodes = situation->nodes},
                             .known = true};

        add_rounds(&sum, (int)R, k, closed_words(&sum));
        if (R == 2 || peal_cost_time(sum.cost, situation->parameters) < least) {
            least = peal_cost_time(sum.cost, situation->parameters);
            best = (int)R;
        }
    }
    return best;
}

static void
alltoall_bruck_cost(struct closed *sum)
{
    int R = closed_parameter(sum->situation, choose), ports = sum->situation->ports;
    int k = ports == PEAL_PORTS_ALL ? R : ports;

    closed_bundles(sum);
    if (R == 2)
        k = 1;
    if (k > 1 && sum->situation->half_duplex)
        sum->known = false;
    if (sum->known)
        add_rounds(sum, R, k, closed_words(sum));
}

/* As all-gather/sparbit, with the blocks whose distance has the bit: P/2 if P = 2^q. */
const struct peal_algorithm alltoall_bruck = {
    .collective         = PEAL_ALLTOALL,
    .name               = "bruck",
    .summary            = "blocks go the digits of their distance to base N, all of one digit at once",
    .run.alltoall       = alltoall_bruck_run,
    .needs.equal_blocks = true,
    .parameter          = {.name = "radix", .least = 2, .most = 1 << 30, .choose = choose},
    .asks_ports         = true,
    .cost               = alltoall_bruck_cost,
    .texts              = TEXTS(
        {.on = "full", .when = "K = 2", .alpha = "α⌈log₂P⌉", .beta = "βmΣ_{x=0..P−1}popcount(x)", .near = true},
        {.on = "full", .when = "P = K^j", .alpha = "α⌈(K−1)/k⌉log_K P", .beta = "βm(P/K)⌈(K−1)/k⌉log_K P", .near = true,
         .names = "K = parameter"},
        {.on = "hypercube", .when = "K = 2", .alpha = "αq", .beta = "βm(P/2)q", .hop = "t_dq(q+1)/2",
         .stored = "βm(P/2)q(q+1)/2", .names = "q = log₂P"},
        {.on = "line", .when = "K = 2, P = 2^q", .alpha = "α log₂P", .beta = "βm(P/2)(P−1)", .hop = "t_d(P log₂P−P+1)",
         .stored = "βm(P/2)(7P²−12P+8)/12"},
        {.on = "ring", .when = "K = 2, P = 2^q", .alpha = "α log₂P", .beta = "βm(P/2)(P−1)", .hop = "t_d(P−1)",
         .stored = "βm(P/2)(P²−1)/3"},
        {.on = "line", .when = "K = 2", .alpha = "αq",
         .beta = "βmΣ_{j=0..q−1}(⌊P/2^(j+1)⌋2^j+max(0, (P mod 2^(j+1))−2^j))min(2^j, P−2^j)", .hop = "t_d(P(q−1)+1)",
         .names = "q = ⌈log₂P⌉"},
        {.on = "ring", .when = "K = 2", .alpha = "αq",
         .beta = "βmΣ_{j=0..q−1}(⌊P/2^(j+1)⌋2^j+max(0, (P mod 2^(j+1))−2^j))min(2^j, P−2^j)", .hop = "t_d(P−1)",
         .names = "q = ⌈log₂P⌉"},
        {.on = "mesh", .when = "K = 2, zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βm(P/2)Σ(zᵢ−1)",
         .hop = "t_dΣ(zᵢlog₂zᵢ+(zᵢ−1)(log₂sᵢ−1))"},
        {.on = "torus", .when = "K = 2, zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βm(P/2)Σ(zᵢ−1)",
         .hop = "t_dΣ(zᵢ−1+log₂sᵢ)"}),
    .optimal            = "α for radix 2",
    .holds              = 2,
    .lists              = 4,
    .source             = "Bruck et al., IEEE TPDS 8(11), 1997",
};
