/* SPDX-License-Identifier: MIT */
/* All-reduce, recursive-multiplying:K: exchange whole vectors in groups of f, of f·f', .. with factors of P up to K.
 *
 *   before       node i has n words xᵢ
 *   after        every node has x₀ ⊕ x₁ ⊕ .. ⊕ x_{P-1}
 *   rounds       Σ⌈(f-1)/k⌉ over the factors f with k ports, and 2 more if P has larger prime factors
 *   cost         those rounds, each α + βn on a full network
 *   space        n words for every node of a group
 *   keeps rank order, for any associative operator
 *   derivation   the largest number up to P with no prime factor above K stays (fold.c).  Before the stage of f groups
 *                of w numbers have their sums; f neighbouring groups exchange, each node with those of its place in the
 *                others.  The sums come in another order on every node, and are combined from the lowest group on when
 *                all are there, so that every node brackets them alike.  On a line the lesser of j·w and (f-j)w
 *                messages go up over a link, and as many down
 *   by default   K is 2, 3 or k+1, whichever takes the fewest rounds
 *   source       MPICH, recursive multiplying and recexch
 *
 *   P = 6, K = 3: factors 3, 2
 *     round 1    0 -> 1    1 -> 2    2 -> 0    3 -> 4    4 -> 5    5 -> 3
 *     round 2    0 -> 2    1 -> 0    2 -> 1    3 -> 5    4 -> 3    5 -> 4
 *     round 3    0 -> 3    1 -> 4    2 -> 5    3 -> 0    4 -> 1    5 -> 2                                    */
#include "../patterns/fold.h"
#include "../patterns/pieces.h"

/* Divide x by all its factors up to K, and return the quotient. */
static int
without_factors(int x, int K)
{
    for (int f = 2; f <= K && x > 1 && f <= x; f++)
        while (x % f == 0)
            x /= f;
    return x;
}

/* The largest number up to P without prime factors above K. */
static int
smooth(int P, int K)
{
    int best = 1;

    if (K > 4) {
        for (best = P; without_factors(best, K) > 1;)
            best--;
        return best;
    }
    for (int64_t threes = 1; threes <= P; threes *= K > 2 ? 3 : (int64_t)P + 1)
        for (int64_t x = threes; x <= P; x *= 2)
            best = x > best ? (int)x : best;
    return best;
}

/* The largest divisor of x up to K: the next factor. */
static int
factor(int x, int K)
{
    int f = K < x ? K : x;

    while (x % f != 0)
        f--;
    return f;
}

/* The largest of the factors of P up to K. */
static int
largest_factor(int P, int K)
{
    int most = 1;

    for (int w = 1, f; w < P; w *= f) {
        f = factor(P / w, K);
        most = f > most ? f : most;
    }
    return most;
}

static void
allreduce_recursive_multiplying_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int P = peal_size(me), K = peal_parameter(me), ports = peal_node_options(me)->ports;
    struct fold fold = fold_to(smooth(P, K), P, peal_rank(me));
    int k = ports == PEAL_PORTS_ALL || ports > K - 1 ? K - 1 : ports;
    void *sums = peal_scratch(me, n * (size_t)largest_factor(fold.nodes, K)); /* of the groups, in their order */

    fold_in(me, &fold, op, a, a, n);
    for (int w = 1, f; w < fold.nodes && fold.number >= 0; w *= f) {
        int digit, group;

        f = factor(fold.nodes / w, K);
        digit = fold.number / w % f;
        group = fold.number - digit * w;
        block_copy(me, piece_of(me, sums, n * (size_t)f, f, digit).data, a, n);
        for (int j = 1; j < f; j += k) {
            for (int i = j; i < j + k && i < f; i++) {
                int from = (digit - i + f) % f;

                peal_send_async(me, a, n, fold_rank(&fold, group + (digit + i) % f * w));
                post_recv(me, piece_of(me, sums, n * (size_t)f, f, from), fold_rank(&fold, group + from * w));
            }
            peal_wait_all(me);
        }
        block_copy(me, a, sums, n);
        /* in the same order on every node: sums of floating-point numbers are the same, too */
        for (int i = 1; i < f; i++)
            peal_combine(op, a, piece_of(me, sums, n * (size_t)f, f, i).data, a, n);
    }
    fold_out(me, &fold, (struct peal_piece){a, n}, (struct peal_piece){a, n});
}

/* The rounds with K on a full network. */
static int64_t
rounds(int P, int K, int k)
{
    int stay = smooth(P, K);
    int64_t count = stay < P ? 2 : 0;

    for (int w = 1, f; w < stay; w *= f) {
        f = factor(stay / w, K);
        count += (f - 1 + k - 1) / k;
    }
    return count;
}

static int
choose(const struct peal_situation *situation)
{
    int k = closed_ports(situation), P = situation->nodes, best = 2;

    if (rounds(P, 3, k) < rounds(P, best, k))
        best = 3;
    return rounds(P, k + 1, k) < rounds(P, best, k) ? k + 1 : best;
}

/* A round in which the numbers send j digits of weight w on, round groups of f of them; no node was folded away. */
static void
add_round(struct closed *sum, int f, int w, int j)
{
    const struct shape *shape = &sum->shape;
    int64_t words = closed_words(sum), P = shape->nodes, up = j < f - j ? j : f - j;

    if (shape->kind == SHAPE_FULL)
        closed_add_same(sum, 1, words, 1);
    else if (f == 2 && (P & (P - 1)) == 0)
        closed_add_xor(sum, w, words);
    else if ((int64_t)f * w == P)
        closed_add_shift(sum, j * w, words);
    else if (shape->kind == SHAPE_LINE || (shape->kind == SHAPE_RING && 2 * (int64_t)f * w <= P))
        closed_add_shared(sum, words, up * w, (int)(f - up) * w, 0);
    else
        sum->known = false;
}

static void
allreduce_recursive_multiplying_cost(struct closed *sum)
{
    int P = sum->situation->nodes, K = closed_parameter(sum->situation, choose), stay = smooth(P, K);
    int k = sum->situation->ports == PEAL_PORTS_ALL || sum->situation->ports > K - 1 ? K - 1 : sum->situation->ports;

    if ((k > 1 && sum->situation->half_duplex) || ((k > 1 || stay < P) && sum->shape.kind != SHAPE_FULL))
        sum->known = false;
    if (stay < P)
        closed_add_full(sum, 2, closed_words(sum));
    for (int w = 1, f; w < stay && sum->known; w *= f) {
        f = factor(stay / w, K);
        for (int j = 1; j < f; j += k)
            add_round(sum, f, w, j);
    }
}

const struct peal_algorithm allreduce_recursive_multiplying = {
    .collective    = PEAL_ALLREDUCE,
    .name          = "recursive-multiplying",
    .summary       = "exchange whole vectors in groups of factors of P up to N",
    .run.allreduce = allreduce_recursive_multiplying_run,
    .parameter     = {.name = "nodes per group, at most", .least = 2, .most = 1 << 20, .choose = choose},
    .asks_ports    = true,
    .cost          = allreduce_recursive_multiplying_cost,
    .texts         = TEXTS(
        {.on = "full", .when = "P = K^j", .alpha = "α⌈(K−1)/k⌉log_K P", .beta = "βn⌈(K−1)/k⌉log_K P", .near = true,
         .names = "K = parameter"},
        {.on = "full", .when = "K = 2", .alpha = "α(⌊log₂P⌋+2)", .beta = "βn(⌊log₂P⌋+2)", .near = true},
        {.on = "hypercube", .when = "K = 2", .alpha = "α log₂P", .beta = "βn log₂P", .near = true},
        {.on = "line", .when = "K = 2", .alpha = "α log₂P", .beta = "βn(P−1)", .hop = "t_d(P−1)", .stored = "βnP²/4"},
        {.on = "ring", .when = "K = 2", .alpha = "α log₂P", .beta = "βn(P−1)", .hop = "t_d(P−1)",
         .stored = "βn(P²/4+[P > 2]P²/16)"},
        {.on = "mesh", .when = "K = 2", .alpha = "α log₂P", .beta = "βnΣ(zᵢ−1)", .hop = "t_dΣ(zᵢ−1)",
         .stored = "βnΣzᵢ²/4"},
        {.on = "torus", .when = "K = 2", .alpha = "α log₂P", .beta = "βnΣ(zᵢ−1)", .hop = "t_dΣ(zᵢ−1)",
         .stored = "βnΣ(zᵢ²/4+[zᵢ > 2]zᵢ²/16)"}),
    .optimal       = "α with k ports",
    .holds         = PEAL_HOLDS_PARAMETER,
    .source        = "MPICH, recursive multiplying and recexch",
};
