/* SPDX-License-Identifier: MIT */
/* Spanning balanced n-trees.
 *
 * Nodes are numbered by rank ^ root.  base(x) is the number of places to rotate the n bits of x to the right that gives
 * the least number, y, which is odd.  The parent of x is x without the highest set bit of y; it has the same base, so
 * the nodes of base j form the subtree on link j of the root, and x is as many links from the root as it has ones.
 *   Words with a period p < n have n/p such bases.  They are leaves: setting a bit above the highest of y changes one
 * of its periods, and turning that one to the end makes a lesser number, so no y' has y for a parent.  Hence each of
 * them may hang in any of its bases' subtrees; the plain tree takes the least base, the balanced one gives them, those
 * with the fewest choices first, to the allowed subtree that has the fewest nodes so far.  All other words are n to a
 * necklace, one in each subtree.
 *
 * Schedule.  The root sends on link j the nodes of subtree j by falling depth, then falling number, in n chunks; each
 * node passes on what it got in the next round.  What is d links away must leave by round n-d+1: S_i, the most nodes of
 * depth n-i+1 or more in any subtree, must have left after i rounds, and S_i - S_{i-1} is the length of chunk i; each
 * subtree fills them from the last to the first.  The lengths sum up to the largest subtree.
 *
 * That messages between other nodes are no longer than the root's of the same round was enumerated for n <= 14; that
 * the largest balanced subtree has ⌈(2^n-1)/n⌉ nodes, for n <= 16.
 *
 * Source: C.-T. Ho and S. L. Johnsson, spanning balanced n-tree routing in hypercubes, 1986; the balancing is our
 * own. */
#include "sbnt.h"
#include "lists.h"

enum { MAX_BITS = 30 };

/* ------------------------------------------------------------------ the tree */

static int
rotated(int n, int x, int by)
{
    return by == 0 ? x : ((x >> by) | (x << (n - by))) & ((1 << n) - 1);
}

/* The least base of x, and how many bits a period has. */
static int
least_base(int n, int x, int *period)
{
    int least = 0, y = x;

    *period = n;
    for (int by = 1; by < n; by++) {
        int turned = rotated(n, x, by);

        if (turned == x) {
            *period = by;
            break;
        }
        if (turned < y) {
            y = turned;
            least = by;
        }
    }
    return least;
}

/* The words of period p are the words of p bits, repeated. */
static int
repeated(int n, int p, int pattern)
{
    int x = pattern;

    for (int bits = p; bits < n; bits += p)
        x |= pattern << bits;
    return x;
}

/* The bases of the periodic words: few words, about 2^(n/2). */
struct tree {
    int n, count;
    int *word, *base; /* NULL: the plain tree, the least base */
};

static int
base_of(const struct tree *tree, int x)
{
    int period, base = least_base(tree->n, x, &period);

    for (int i = 0; i < tree->count && period < tree->n; i++)
        if (tree->word[i] == x)
            return tree->base[i];
    return base;
}

/* The number of words that have this period and none shorter, including all ones. */
static int
words_of_period(int n, int p)
{
    int count = 0, period;

    for (int pattern = 1; pattern < 1 << p; pattern++) {
        least_base(n, repeated(n, p, pattern), &period);
        count += period == p;
    }
    return count;
}

/* Assign the periodic words, longest periods first; load[j] counts those of subtree j. */
static void
balance(struct tree *tree, int load[MAX_BITS])
{
    int n = tree->n, period;

    for (int j = 0; j < n; j++)
        load[j] = 0;
    for (int p = n / 2; p >= 1; p--)
        for (int pattern = 1; pattern < 1 << p && n % p == 0; pattern++) {
            int x = repeated(n, p, pattern), best = least_base(n, x, &period);

            if (period != p)
                continue;
            for (int base = best + p; base < n; base += p)
                best = load[base] < load[best] ? base : best;
            load[best]++;
            if (tree->word != NULL) {
                tree->word[tree->count] = x;
                tree->base[tree->count++] = best;
            }
        }
}

static struct tree
tree_of(struct peal_node *me, enum sbnt_kind kind, int n)
{
    struct tree tree = {.n = n};
    int load[MAX_BITS], count = 0;

    if (kind == SBNT_PLAIN)
        return tree;
    for (int p = 1; p <= n / 2; p++)
        count += n % p == 0 ? words_of_period(n, p) : 0;
    tree.word = ints_room(me, (size_t)count + 1);
    tree.base = ints_room(me, (size_t)count + 1);
    balance(&tree, load);
    return tree;
}

/* The nodes of the largest subtree of 2^n: the blocks that a link of the root must carry. */
static int
largest_subtree(enum sbnt_kind kind, int n)
{
    struct tree tree = {.n = n};
    int periodic = 0, necklaces = 0, most = 0, load[MAX_BITS] = {0};

    for (int p = 1; p <= n / 2; p++)
        if (n % p == 0) {
            periodic += words_of_period(n, p);
            necklaces += words_of_period(n, p) / p;
        }
    balance(&tree, load);
    for (int j = 0; j < n; j++)
        most = load[j] > most ? load[j] : most;
    if (n == 1)
        return 1;
    /* a necklace's least word has base 0, so the plain subtree 0 has one of each */
    return ((1 << n) - 1 - periodic) / n + (kind == SBNT_PLAIN ? necklaces : most);
}

/* ------------------------------------------------------------------ the schedule */

/* The number of nodes of subtree j in chunk i = 1 .. n, at [j · (n+1) + i].  owner: the node */
static int *
chunks_of(struct peal_node *me, const struct tree *tree)
{
    int n = tree->n, row = n + 1, left = 0;
    size_t count = (size_t)n * (size_t)row;
    int *size = ints_room(me, count), *deep = ints_room(me, count); /* deep: nodes by depth */
    int length[MAX_BITS + 1], sum[MAX_BITS] = {0};

    for (int i = 0; i < n * row; i++)
        deep[i] = 0;
    for (int x = 1; x < 1 << n; x++)
        deep[base_of(tree, x) * row + __builtin_popcount((unsigned)x)]++;
    for (int i = 1; i <= n; i++) {
        int most = left;

        for (int j = 0; j < n; j++) {
            sum[j] += deep[j * row + n - i + 1];
            most = sum[j] > most ? sum[j] : most;
        }
        length[i] = most - left;
        left = most;
    }
    for (int j = 0; j < n; j++)
        for (int i = n, carried = 0; i >= 1; i--) {
            int wanted = deep[j * row + n - i + 1] + carried;

            size[j * row + i] = wanted < length[i] ? wanted : length[i];
            carried = wanted - size[j * row + i];
        }
    return size;
}

/* The blocks that go through a node, its own among them, in the order in which they pass. */
struct through {
    int count;
    int *chunk, *link; /* the dimension of the child it goes to, -1 for the node's own block */
    int *node;
    struct peal_piece *block;
};

/* Append the nodes of subtree j that are below v, 0 the root, or v itself. */
static void
list_subtree(struct through *through, const struct tree *tree, const int *size, int j, int v)
{
    int n = tree->n, y = rotated(n, v, j), behind = 0, chunk = 1, left = size[j * (n + 1) + 1];

    while (behind < y)
        behind = 2 * behind + 1;                         /* the bits up to the highest of y */
    for (int depth = n; depth >= 1; depth--)
        for (int x = (1 << n) - 1; x > 0; x--) {
            int z = rotated(n, x, j);

            if (__builtin_popcount((unsigned)x) != depth || base_of(tree, x) != j)
                continue;
            for (; left == 0; left = size[j * (n + 1) + chunk])
                chunk++;
            left--;
            if ((z & behind) != y)
                continue;
            through->node[through->count] = x;
            through->chunk[through->count] = chunk;
            through->link[through->count++] = x == v ? -1 : (__builtin_ctz((unsigned)(z & ~behind)) + j) % n;
        }
}

/* Find the blocks that go through v, and their addresses: at the root among all blocks; else in allocated room, except
 * for the node's own block. */
static struct through
through_of(struct peal_node *me, const struct tree *tree, int v, const void *all, const struct peal_blocks *blocks,
           int root, const void *own)
{
    int n = tree->n, base = v == 0 ? 0 : base_of(tree, v), most = 1 << n;
    const int *size = chunks_of(me, tree);
    struct through through = {0};
    size_t words = 0;
    char *room;

    for (int bit = 1; v != 0 && bit <= rotated(n, v, base); bit *= 2)
        most /= 2;                                       /* as many as there are ways to set the bits above */
    through.chunk = ints_room(me, (size_t)most);
    through.link = ints_room(me, (size_t)most);
    through.node = ints_room(me, (size_t)most);
    through.block = pieces_room(me, most);
    for (int j = base; j < (v == 0 ? n : base + 1); j++)
        list_subtree(&through, tree, size, j, v);

    for (int i = 0; i < through.count; i++) {
        through.block[i] = block_of(me, v == 0 ? all : NULL, blocks, through.node[i] ^ root);
        words += through.block[i].words;
    }
    room = v != 0 && words > 0 ? peal_scratch(me, words) : NULL;
    for (int i = 0; i < through.count && v != 0; i++) {
        through.block[i].data = through.link[i] < 0 ? (void *)own : room;
        room += through.link[i] < 0 ? 0 : through.block[i].words * peal_word_bytes(me);
    }
    return through;
}

/* Post the message with the blocks of this chunk that pass over `link`, or -1 over all links, to (from) a partner;
 * false if there is none. */
static bool
post_chunk(struct peal_node *me, const struct through *through, int chunk, int link, int partner, bool sends,
           struct list *list)
{
    bool any = false;

    list->count = 0;
    for (int i = 0; i < through->count; i++)
        if (through->chunk[i] == chunk && (link < 0 || through->link[i] == link)) {
            list_add(list, through->block[i]);
            any = true;
        }
    if (any && sends)
        peal_sendv_async(me, list->pieces, list->count, partner);
    else if (any)
        peal_recvv_async(me, list->pieces, list->count, partner);
    return any;
}

/* Step i = 1, 2, .. of a node: chunk i comes from its parent and chunk i-1 goes to its children; in reverse in a
 * gather. */
static void
do_step(struct peal_node *me, const struct through *through, int n, int i, int parent, bool gathers, struct list *list)
{
    int r = peal_rank(me);
    bool any = parent >= 0 && post_chunk(me, through, i, -1, parent, gathers, list);

    for (int link = 0; link < n; link++)
        any = post_chunk(me, through, i - 1, link, r ^ (1 << link), !gathers, list) || any;
    peal_wait_all(me);
    if (!any)
        peal_next_round(me);
}

/* A node d links away does its step i in round d+i-1, the last round is n; a gather runs backwards. */
static void
run(struct peal_node *me, enum sbnt_kind kind, const void *all, const struct peal_blocks *blocks, int root,
    const void *own, bool gathers)
{
    int n = ceiling_log2(peal_size(me)), v = peal_rank(me) ^ root, depth = __builtin_popcount((unsigned)v), parent = -1;
    struct tree tree;
    struct through through;
    struct list list;

    peal_packet(me, blocks_longest(me, blocks));
    if (n == 0)
        return;
    tree = tree_of(me, kind, n);
    through = through_of(me, &tree, v, all, blocks, root, own);
    list = list_with_room(me, through.count);
    if (v != 0) {
        int base = base_of(&tree, v), y = rotated(n, v, base), highest = 31 - __builtin_clz((unsigned)y);

        parent = peal_rank(me) ^ (1 << (highest + base) % n);
    }
    if (gathers) {
        for (int i = n - depth + 1; i >= (v == 0 ? 2 : 1); i--)
            do_step(me, &through, n, i, parent, true, &list);
    } else {
        rest(me, depth - 1);
        for (int i = v == 0 ? 2 : 1; i <= n - depth + 1; i++)
            do_step(me, &through, n, i, parent, false, &list);
    }
}

void
sbnt_scatter(struct peal_node *me, enum sbnt_kind kind, const void *all, const struct peal_blocks *blocks, int root,
             void *own)
{
    run(me, kind, all, blocks, root, own, false);
    if (peal_rank(me) == root)
        block_copy(me, own, block_of(me, all, blocks, root).data, peal_blocks_words(blocks, root));
}

void
sbnt_gather(struct peal_node *me, enum sbnt_kind kind, void *all, const struct peal_blocks *blocks, int root,
            const void *own)
{
    if (peal_rank(me) == root)
        block_copy(me, block_of(me, all, blocks, root).data, own, peal_blocks_words(blocks, root));
    run(me, kind, all, blocks, root, own, true);
}

void
sbnt_closed(struct closed *sum, enum sbnt_kind kind)
{
    int n = ceiling_log2(sum->shape.nodes);

    if (n == 0)
        return;
    if (sum->shape.kind != SHAPE_HYPERCUBE || sum->situation->ports != PEAL_PORTS_ALL || n > 14
        || (sum->situation->noncombining && n > 3 && sum->situation->words > 0)) { /* chunks of more than one block */
        sum->known = false;
        return;
    }
    closed_add_same(sum, 1, closed_product(sum, closed_words(sum), largest_subtree(kind, n)), 1);
    closed_add_same(sum, n - 1, 0, 1);
}

/* ------------------------------------------------------------------ the closed forms as text
 *
 * As derived above: all messages go one hop, and the largest subtree decides. */

const struct peal_closed_text sbnt_texts[] = {
    {.on = "hypercube", .alpha = "α log₂P", .beta = "βm⌈(P−1)/log₂P⌉", .near = true},
    {0},
};

const struct peal_closed_text sbnt_plain_texts[] = {
    {.on = "hypercube", .alpha = "α log₂P", .beta = "βm(necklaces(log₂P)−1)", .near = true},
    {0},
};
