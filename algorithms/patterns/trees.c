/* SPDX-License-Identifier: MIT */
/* Trees, and how long a piece is in transit in them.
 *
 * Let H be the greatest a(v).  In a tree of two children some edge is in use in every round from the first to the last:
 * below a(v) there is a node with one less, its parent or its sibling.  So x pieces take H + 2(x-1) rounds (x of them
 * when there is but one edge), and the first of several pieces are in transit in as many rounds as if they were
 * alone. */
#include "trees.h"

static int
larger(int a, int b)
{
    return a > b ? a : b;
}

/* Let pieces 0 .. of a tree cross an edge from round `round` + 1 on. */
static struct stream
edge(int peer, int round, int every, int pieces)
{
    return (struct stream){.peer = peer, .round = round, .every = every, .skip = 1, .count = pieces};
}

/* Add the rounds of a tree of height H; known only on a full network. */
static void
add_tree(struct closed *sum, int height, int pieces)
{
    if (sum->shape.kind != SHAPE_FULL && sum->shape.nodes > 2)
        sum->known = false;
    if (sum->shape.nodes == 2)
        closed_add_pieces(sum, pieces, 0, 1);
    else if (sum->shape.nodes > 2)
        closed_add_pieces(sum, pieces, height - 2, 2);
}

static int
best_in_tree(const struct peal_situation *situation, int height)
{
    return situation->nodes > 2 ? pieces_best(situation, height - 2, 2) : 1;
}

/* ------------------------------------------------------------------ the chain */

struct pipeline
chain_plan(struct streams *streams, const struct peal_node *me, int root, int pieces)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P;

    *streams = (struct streams){0};
    if (r > 0)
        streams->in[streams->in_count++] = edge((peal_rank(me) - 1 + P) % P, r - 1, 1, pieces);
    if (r < P - 1)
        streams->out[streams->out_count++] = edge((peal_rank(me) + 1) % P, r, 1, pieces);
    return streams_pipeline(streams, pieces, P - 2 + pieces);
}

int
chain_pieces(const struct peal_situation *situation)
{
    return pieces_best(situation, situation->nodes - 2, 1);
}

/* The hops from r to r+1 when the `faster` fastest dimensions go back to 0. */
static int
hops_of_carry(const struct shape *shape, int faster)
{
    int hops = 0;

    for (int d = shape->dimensions - 1; d >= shape->dimensions - faster; d--)
        hops += shape_hops(shape, d, shape->extent[d] - 1, 0);
    return hops + (faster < shape->dimensions);
}

/* The sum over the rounds of the most hops.  The edge into rank r (P: rank 0 by way of the end) goes as far as S,
 * the product of as many fastest extents as possible, divides r.  An edge is in use in b rounds, and the next with
 * the same S begins S rounds later: b + (edges - 1)·min(S, b) rounds have one that goes so far or farther. */
static int64_t
chain_hops(const struct closed *sum, int pieces)
{
    const struct shape *shape = &sum->shape;
    int64_t first = sum->situation->root, last = first + shape->nodes - 1, S = 1, hops = 0, before = 0;

    for (int faster = 0; faster <= shape->dimensions; faster++) {
        int64_t edges = last / S - first / S;
        int64_t here = shape->kind == SHAPE_FULL ? 1 : hops_of_carry(shape, faster);
        bool is_step = faster == shape->dimensions || shape->extent[shape->dimensions - 1 - faster] > 1;

        if (edges > 0 && is_step && here > before) {
            hops += (here - before) * (pieces + (edges - 1) * (S < pieces ? S : pieces));
            before = here;
        }
        if (faster < shape->dimensions)
            S *= shape->extent[shape->dimensions - 1 - faster];
    }
    return hops;
}

/* All edges of a chain are among those of the ring of ranks, which share no link (closed.c). */
void
chain_closed(struct closed *sum, int pieces)
{
    int64_t words = closed_words(sum), rounds = (int64_t)sum->shape.nodes - 2 + pieces, hops;
    struct closed one = *sum;

    if (sum->shape.nodes == 1)
        return;
    hops = chain_hops(sum, pieces);
    closed_add_pieces(&one, pieces, sum->shape.nodes - 2, 1);
    if (hops == rounds) {
        *sum = one;
        return;
    }
    one.cost.hop += sum->situation->switching == PEAL_WORMHOLE ? hops - rounds : 0;
    if (sum->situation->switching == PEAL_STORE_FORWARD) {
        /* with longer pieces, which one goes farthest is not derived */
        one.known = one.known && words % pieces == 0;
        one.cost.beta = sum->cost.beta + closed_product(&one, words / pieces, hops);
    }
    *sum = one;
}

/* ------------------------------------------------------------------ the heap */

int
heap_turns(int x)
{
    int turns = 0;

    for (; x > 0; x = (x - 1) / 2)
        turns += x % 2 == 0 ? 2 : 1;
    return turns;
}

/* The most bits set in any of 0 .. last. */
static int
most_bits(int last)
{
    int most = __builtin_popcount((unsigned)last);

    for (int i = 0; 1 << i <= last && i < 30; i++)
        if (last >> i & 1)
            most = larger(most, __builtin_popcount((unsigned)last >> i) - 1 + i);
    return most;
}

/* On level l the turns are l and the bits of the place on it: 2l on a full one. */
int
heap_most_turns(int nodes)
{
    int64_t on_level = 1, above = 0;
    int level = 0;

    for (; above + on_level <= nodes; on_level *= 2) {
        above += on_level;
        level++;
    }
    if (above == nodes)
        return 2 * (level - 1);
    return larger(2 * (level - 1), level + most_bits((int)(nodes - above - 1)));
}

struct pipeline
binary_plan(struct streams *streams, const struct peal_node *me, int root, int pieces)
{
    int P = peal_size(me), x = (peal_rank(me) - root + P) % P, turns = heap_turns(x), every = P > 2 ? 2 : 1;

    *streams = (struct streams){0};
    if (x > 0)
        streams->in[streams->in_count++] = edge(((x - 1) / 2 + root) % P, turns - 1, every, pieces);
    for (int child = 1; child <= 2 && x < P - child - x; child++)
        streams->out[streams->out_count++] = edge((2 * x + child + root) % P, turns + child - 1, every, pieces);
    return streams_pipeline(streams, pieces, heap_most_turns(P) + every * (pieces - 1));
}

void
binary_closed(struct closed *sum, int pieces)
{
    add_tree(sum, heap_most_turns(sum->shape.nodes), pieces);
}

int
binary_pieces(const struct peal_situation *situation)
{
    return best_in_tree(situation, heap_most_turns(situation->nodes));
}

/* ------------------------------------------------------------------ in-order trees */

int
in_order_parent(int v, int n)
{
    int64_t h = v & -v, up = (v - h) | 2 * h;

    return (int)(up <= n ? up : v - h);
}

int
in_order_top(int n)
{
    int64_t top = 1;

    while (2 * top <= n)
        top *= 2;
    return n == 0 ? 0 : (int)top;
}

int
in_order_left(int v)
{
    int h = v & -v;

    return h > 1 ? v - h / 2 : 0;
}

int
in_order_right(int v, int n)
{
    for (int h = (v & -v) / 2; h > 0; h /= 2)
        if (v <= n - h)
            return v + h;
    return 0;
}

/* The sum of the turns to v, below a top without turns. */
static int
turns_to(int v, int n)
{
    int turns = 0;

    for (int up; (up = in_order_parent(v, n)) != 0; v = up)
        turns += v < up ? 1 : 2;
    return turns;
}

/* The most turns: a left subtree is full, of l levels below its top if that is 2^l, and takes 1 + 2l; the rest is on
 * the way to the right. */
static int
most_turns(int n)
{
    int turns = 0, most = 0;

    for (int v = in_order_top(n); v != 0; v = in_order_right(v, n), turns += 2) {
        int left = in_order_left(v);

        most = larger(most, turns);
        if (left != 0)
            most = larger(most, turns + 1 + 2 * ceiling_log2(left & -left));
    }
    return most;
}

/* One of the two trees of a root: the ranks before + 1 .. before + n; the top receives its first piece in round `round`
 * + 1. */
struct half {
    int before, n, round;
};

static struct half
half_of(int rank, int root, int P)
{
    if (rank < root)
        return (struct half){.before = -1, .n = root, .round = 0};
    return (struct half){.before = root, .n = P - 1 - root, .round = root > 0 ? 1 : 0};
}

static int
in_order_height(int root, int P)
{
    int height = 0;

    if (root > 0)
        height = 1 + most_turns(root);
    if (root < P - 1)
        height = larger(height, half_of(P - 1, root, P).round + 1 + most_turns(P - 1 - root));
    return height;
}

struct pipeline
in_order_plan(struct streams *streams, const struct peal_node *me, int root, int pieces)
{
    int P = peal_size(me), rank = peal_rank(me), every = P > 2 ? 2 : 1, child[2], round;

    *streams = (struct streams){0};
    if (rank == root) {
        child[0] = root > 0 ? in_order_top(root) - 1 : -1;
        child[1] = root < P - 1 ? root + in_order_top(P - 1 - root) : -1;
        round = 0;
    } else {
        struct half half = half_of(rank, root, P);
        int v = rank - half.before, up = in_order_parent(v, half.n);
        int left = in_order_left(v), right = in_order_right(v, half.n);

        round = half.round + turns_to(v, half.n);
        streams->in[streams->in_count++] = edge(up != 0 ? half.before + up : root, round++, every, pieces);
        child[0] = left != 0 ? half.before + left : -1;
        child[1] = right != 0 ? half.before + right : -1;
    }
    for (int i = 0; i < 2; i++)
        if (child[i] >= 0) {
            struct stream *out = &streams->out[streams->out_count++];

            *out = edge(child[i], round++, every, pieces);
            out->left = i == 0;
        }
    return streams_pipeline(streams, pieces, in_order_height(root, P) + every * (pieces - 1));
}

void
in_order_closed(struct closed *sum, int pieces)
{
    add_tree(sum, in_order_height(sum->situation->root, sum->shape.nodes), pieces);
}

int
in_order_pieces(const struct peal_situation *situation)
{
    return best_in_tree(situation, in_order_height(situation->root, situation->nodes));
}

/* ------------------------------------------------------------------ the closed forms as text
 *
 * Chain: one edge a round of each piece; the edge from rank P-1 back to 0 takes P-1 hops on a line, for B rounds.
 * From rank 0 a row of sᵢzᵢ ranks ends P/(sᵢzᵢ) - 1 times; the rounds in which a piece is on such an edge are B and
 * min(sᵢzᵢ, B) for each but the first. Binary: heap_most_turns, two for each full level, or one and as many as a
 * place on the last level has bits. */

const struct peal_closed_text scan_chain_texts[] = {
    {.on = "full ring", .alpha = "α(P−2+B)", .beta = "β(n+(P−2)⌈n/B⌉)", .near = true, .names = "B = parameter"},
    {.on = "line", .when = "root 0", .alpha = "α(P−2+B)", .beta = "β(n+(P−2)⌈n/B⌉)", .near = true,
     .names = "B = parameter"},
    {.on = "mesh", .when = "root 0, B | n", .alpha = "α(P−2+B)", .beta = "β(n+(P−2)n/B)",
     .hop = "t_d(P−2+B+Σ[sᵢzᵢ < P](zᵢ−1)(B+(P/(sᵢzᵢ)−2)min(sᵢzᵢ, B)))",
     .stored = "β(n/B)(P−2+B+Σ[sᵢzᵢ < P](zᵢ−1)(B+(P/(sᵢzᵢ)−2)min(sᵢzᵢ, B)))", .names = "B = parameter"},
    {.on = "mesh", .when = "root 0", .alpha = "α(P−2+B)", .beta = "β(n+(P−2)⌈n/B⌉)",
     .hop = "t_d(P−2+B+Σ[sᵢzᵢ < P](zᵢ−1)(B+(P/(sᵢzᵢ)−2)min(sᵢzᵢ, B)))", .names = "B = parameter"},
    {.on = "torus hypercube", .when = "root 0, B | n", .alpha = "α(P−2+B)", .beta = "β(n+(P−2)n/B)",
     .hop = "t_d(P−2+B+Σ[sᵢzᵢ < P](B+(P/(sᵢzᵢ)−2)min(sᵢzᵢ, B)))",
     .stored = "β(n/B)(P−2+B+Σ[sᵢzᵢ < P](B+(P/(sᵢzᵢ)−2)min(sᵢzᵢ, B)))", .names = "B = parameter"},
    {.on = "torus hypercube", .when = "root 0", .alpha = "α(P−2+B)", .beta = "β(n+(P−2)⌈n/B⌉)",
     .hop = "t_d(P−2+B+Σ[sᵢzᵢ < P](B+(P/(sᵢzᵢ)−2)min(sᵢzᵢ, B)))", .names = "B = parameter"},
    {0},
};

const struct peal_closed_text chain_texts[] = {
    {.rows = scan_chain_texts},
    {.on = "line", .when = "B | n", .alpha = "α(P−2+B)", .beta = "β(n+(P−2)n/B)", .hop = "t_d(P−2+B+B(P−2))",
     .stored = "β(n/B)(P−2+B+B(P−2))", .names = "B = parameter"},
    {.on = "line", .alpha = "α(P−2+B)", .beta = "β(n+(P−2)⌈n/B⌉)", .hop = "t_d(P−2+B+B(P−2))",
     .names = "B = parameter"},
    {.on = "mesh", .when = "B | n", .alpha = "α(P−2+B)", .beta = "β(n+(P−2)n/B)",
     .hop = "t_d(P−2+B+Σ(zᵢ−1−[sᵢzᵢ = P])[Eᵢ > 0](B+(Eᵢ−1)min(sᵢzᵢ, B)))",
     .stored = "β(n/B)(P−2+B+Σ(zᵢ−1−[sᵢzᵢ = P])[Eᵢ > 0](B+(Eᵢ−1)min(sᵢzᵢ, B)))",
     .names = "Eᵢ = ⌊(r+P−1)/(sᵢzᵢ)⌋−⌊r/(sᵢzᵢ)⌋, B = parameter"},
    {.on = "mesh", .alpha = "α(P−2+B)", .beta = "β(n+(P−2)⌈n/B⌉)",
     .hop = "t_d(P−2+B+Σ(zᵢ−1−[sᵢzᵢ = P])[Eᵢ > 0](B+(Eᵢ−1)min(sᵢzᵢ, B)))",
     .names = "Eᵢ = ⌊(r+P−1)/(sᵢzᵢ)⌋−⌊r/(sᵢzᵢ)⌋, B = parameter"},
    {.on = "torus hypercube", .when = "B | n", .alpha = "α(P−2+B)", .beta = "β(n+(P−2)n/B)",
     .hop = "t_d(P−2+B+Σ[sᵢzᵢ < P][Eᵢ > 0](B+(Eᵢ−1)min(sᵢzᵢ, B)))",
     .stored = "β(n/B)(P−2+B+Σ[sᵢzᵢ < P][Eᵢ > 0](B+(Eᵢ−1)min(sᵢzᵢ, B)))",
     .names = "Eᵢ = ⌊(r+P−1)/(sᵢzᵢ)⌋−⌊r/(sᵢzᵢ)⌋, B = parameter"},
    {.on = "torus hypercube", .alpha = "α(P−2+B)", .beta = "β(n+(P−2)⌈n/B⌉)",
     .hop = "t_d(P−2+B+Σ[sᵢzᵢ < P][Eᵢ > 0](B+(Eᵢ−1)min(sᵢzᵢ, B)))",
     .names = "Eᵢ = ⌊(r+P−1)/(sᵢzᵢ)⌋−⌊r/(sᵢzᵢ)⌋, B = parameter"},
    {.on = "mesh torus hypercube", .alpha = "α(P−2+B)", .beta = "β(n+(P−2)⌈n/B⌉)", .names = "B = parameter"},
    {0},
};

const struct peal_closed_text binary_texts[] = {
    {.when = "P = 2", .alpha = "αB", .beta = "βn", .near = true, .names = "B = parameter"},
    {.alpha = "α(H−2+2B)", .beta = "β(2n+(H−2)⌈n/B⌉)", .near = true,
     .names = "h = ⌊log₂(P+1)⌋, H = max(2h−2, h+⌊log₂max(P+1−2^h, 1)⌋), B = parameter"},
    {0},
};
