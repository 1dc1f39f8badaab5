/* SPDX-License-Identifier: MIT */
/* Reduce, rabenseifner: halve the vector while partners move apart, until each node has combined one part; then gather
 * the parts.
 *
 *   before       node i has n words xᵢ
 *   after        the root has x₀ ⊕ x₁ ⊕ .. ⊕ x_{P-1}; the vectors of the others are unchanged
 *   rounds       2log₂P; 2⌊log₂P⌋ + 1 if P is not a power of two
 *   cost         2α log₂P + 2βn(P-1)/P for P = 2^q that divides n, any root, on full networks and hypercubes; else, on
 *                a full network, with one round of n words more, and P₂ = 2^⌊log₂P⌋ for P
 *   space        n words, none at the root, and half of the parts (n words at a node that takes another's vector)
 *   keeps rank order, for any root and any associative operator
 *   derivation   if P is not a power of two, the nodes of the pairs (2i, 2i+1), i < P-P₂, combine, and one of them, the
 *                root or else the odd one, stays.  These nodes keep the order of the ranks; partners differ in bit
 *                0, then 1, ..: so the sums of two partners are of neighbouring ranges.  The longer parts come
 *                first: the longest message of a halving is the first half of the interval, n/2, n/4, ..  In the
 *                gather the sender's bit differs from the root's
 *   source       Rabenseifner 2004; Thakur, Rabenseifner, Gropp 2005; MPICH's reduce_scatter_gather
 *
 *   P = 6, root 0: 0 3 4 5 stay, in this order; four parts
 *     round 1    1 -> 0               2 -> 3
 *     round 2    0 <-> 3 {2 3} {0 1}    4 <-> 5 {2 3} {0 1}
 *     round 3    0 <-> 4 {1} {0}        3 <-> 5 {3} {2}
 *     round 4    4 -> 0 {1}           5 -> 3 {3}
 *     round 5    3 -> 0 {2 3}                                                                               */
#include "../patterns/fold.h"
#include "../patterns/pieces.h"

/* The nodes that stay. */
struct survivors {
    int nodes, rem, root;
};

static int
rank_of(const struct survivors *those, int number)
{
    if (number >= those->rem)
        return number + those->rem;
    return those->root / 2 == number ? those->root : 2 * number + 1;
}

static int
number_of(const struct survivors *those, int rank)
{
    return rank < 2 * those->rem ? rank / 2 : rank - those->rem;
}

/* Combine the partner's part with mine, the lower rank's on the left. */
static void
combine(const struct peal_op *op, struct peal_piece mine, void *theirs, bool partner_is_left)
{
    peal_combine(op, partner_is_left ? theirs : mine.data, partner_is_left ? mine.data : theirs, mine.data, mine.words);
}

static void
reduce_rabenseifner_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    int P = peal_size(me), r = peal_rank(me);
    struct fold fold = fold_of(P, r);
    struct survivors those = {.nodes = fold.nodes, .rem = fold.rem, .root = root};
    int number = number_of(&those, r), goal = number_of(&those, root), b = fold.nodes, l = 0, e = b;
    bool paired = r < 2 * fold.rem;
    void *sum = a, *x;

    if (paired && rank_of(&those, number) != r) {        /* my mate stays for me */
        peal_send(me, a, n, r ^ 1);
        return;
    }
    if (r != root) {
        sum = peal_scratch(me, n);
        block_copy(me, sum, a, n);
    }
    x = peal_scratch(me, paired ? n : pieces_of(me, a, n, b, 0, (b + 1) / 2).words);
    if (paired) {
        peal_recv(me, x, n, r ^ 1);
        combine(op, pieces_of(me, sum, n, b, 0, b), x, (r ^ 1) < r);
    } else if (fold.rem > 0) {
        peal_next_round(me);
    }
    for (int bit = 1; bit < b; bit *= 2) {               /* I hold the parts l .. e-1, and keep half of them */
        int partner = rank_of(&those, number ^ bit), mid = (l + e) / 2;
        bool upper = (number & bit) != 0;
        struct peal_piece given = upper ? pieces_of(me, sum, n, b, l, mid) : pieces_of(me, sum, n, b, mid, e);
        struct peal_piece kept = upper ? pieces_of(me, sum, n, b, mid, e) : pieces_of(me, sum, n, b, l, mid);

        exchange(me, given, partner, (struct peal_piece){.data = x, .words = kept.words}, partner);
        combine(op, kept, x, upper);
        l = upper ? mid : l;
        e = upper ? e : mid;
    }
    for (int bit = b / 2; bit >= 1; bit /= 2) {          /* back to the parts before that step */
        int partner = rank_of(&those, number ^ bit), begin = number & bit ? 2 * l - e : e, end = begin + (e - l);

        if ((number ^ goal) & bit) {
            post_send(me, pieces_of(me, sum, n, b, l, e), partner);
            peal_wait_all(me);
            return;
        }
        post_recv(me, pieces_of(me, sum, n, b, begin, end), partner); /* the other half of it */
        peal_wait_all(me);
        l = begin < l ? begin : l;
        e = end > e ? end : e;
    }
}

static void
reduce_rabenseifner_cost(struct closed *sum)
{
    struct fold fold = fold_of(sum->situation->nodes, 0);
    struct survivors those = {.nodes = fold.nodes, .rem = fold.rem, .root = sum->situation->root};
    int goal = number_of(&those, sum->situation->root);
    size_t n;

    n = (size_t)closed_words(sum);
    if (n % (size_t)fold.nodes != 0)
        closed_uneven(sum);
    if (fold.rem > 0)
        closed_add_full(sum, 1, closed_words(sum));
    for (int bit = 1; bit < fold.nodes; bit *= 2) {      /* parts 0 .. half-1 are the longest message */
        int half = fold.nodes / 2 / bit;

        if (fold.rem > 0)
            closed_add_full(sum, 1, (int64_t)peal_block_begin(n, fold.nodes, half));
        else
            closed_add_xor(sum, bit, (int64_t)peal_block_begin(n, fold.nodes, half));
    }
    for (int bit = fold.nodes / 2; bit >= 1; bit /= 2) { /* the same, or the half after it if that one is the root's */
        int half = fold.nodes / 2 / bit;
        size_t first = peal_block_begin(n, fold.nodes, half);
        size_t second = peal_block_begin(n, fold.nodes, 2 * half) - first;

        if (fold.rem > 0)
            closed_add_full(sum, 1, (int64_t)(goal & bit ? first : second));
        else
            closed_add_half_xor(sum, bit, (int64_t)(goal & bit ? first : second));
    }
}

/* As the all-reduce; on the way to the root one half sends, so no ring is gone round. */
const struct peal_algorithm reduce_rabenseifner = {
    .collective  = PEAL_REDUCE,
    .name        = "rabenseifner",
    .summary     = "halve the vector as partners move apart, then gather the parts",
    .run.reduce  = reduce_rabenseifner_run,
    .cost        = reduce_rabenseifner_cost,
    .texts       = TEXTS(
        {.on = "full hypercube", .when = "P = 2^q, P | n", .alpha = "2α log₂P", .beta = "2βn(P−1)/P", .near = true,
         .cited = ""},
        {.on = "line", .when = "P | n", .alpha = "2α log₂P", .beta = "βn log₂P", .hop = "2t_d(P−1)",
         .stored = "βn(3P−2)/4"},
        {.on = "ring", .when = "P | n", .alpha = "2α log₂P", .beta = "βn log₂P", .hop = "2t_d(P−1)",
         .stored = "βn((3P−2)/4+[P > 2]P/16)"},
        {.on = "mesh", .when = "zᵢ = 2^qᵢ, P | n", .alpha = "2α log₂P", .beta = "βnΣ(log₂zᵢ)/sᵢ", .hop = "2t_dΣ(zᵢ−1)",
         .stored = "βnΣ(3zᵢ−2)/(4sᵢ)"},
        {.on = "torus", .when = "zᵢ = 2^qᵢ, P | n", .alpha = "2α log₂P", .beta = "βnΣ(log₂zᵢ)/sᵢ", .hop = "2t_dΣ(zᵢ−1)",
         .stored = "βnΣ((3zᵢ−2)/4+[zᵢ > 2]zᵢ/16)/sᵢ"}),
    .optimal     = "α, β within 2",
    .holds       = 4,
    .source      = "Rabenseifner 2004; Thakur et al. 2005",
};
