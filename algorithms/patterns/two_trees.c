/* SPDX-License-Identifier: MIT */
/* The two trees, their colours, and how long a piece is in transit.
 *
 * Trees.  Nodes are 1 .. n relative to the root, n = P-1; m is n, or n-1 if that is odd.  The first tree is the
 * in-order tree on 1 .. m, where odd nodes are leaves; the second is its mirror image, v for m+1-v, where even nodes
 * are.  If n is odd, node n is a leaf in both: a child of m in the first, which has but one, and of 1 in the second.
 *
 * Colours.  Every edge has a parity: pieces cross it only in rounds t + 1 with t of that parity.  The two edges into a
 * node differ, and so do the two out of it (of the root, one into each tree): then no port is used twice in a round.
 * Let C be the colours of the first tree, and give an edge of the second the other colour than its image: the edges
 * into v differ if C(v) = C(m+1-v), so it is enough to colour even nodes, the others having their image's colour, so
 * that siblings differ:
 *   m = 2 mod 4   C(v) counts the bits of v (odd: 0, even: 1).  A right child has a bit more than its parent, a left
 *                 one as many. The leaves 4k+1 and 4k+3 are images of 4j+2 and 4j, which differ in one bit
 *   m = 0 mod 4   C(v) counts how often the lowest bit can be added to v up to m.  A left child takes one more than its
 *                 parent, a right one as many; leaves 4k+1 and 4k+3 are images of 4j and 4j-2, and 4j-2 takes one more
 * The two edges to node n have the colours that are left.
 *
 * Delay.  A piece that is to go on waits until the parity is right: one round where the colour changes, two where it
 * stays.
 *   m = 2 mod 4   two rounds to the left, one to the right; the latest even node of the first tree, with k = ⌊log₂m⌋,
 *                 is 2, after 2(k-1) rounds, and one of the leaves below it takes two more: 2k
 *   m = 0 mod 4   one round to the left, two to the right; never k-1 times right (2^(k+1)-2 is above m), so 2k-3 are
 *                 the most, at 2^k-2, and two more: 2k-1
 * Node n is no later: it hangs on the end of the right spine.  The second tree is one round later in all.  So B pieces
 * take B + D rounds, D the delay of the first tree, B even or odd.  The tops come first, siblings one round apart: some
 * edge is in use in every round, also of the first x pieces alone (but for P = 3, where one piece takes rounds 1 and
 * 3).
 *
 * Source: Sanders, Speck, Träff, Parallel Computing 35 (2009) 581-594; the extra leaf, the colours and D are Peal's
 * own. */
#include "two_trees.h"

/* The number of nodes over which the trees are mirrored. */
static int
mirrored(int n)
{
    return n - n % 2;
}

/* The parent of node v of 1 .. n in a tree (0 or 1), 0 for the top. */
static int
parent_of(int tree, int v, int n)
{
    int m = mirrored(n), up;

    if (v > m)
        return tree == 0 ? m : m > 0 ? 1 : 0;
    if (tree == 0)
        return in_order_parent(v, m);
    up = in_order_parent(m + 1 - v, m);
    return up != 0 ? m + 1 - up : 0;
}

/* Its children, 0 for none. */
static void
children_of(int tree, int v, int n, int children[2])
{
    int m = mirrored(n), image = tree == 0 ? v : m + 1 - v;

    children[0] = children[1] = 0;
    if (v > m)
        return;
    children[0] = in_order_left(image);
    children[1] = in_order_right(image, m);
    for (int i = 0; i < 2; i++)
        if (tree == 1 && children[i] != 0)
            children[i] = m + 1 - children[i];
    if (n > m && image == m)
        children[1] = n;
}

/* C of a node of the first tree. */
static int
colour_of(int v, int m)
{
    int steps = 0;

    if (v % 2 != 0)
        v = m + 1 - v;
    if (m % 4 == 2)
        return (__builtin_popcount((unsigned)v) - 1) % 2;
    for (; (v & -v) <= m - v; v += v & -v)
        steps++;
    return steps % 2;
}

/* The parity of t in the rounds t + 1 in which pieces cross the edge into v. */
static int
colour_into(int tree, int v, int n)
{
    int m = mirrored(n);

    if (m == 0)
        return tree;
    if (v > m)
        return colour_of(in_order_left(m), m) ^ (tree == 0);
    return tree == 0 ? colour_of(v, m) : !colour_of(m + 1 - v, m);
}

/* The first such t. */
static int
first_into(int tree, int v, int n)
{
    int colour = colour_into(tree, v, n), round = 0;

    for (int up; (up = parent_of(tree, v, n)) != 0; v = up) {
        int above = colour_into(tree, up, n);

        round += above == colour ? 2 : 1;
        colour = above;
    }
    return round + colour;
}

/* D of P nodes, about 2log₂P. */
static int
delay_of(int nodes)
{
    int m = mirrored(nodes - 1), k = 0;

    while (m >> 1 >> k > 0)
        k++;
    return m == 0 ? 0 : 2 * k - (m % 4 == 0);
}

/* Let the pieces of a tree cross the edge into v; peer is its other end. */
static struct stream
edge(int tree, int v, int n, int peer, int pieces)
{
    return (struct stream){.peer = peer, .round = first_into(tree, v, n), .every = 2, .piece = tree, .skip = 2,
                           .count = (pieces + 1 - tree) / 2};
}

struct pipeline
two_trees_plan(struct streams *streams, const struct peal_node *me, int root, int pieces)
{
    int P = peal_size(me), n = P - 1, v = (peal_rank(me) - root + P) % P;

    *streams = (struct streams){0};
    for (int tree = 0; tree < 2 && P > 1; tree++) {
        int children[2] = {0, 0};

        if (v > 0) {
            int up = parent_of(tree, v, n);

            streams->in[streams->in_count++] = edge(tree, v, n, (up + root) % P, pieces);
            children_of(tree, v, n, children);
        } else {
            int top = n == 1 ? 1 : in_order_top(mirrored(n));

            children[0] = tree == 0 || n == 1 ? top : mirrored(n) + 1 - top;
        }
        for (int i = 0; i < 2; i++)
            if (children[i] != 0)
                streams->out[streams->out_count++] = edge(tree, children[i], n, (children[i] + root) % P, pieces);
    }
    return streams_pipeline(streams, pieces, pieces + delay_of(P));
}

void
two_trees_closed(struct closed *sum, int pieces)
{
    int nodes = sum->shape.nodes;
    int64_t words = closed_words(sum), longer = words % pieces;

    if (nodes == 1)
        return;
    if (sum->shape.kind != SHAPE_FULL && nodes > 2)
        sum->known = false;
    if (nodes == 3 && pieces == 1) {
        closed_add_same(sum, 2, words, 1);
    } else if (nodes == 3 && longer == 1) {
        closed_add_same(sum, pieces, words / pieces, 1);
        closed_add_same(sum, 2, words / pieces + 1, 1);
    } else {
        closed_add_pieces(sum, pieces, delay_of(nodes), 1);
    }
}

/* Of three nodes one piece takes two rounds, not three. */
int
two_trees_pieces(const struct peal_situation *situation)
{
    int b = pieces_best(situation, delay_of(situation->nodes), 1);
    size_t n = situation->words, longest = n / (size_t)b + (n % (size_t)b != 0);
    double one = 2 * situation->parameters.alpha + 2 * (double)n * situation->parameters.beta;
    double all = (b + 2) * situation->parameters.alpha + ((double)n + 2 * (double)longest) * situation->parameters.beta;

    return situation->nodes == 3 && one <= all ? 1 : b;
}

/* ------------------------------------------------------------------ the closed forms as text
 *
 * D = 2⌊log₂(x-1)⌋ - [x mod 4 = 2], x the even one of P and P+1: delay_of. */

const struct peal_closed_text two_tree_texts[] = {
    {.when = "P = 2", .alpha = "αB", .beta = "βn", .near = true, .names = "B = parameter"},
    {.when = "P ≥ 4", .alpha = "α(B+D)", .beta = "β(n+D⌈n/B⌉)", .near = true,
     .names = "x = 2⌈P/2⌉, D = 2⌊log₂(x−1)⌋−[(x mod 4) = 2], B = parameter"},
    {0},
};
